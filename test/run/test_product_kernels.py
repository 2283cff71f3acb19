"""Kernels of matrix products against NumPy in float64."""

from __future__ import annotations

import numpy as np
import pytest
from inner_loops import assert_no_spills
from product_kernels import Array, Shape, check, operands, product, program, tensor
from runnable import RUNNABLE
from sampled import ends, sampled

import snippets_mlir

CASES: tuple[tuple[Shape, Shape, str], ...] = (
    ((13, 9), (9, 67), ""),
    ((64, 33), (33, 128), ""),
    ((5, 7), (49, 7), "{transpose_b}"),
    ((7, 6), (7, 17), "{transpose_a}"),
    ((7, 6), (33, 7), "{transpose_a, transpose_b}"),
    ((1, 40), (40, 70), ""),
    ((40, 70), (70, 1), ""),
    ((3, 1), (1, 20), ""),
    ((3, 0), (0, 20), ""),
    ((0, 4), (4, 5), ""),
    ((4, 3), (3, 0), ""),
    ((9,), (9, 21), ""),
    ((21, 9), (9,), ""),
    ((9,), (9,), ""),
    ((2, 1, 5, 6), (3, 6, 18), ""),
    ((2, 3, 8, 5), (1, 3, 16, 5), "{transpose_b}"),
    ((3, 4, 8), (8, 5), ""),
    ((1, 70), (33, 70), "{transpose_b}"),
    ((70,), (2, 33, 70), "{transpose_b}"),
    ((40, 9), (9, 1024), ""),
    ((13, 530), (530, 70), ""),
    ((33, 21), (300, 21), "{transpose_b}"),
)


@pytest.mark.parametrize(
    ("a", "b", "flags", "target"), sampled([(*case, t) for case in CASES for t in RUNNABLE], 5)
)
def test_product(a: Shape, b: Shape, flags: str, target: str) -> None:
    arrays = operands(a, b)
    compiled = snippets_mlir.compile(program(a, b, flags), target=target, num_threads=2)
    assert not compiled.opaque
    check(np.asarray(compiled(*arrays)), *arrays, flags)


def test_sizes_of_the_call() -> None:
    """One program for all sizes above 1, with whole tiles and with rests of each."""
    x, y = "tensor<?x?xf32>", "tensor<?xf32>"
    compiled = snippets_mlir.compile(
        f"func.func @main(%a: {x}, %b: {x}, %c: {y}) -> {x} {{\n"
        f"  %0 = snippets.matmul %a, %b : {x}\n"
        f"  %1 = snippets.add %0, %c : ({x}, {y}) -> {x}\n"
        f"  func.return %1 : {x}\n}}\n",
        num_threads=2,
        fallback="error",
    )
    assert compiled.per_shape is None
    for rows, inner, columns in ((2, 3, 5), (7, 31, 33), (65, 70, 129), (13, 9, 64), (0, 2, 3)):
        a, b = operands((rows, inner), (inner, columns))
        zero = np.zeros(columns, np.float32)
        check(np.asarray(compiled(a, b, zero)), a, b, "")


@pytest.mark.parametrize(
    ("inner", "columns", "kind", "target"),
    sampled(
        [
            (*case, target)
            for case in (("?", "?", "add"), (70, 130, "add"), (64, 1024, "gelu"))
            for target in RUNNABLE
        ],
        2,
    ),
)
def test_any_number_of_rows(inner: int | str, columns: int | str, kind: str, target: str) -> None:
    """All rows are computed once, whatever is left of whole tiles, and none beyond the last."""
    x, y, r = (f"tensor<{m}x{n}xf32>" for m, n in (("?", inner), (inner, columns), ("?", columns)))
    after = f"snippets.add %0, %0 : {r}" if kind == "add" else f"snippets.gelu %0 : {r}"
    compiled = snippets_mlir.compile(
        f"func.func @main(%a: {x}, %b: {y}) -> {r} {{\n"
        f"  %0 = snippets.matmul %a, %b : ({x}, {y}) -> {r}\n"
        f"  %1 = {after}\n  func.return %1 : {r}\n}}\n",
        num_threads=2,
        target=target,
        fallback="error",
    )
    assert compiled.per_shape is None
    for rows in (*range(23), 64, 127, 129):
        a, b = operands(
            (rows, 37 if inner == "?" else int(inner)),
            (37 if inner == "?" else int(inner), 91 if columns == "?" else int(columns)),
        )
        memory = np.full((rows + 2, b.shape[1]), 7, np.float32)
        compiled(a, b, out=memory[:rows])
        assert (memory[rows:] == 7).all()
        wanted = a.astype(np.float64) @ b
        scale = np.abs(a).astype(np.float64) @ np.abs(b)
        if kind == "add":
            assert np.all(np.abs(memory[:rows] - 2 * wanted) <= 1e-5 * scale)
        else:
            ratio = memory[:rows] / np.where(wanted == 0, 1, wanted)
            assert np.all((ratio > -1e-3) & (ratio < 1 + 1e-3))
            large = wanted > 6
            np.testing.assert_allclose(memory[:rows][large], wanted[large], 1e-4)


