"""Which products write rows of their result one after the other."""

from __future__ import annotations

import numpy as np
import pytest
from sampled import alternating, ends, sampled

import snippets_mlir
from snippets_mlir.analysis.kernels.result_rows import RowsFirst, are_apart
from snippets_mlir.dialects.builtin.dims import Dim, symbol
from snippets_mlir.testing.product_values import product_bound

LINES = RowsFirst(8 << 20)
ALL = RowsFirst(64 << 10, 96, whole=True, near=1 << 20, called=256 << 10)


@pytest.mark.parametrize(
    ("sizes", "element", "expected"),
    [
        ((809, 3265, 10), 4, True),
        ((809, 3265, 11), 4, False),  # tiles ask for their lines
        ((809, 3264, 10), 4, False),  # rows of whole lines
        ((809, 3272, 10), 4, True),  # of whole vectors
        ((809, 3265, 10), 2, False),  # 5 MB
        ((809, 3265, 10), 8, True),
        ((209, 13065, 10), 4, True),
        ((209, 13265, 10), 4, False),  # a right operand of 531 KB
        ((0, 3265, 10), 4, False),
        ((809, 0, 10), 4, False),
    ],
)
def test_rows_that_share_lines(sizes: tuple[int, int, int], element: int, expected: bool) -> None:
    assert are_apart(sizes, element, LINES, 1) is expected
    assert not are_apart(sizes, element, None, 1)


@pytest.mark.parametrize(
    ("sizes", "products", "expected"),
    [
        ((200, 200, 16), 1, True),
        ((200, 256, 95), 1, True),  # rows of whole lines
        ((200, 256, 96), 1, False),  # the sums of a tile take longer than its stores
        ((64, 256, 16), 1, True),  # 64 KiB
        ((63, 256, 16), 1, False),
        ((500, 16384, 16), 1, True),  # a right operand of 1 MiB
        ((500, 16385, 16), 1, False),
        ((500, 8192, 16), 2, True),
        ((500, 8193, 16), 2, False),
        ((symbol(0), 4096, 16), 1, True),  # 256 KiB
        ((symbol(0), 4097, 16), 1, False),
        ((200, symbol(0), 16), 1, False),
        ((200, 200, symbol(0)), 1, False),
        ((0, 200, 16), 1, False),
        ((symbol(0), 0, 16), 1, True),  # there is no column to write
    ],
)
def test_machines_that_wait_for_the_second_level_cache(
    sizes: tuple[Dim, Dim, Dim], products: int, expected: bool
) -> None:
    assert are_apart(sizes, 4, ALL, products) is expected
    if sizes[0] == symbol(0):
        assert not are_apart(sizes, 4, LINES, products)


@pytest.mark.parametrize("columns", sampled([2305, 2320, 2311], 3))
def test_such_products_are_right_with_any_number_of_threads(columns: int) -> None:
    """With rows and columns left over; the bias and the activation are in the kernel."""
    y = f"tensor<911x{columns}xf32>"
    text = f"""func.func @main(%x: tensor<911x9xf32>, %w: tensor<9x{columns}xf32>,
                               %b: tensor<{columns}xf32>) -> {y} {{
      %0 = snippets.matmul %x, %w : (tensor<911x9xf32>, tensor<9x{columns}xf32>) -> {y}
      %1 = snippets.add %0, %b : ({y}, tensor<{columns}xf32>) -> {y}
      %2 = snippets.relu %1 : {y}
      func.return %2 : {y}
    }}"""
    rng = np.random.default_rng(columns)
    shapes = (911, 9), (9, columns), (columns,)
    x, w, b = (rng.standard_normal(shape, np.float32) for shape in shapes)
    programs = [snippets_mlir.compile(text, num_threads=n) for n in ends((1, 2, 3))]
    results = [program(x, w, b) for program in programs]
    wide = [a.astype(np.float64) for a in (x, w, b)]
    expected = np.maximum(wide[0] @ wide[1] + wide[2], 0)
    bound = (2 * np.sqrt(9) + 6) * 2**-24 * (abs(wide[0]) @ abs(wide[1]) + abs(wide[2]))
    assert (abs(results[0] - expected) <= bound).all()
    for other in results[1:]:
        np.testing.assert_array_equal(other, results[0])


ROWS: list[tuple[tuple[int, ...], int, bool]] = [
    ((), 200, False),
    ((), 200, True),
    ((), 1, True),
    ((3,), 90, False),
    ((3,), 90, True),
]


@pytest.mark.parametrize(("case", "sizes"), alternating(sampled(ROWS, 2), [(200, 16), (256, 5)]))
def test_few_terms_are_right_with_any_number_of_threads(
    case: tuple[tuple[int, ...], int, bool], sizes: tuple[int, int]
) -> None:
    """Rows of whole lines and not, of a matrix and of each of three, known and of the call."""
    (batch, rows, called), (columns, terms) = case, sizes
    around = "".join(f"{size}x" for size in batch)
    height = "?" if called else rows
    x, w = f"tensor<{around}{height}x{terms}xf32>", f"tensor<{around}{terms}x{columns}xf32>"
    y = f"tensor<{around}{height}x{columns}xf32>"
    text = f"""func.func @main(%x: {x}, %w: {w}) -> {y} {{
      %0 = snippets.matmul %x, %w : ({x}, {w}) -> {y}
      %1 = snippets.relu %0 : {y}
      func.return %1 : {y}
    }}"""
    rng = np.random.default_rng(columns)
    a = rng.standard_normal((*batch, rows, terms), np.float32)
    b = rng.standard_normal((*batch, terms, columns), np.float32)
    results = [snippets_mlir.compile(text, num_threads=n)(a, b) for n in ends((1, 2, 3))]
    expected = np.maximum(a.astype(np.float64) @ b, 0)
    assert (abs(results[0] - expected) <= product_bound(a, b, 2**-24)).all()
    for other in results[1:]:
        np.testing.assert_array_equal(other, results[0])
