"""Which products write rows of their result one after the other."""

from __future__ import annotations

import numpy as np
import pytest
from sampled import sampled

import snippets_mlir
from snippets_mlir.analysis.result_rows import are_apart

LEAST, NEAR = 8 << 20, 512 << 10


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
    assert are_apart(sizes, element, LEAST, NEAR) is expected
    assert not are_apart(sizes, element, None, NEAR)


@pytest.mark.parametrize("columns", sampled([2305, 2320, 2311], 2))
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
    programs = [snippets_mlir.compile(text, num_threads=n) for n in (1, 2, 3)]
    results = [program(x, w, b) for program in programs]
    wide = [a.astype(np.float64) for a in (x, w, b)]
    expected = np.maximum(wide[0] @ wide[1] + wide[2], 0)
    bound = (2 * np.sqrt(9) + 6) * 2**-24 * (abs(wide[0]) @ abs(wide[1]) + abs(wide[2]))
    assert (abs(results[0] - expected) <= bound).all()
    for other in results[1:]:
        np.testing.assert_array_equal(other, results[0])
