"""Programs with matrix products, for the shapes of their calls."""

from __future__ import annotations

import re
from itertools import product

import numpy as np
import pytest
from sampled import ALL, sampled

import snippets_mlir
from snippets_mlir.checkers.linear_ir import verify_linear_ir
from snippets_mlir.dialects.lir.instances import instance_of
from snippets_mlir.interpreter import Interpreter
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.support.parsing import parse_module

PROGRAM = """
func.func @main(%a: tensor<?x?xf32>, %b: tensor<?x5xf32>, %c: tensor<5xf32>) -> tensor<?x5xf32> {
  %0 = snippets.matmul %a, %b : (tensor<?x?xf32>, tensor<?x5xf32>) -> tensor<?x5xf32>
  %1 = snippets.add %0, %c : (tensor<?x5xf32>, tensor<5xf32>) -> tensor<?x5xf32>
  func.return %1 : tensor<?x5xf32>
}
"""


def numbers(*shape: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    return np.random.default_rng(0).standard_normal(shape).astype(np.float32)


def test_dynamic_sizes():
    program = snippets_mlir.compile(PROGRAM)
    for rows, inner in ((3, 7), (1, 7), (3, 1), (0, 7), (3, 0), (33, 64)):
        a, b, c = numbers(rows, inner), numbers(inner, 5), numbers(5)
        expected = a.astype(np.float64) @ b.astype(np.float64) + c
        np.testing.assert_allclose(program(a, b, c), expected, 1e-5, 1e-5)


def test_long_epilogues_of_dynamic_rows():
    """They go by blocks of rows, each in one copy of the code; the last block may be short."""
    types = "tensor<?x9xf32>", "tensor<9x529xf32>", "tensor<?x529xf32>"
    program = snippets_mlir.compile(
        f"func.func @main(%a: {types[0]}, %b: {types[1]}) -> {types[2]} {{\n"
        f"  %0 = snippets.matmul %a, %b : ({types[0]}, {types[1]}) -> {types[2]}\n"
        f"  %1 = snippets.tanh %0 : {types[2]}\n"
        f"  %2 = snippets.exp %1 : {types[2]}\n"
        f"  func.return %2 : {types[2]}\n}}\n"
    )
    b = numbers(9, 529)
    for rows in (0, 1, 2, 7, 125, 126, 127, 128, 133, 300):
        a = numbers(rows, 9)
        expected = np.exp(np.tanh(a.astype(np.float64) @ b.astype(np.float64)))
        np.testing.assert_allclose(program(a, b), expected, 1e-5, 1e-5)
    (kernel,) = program.kernels
    assert "whole of" in kernel.ir("lir-insert-specific-iterations")


@pytest.mark.parametrize("rows", ["?", 5])
def test_what_follows_a_reshape_of_a_product(rows: object):
    """The activation and the residual of a layer on matrices are in the kernel of its product."""
    left, right = f"tensor<{rows}x9xf32>", "tensor<9x40xf32>"
    flat, whole = f"tensor<{rows}x40xf32>", f"tensor<1x{rows}x40xf32>"
    program = snippets_mlir.compile(
        f"func.func @main(%a: {left}, %b: {right}, %r: {whole}) -> {whole} {{\n"
        f"  %0 = snippets.matmul %a, %b : ({left}, {right}) -> {flat}\n"
        f"  %1 = snippets.unsqueeze %0 {{axes = array<i64: 0>}} : ({flat}) -> {whole}\n"
        f"  %2 = snippets.tanh %1 : {whole}\n"
        f"  %3 = snippets.add %2, %r : {whole}\n"
        f"  func.return %3 : {whole}\n}}\n"
    )
    a, b, r = numbers(5, 9), numbers(9, 40), numbers(1, 5, 40)
    expected = np.tanh(a.astype(np.float64) @ b.astype(np.float64)) + r
    np.testing.assert_allclose(program(a, b, r), expected, 1e-5, 1e-5)
    (kernel,) = program.kernels
    assert {"snippets.matmul", "snippets.tanh", "snippets.add"} <= {*kernel.ops}


@pytest.mark.parametrize("shapes", [((3,), (3, 4)), ((4, 3), (3,))], ids=["row", "column"])
def test_a_vector_and_a_constant(shapes: tuple[tuple[int, ...], tuple[int, ...]]):
    """A sum of scores and a constant looks like a masked attention, whose scores have rows."""
    first, second = ("x".join(map(str, (*shape, "f32"))) for shape in shapes)
    text = f"""func.func @main(%x: tensor<{first}>, %y: tensor<{second}>) -> tensor<4xf32> {{
      %c = snippets.constant dense<[0.5, 1.0, 2.0, 0xFF800000]> : tensor<4xf32>
      %s = snippets.matmul %x, %y : (tensor<{first}>, tensor<{second}>) -> tensor<4xf32>
      %z = snippets.add %s, %c : tensor<4xf32>
      func.return %z : tensor<4xf32>
    }}"""
    x, y = (np.random.default_rng(0).standard_normal(shape).astype(np.float32) for shape in shapes)
    expected = x.astype(np.float64) @ y + [0.5, 1, 2, -np.inf]
    np.testing.assert_allclose(snippets_mlir.compile(text)(x, y), expected, rtol=1e-5)


def test_dynamic_columns_of_a_transposed_operand():
    """They are copied in panels; the last one may be partial, the only one, or not there."""
    types = "tensor<?x40xf32>", "tensor<?x40xf32>", "tensor<?x?xf32>"
    program = snippets_mlir.compile(
        f"func.func @main(%a: {types[0]}, %b: {types[1]}) -> {types[2]} {{\n"
        f"  %0 = snippets.matmul %a, %b {{transpose_b}} : ({types[0]}, {types[1]}) -> {types[2]}\n"
        f"  func.return %0 : {types[2]}\n}}\n"
    )
    sizes = (0, 5), (5, 0), (1, 9), (9, 1), (2, 5), (13, 65), (7, 63), (6, 64), (37, 200)
    for rows, columns in sizes:
        a, b = numbers(rows, 40), numbers(columns, 40)
        expected = a.astype(np.float64) @ b.astype(np.float64).T
        np.testing.assert_allclose(program(a, b), expected, 1e-5, 1e-5)
    (kernel,) = program.kernels
    assert "lir.brgemm_copy_b" in kernel.ir("lir-brgemm-copy-b")


@pytest.mark.parametrize("shape", sampled(["?x?", "2x?", "?x17", "3x17"], 2))
def test_batches_of_rows_and_one_transposed_operand(shape: str):
    """They are the rows of one matrix, so that threads share them however small the batch is."""
    types = f"tensor<{shape}x40xf32>", "tensor<70x40xf32>", f"tensor<{shape}x70xf32>"
    program = snippets_mlir.compile(
        f"func.func @main(%a: {types[0]}, %b: {types[1]}) -> {types[2]} {{\n"
        f"  %0 = snippets.matmul %a, %b {{transpose_b}} : ({types[0]}, {types[1]}) -> {types[2]}\n"
        f"  func.return %0 : {types[2]}\n}}\n"
    )
    told = [size if size == "?" else int(size) for size in shape.split("x")]
    sizes = (2, 1), (2, 0), (1, 17), (0, 17), (5, 33), (2, 17), (3, 17)
    fitting = [s for s in sizes if all(t in ("?", n) for t, n in zip(told, s, strict=True))]
    assert fitting
    for batch, rows in fitting:
        a, b = numbers(batch, rows, 40), numbers(70, 40)
        wide = a.astype(np.float64), b.astype(np.float64).T
        bound = (2 * 40**0.5 + 4) * 2.0**-24 * (abs(wide[0]) @ abs(wide[1]))
        assert np.all(abs(np.asarray(program(a, b)) - wide[0] @ wide[1]) <= bound)
    (kernel,) = program.kernels
    product = next(
        line for line in kernel.ir("lir-optimize-domain").splitlines() if "= lir.b" in line
    )
    assert re.search(r"\[#lir.port<\[[^,\]]+, 40, 1\]>", product)


def test_inner_sizes_of_a_call_that_differ():
    program = snippets_mlir.compile(PROGRAM)
    with pytest.raises(ValueError, match="equal inner sizes, found 3x7 and 6x5: 7 and 6"):
        program(numbers(3, 7), numbers(6, 5), numbers(5))


def program_of(rows: int, inner: int, columns: int, attributes: str = "") -> str:
    """One product of matrices, the right one transposed with the attribute `transpose_b`."""
    right = (columns, inner) if attributes else (inner, columns)
    types = [f"tensor<{m}x{n}xf32>" for m, n in ((rows, inner), right, (rows, columns))]
    return (
        f"func.func @main(%a: {types[0]}, %b: {types[1]}) -> {types[2]} {{\n"
        f"  %0 = snippets.matmul %a, %b{attributes} : ({types[0]}, {types[1]}) -> {types[2]}\n"
        f"  func.return %0 : {types[2]}\n}}\n"
    )


SIZES = ((1, 5, 7), (3, 1, 4), (5, 17, 1), (7, 33, 65), (13, 3, 17))


@pytest.mark.parametrize(
    ("sizes", "attributes"), sampled(product(SIZES, ["", " {transpose_b}"]), 2)
)
def test_nan_and_infinity_propagate(sizes: tuple[int, int, int], attributes: str):
    """Each reaches its row or column and no other element, beside tails too."""
    rows, inner, columns = sizes
    program = snippets_mlir.compile(program_of(*sizes, attributes), num_threads=1)
    rng = np.random.default_rng(1)
    for number in (np.nan, np.inf, -np.inf):
        a, b = numbers(rows, inner), numbers(inner, columns)
        for x in (a, b):
            x[rng.integers(x.shape[0]), rng.integers(x.shape[1])] = number
        with np.errstate(all="ignore"):
            expected = (a.astype(np.float64) @ b.astype(np.float64)).astype(np.float32)
        found = np.asarray(program(a, np.ascontiguousarray(b.T) if attributes else b))
        np.testing.assert_allclose(found, expected, 1e-4, 1e-5)


def test_panels_of_many_terms_are_copied():
    """On x86, half of the second-level cache holds no panel as wide as a register tile of AVX."""
    rows, terms, columns = 33, 8200, 1024
    program = snippets_mlir.compile(program_of(rows, terms, columns, ""), num_threads=2)
    assert "lir.brgemm_copy_b" in program.kernels[0].ir("lir-brgemm-copy-b")
    a, b = numbers(rows, terms), numbers(terms, columns)
    wide = a.astype(np.float64), b.astype(np.float64)
    bound = (2 * terms**0.5 + 4) * 2.0**-24 * (abs(wide[0]) @ abs(wide[1]))
    assert np.all(abs(np.asarray(program(a, b)) - wide[0] @ wide[1]) <= bound)


ROWS, ALL_SIZES = ("?x70", "70x33", "?x33"), ("?x?", "?x?", "?x?")
KNOWN = sampled([(ROWS, 1), (ROWS, 3), (ALL_SIZES, 3), (ALL_SIZES, 1)], 4)


@pytest.mark.usefixtures("untuned")
@pytest.mark.parametrize(("types", "threads"), KNOWN)
def test_few_rows_that_the_call_knows(types: tuple[str, str, str], threads: int):
    """Six, then three, then one at a time, or three and one, on the ranges of several threads."""
    a, b, c = (f"tensor<{shape}xf32>" for shape in types)
    text = (
        f"func.func @main(%a: {a}, %b: {b}) -> {c} {{\n"
        f"  %0 = snippets.matmul %a, %b : ({a}, {b}) -> {c}\n"
        f"  func.return %0 : {c}\n}}\n"
    )
    right = numbers(70, 33)
    program = snippets_mlir.compile(text, num_threads=threads)
    for rows in (2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 19, 37, 301):
        left = numbers(rows, 70)
        expected = left.astype(np.float64) @ right.astype(np.float64)
        np.testing.assert_allclose(program(left, right), expected, 1e-5, 1e-5)
    (kernel,) = program.kernels
    loops = kernel.ir("lir-insert-specific-iterations").replace(", parallel", "")
    parts = set(re.findall(r"inc (\d+), dim 2, unrolled of", loops))
    assert 1 < len(parts) < 4 or threads > 1  # three tiles at most


def test_every_part_of_few_rows_is_checked_and_interpreted():
    text = (
        "func.func @main(%a: tensor<?x5xf32, #lir.sizes<?0>>, %b: tensor<5x17xf32>)\n"
        "    -> tensor<?x17xf32, #lir.sizes<?0>> {\n"
        "  %0 = snippets.matmul %a, %b : (tensor<?x5xf32, #lir.sizes<?0>>, tensor<5x17xf32>)\n"
        "    -> tensor<?x17xf32, #lir.sizes<?0>>\n"
        "  func.return %0 : tensor<?x17xf32, #lir.sizes<?0>>\n}\n"
    )
    ctx = make_context()
    module = parse_module(text, ctx)
    passes = parse_pipeline("snippets-set-target{target=x86-64-avx512},snippets-to-lir", ctx)
    passes += parse_pipeline("lir-to-vector", ctx)
    names = [p.name for p in passes]
    run_passes(module, ctx, passes[: names.index("convert-lir-to-vector")])
    assert str(module).count("unrolled of 0") >= 2
    right = numbers(5, 17)
    for rows in (2, 3, 5, 6, 7, 13) if not ALL else (2, 3, 4, 5, 6, 7, 9, 13):
        instance = instance_of(module, [rows])
        verify_linear_ir(instance)
        left = numbers(rows, 5)
        found = np.asarray(Interpreter(instance).run("main", [left, right])[0])
        expected = left.astype(np.float64) @ right.astype(np.float64)
        np.testing.assert_allclose(found, expected, 1e-5, 1e-5)
