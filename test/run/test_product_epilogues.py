"""Kernels of matrix products with ops after them, against NumPy and the interpreter."""

from __future__ import annotations

import numpy as np
import pytest
from levels import is_level
from product_kernels import Array, operands, tensor
from sampled import ALL, sampled
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

import snippets_mlir
from snippets_mlir.interpreter import Interpreter
from snippets_mlir.passes.pipelines import PIPELINES
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.passmanager.unchanged import parts_of, same_parts
from snippets_mlir.passmanager.verification import check_module
from snippets_mlir.support.parsing import parse_module


def epilogue(rows: int, inner: int, columns: int) -> str:
    """tanh(a @ b + row) * column + residual."""
    shapes = ((rows, inner), (inner, columns), (columns,), (rows, 1), (rows, columns))
    x, y, row, column, r = (tensor(shape, "f32") for shape in shapes)
    return f"""
func.func @main(%a: {x}, %b: {y}, %c: {row}, %d: {column}, %e: {r}) -> {r} {{
  %0 = snippets.subgraph (%x = %a, %y = %b, %v = %c, %w = %d, %z = %e)
      : ({x}, {y}, {row}, {column}, {r}) -> {r} {{
    %1 = snippets.matmul %x, %y : ({x}, {y}) -> {r}
    %2 = snippets.add %1, %v : ({r}, {row}) -> {r}
    %3 = snippets.tanh %2 : {r}
    %4 = snippets.multiply %3, %w : ({r}, {column}) -> {r}
    %5 = snippets.add %4, %z : {r}
    snippets.yield %5 : {r}
  }}
  func.return %0 : {r}
}}
"""


@pytest.mark.parametrize(
    ("rows", "inner", "columns"),
    sampled([(13, 8, 37), (1, 5, 16), (6, 4, 1), (33, 9, 523), (33, 9, 1024)], 2),
)
def test_epilogue(rows: int, inner: int, columns: int) -> None:
    shapes = ((rows, inner), (inner, columns), (columns,), (rows, 1), (rows, columns))
    arrays = [operands(shape, (1,))[0] for shape in shapes]
    compiled = snippets_mlir.compile(epilogue(rows, inner, columns), num_threads=2)
    assert len(compiled.kernels) == 1
    a, b, row, column, residual = (array.astype(np.float64) for array in arrays)
    expected = np.tanh(a @ b + row) * column + residual
    np.testing.assert_allclose(np.asarray(compiled(*arrays)), expected, rtol=0, atol=4e-6)


@pytest.mark.parametrize(
    ("target", "columns"),
    sampled(
        [("x86-64-avx512", 37), ("x86-64-avx512", 275), ("x86-64-avx2", 19), ("generic", 75)], 4
    ),
)
def test_every_level_gives_the_same_bits(target: str, columns: int) -> None:
    """From the kernel on, nothing but the expansion of tanh changes a bit."""
    ctx = make_context()
    text = PIPELINES["snippets-to-llvm"].replace("set-target", f"set-target{{target={target}}}", 1)
    text = text.replace("lir-unroll", "lir-unroll{factor=1}").partition(",convert-scf-to-cf")[0]
    module = parse_module(epilogue(7, 5, columns), ctx)
    shapes = ((7, 5), (5, columns), (columns,), (7, 1), (7, columns))
    arrays = [operands(shape, (1,))[0] for shape in shapes]
    known: Array | None = None
    parts: list[object] = []

    def after(p: ModulePass, module: ModuleOp) -> None:
        nonlocal known, parts
        if is_level(p.name) and not same_parts(parts, parts := parts_of(module)):
            check_module(module)
            (found,) = Interpreter(module, verify=False).run("main", arrays)
            known = found if known is None or p.name == "lir-expand-math" else known
            np.testing.assert_array_equal(found, known, err_msg=p.name)

    run_passes(module, ctx, parse_pipeline(text, ctx), verify_each=ALL, after=after)
    assert known is not None