@pytest.mark.parametrize(
    ("target", "a", "b"),
    sampled(
        [
            (target, *shapes)
            for target in RUNNABLE
            if "avx" in target
            for shapes in [((96, 40), (40, 512)), ((40, 9), (9, 1024)), ((13, 9), (9, 67))]
        ],
        2,
    ),
)
def test_no_accumulator_leaves_its_register(a: Shape, b: Shape, target: str) -> None:
    """LLVM neither spills in the loops over the sum nor copies accumulators."""
    compiled = snippets_mlir.compile(program(a, b), target=target)
    (kernel,) = compiled.kernels
    assert_no_spills(kernel.ir("asm"))


def test_float64() -> None:
    arrays = operands((23, 31), (31, 45), "float64")
    compiled = snippets_mlir.compile(program((23, 31), (31, 45), "", "f64"))
    check(np.asarray(compiled(*arrays)), *arrays, "")


@pytest.mark.parametrize(
    ("a", "b", "flags", "target"),
    sampled(
        [
            (*case, target)
            for case in [
                ((8, 8192), (8192, 9), ""),
                ((4096, 5), (17, 4096), "{transpose_a, transpose_b}"),
                ((1, 8192), (8192, 256), ""),
            ]
            for target in RUNNABLE
        ],
        2,
    ),
)
def test_sums_in_parts(a: Shape, b: Shape, flags: str, target: str) -> None:
    """A small result of many terms: the parts follow from the shape, not from the threads."""
    arrays = operands(a, b)
    x, y = (tensor(shape, "f32") for shape in (a, b))
    r = tensor(product(*arrays, flags)[0].shape, "f32")
    text = f"""
func.func @main(%a: {x}, %b: {y}) -> {r} {{
  %0 = snippets.matmul %a, %b {flags} : ({x}, {y}) -> {r}
  func.return %0 : {r}
}}
"""
    results: list[Array] = []
    for threads in ends((1, 2, 5)):
        compiled = snippets_mlir.compile(text, target=target, num_threads=threads, fallback="error")
        assert len(compiled.kernels) == 2
        results.append(np.asarray(compiled(*arrays)))
    check(results[0], *arrays, flags)
    for result in results[1:]:
        np.testing.assert_array_equal(result, results[0])


@pytest.mark.parametrize(
    ("target", "a", "b"),
    sampled(
        [
            (target, *sizes)
            for target in RUNNABLE
            for sizes in [((61, 70), (70, 90)), ((165, 8), (8, 2)), ((33, 16), (16, 194))]
        ],
        3,
    ),
)
def test_threads_change_no_bit(a: Shape, b: Shape, target: str) -> None:
    """Rows and columns that are left over differ with the threads, and have the order of others."""
    arrays = operands(a, b)
    results = [
        snippets_mlir.compile(program(a, b), target=target, num_threads=threads)(*arrays)
        for threads in ends((1, 2, 3, 7))
    ]
    for result in results[1:]:
        np.testing.assert_array_equal(result, results[0])


@pytest.mark.parametrize("terms", sampled([64, 65, 129, 256, 1024], 2))
def test_many_equal_terms(terms: int) -> None:
    """Blocks of the sum bound the error where each addition rounds in the same direction."""
    rng = np.random.default_rng(terms)
    rows, columns = rng.uniform(0.5, 2, (2, 64, 1)).astype(np.float32)
    a, b = np.repeat(rows, terms, 1), np.repeat(columns.T, terms, 0)
    check(np.asarray(snippets_mlir.compile(program(a.shape, b.shape))(a, b)), a, b, "")


def test_nan_and_infinity_reach_their_rows_and_columns() -> None:
    a, b = operands((7, 9), (9, 20))
    a[2, 3], a[4, 0], b[5, 6] = np.nan, np.inf, -np.inf
    found = np.asarray(snippets_mlir.compile(program((7, 9), (9, 20)))(a, b))
    with np.errstate(invalid="ignore"):
        expected = np.matmul(a.astype(np.float64), b.astype(np.float64))
    np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))
    np.testing.assert_array_equal(np.isinf(found), np.isinf(expected))
