"""The text of a dynamic program, in which sizes are symbols, is a source again."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from sampled import sampled

import snippets_mlir
from snippets_mlir.support.errors import CompileError

Array = np.ndarray[Any, Any]
ROWS = """
func.func @main(%x: tensor<?x16xf32>, %y: tensor<?x1xf32>) -> tensor<?x16xf32> {
  %0 = snippets.softmax %x {axis = 1 : i64} : tensor<?x16xf32>
  %1 = snippets.multiply %0, %y : (tensor<?x16xf32>, tensor<?x1xf32>) -> tensor<?x16xf32>
  func.return %1 : tensor<?x16xf32>
}
"""
ATTENTION = """
func.func @main(%q: tensor<2x?x8xf32>, %k: tensor<2x?x8xf32>) -> tensor<2x?x8xf32> {
  %0 = snippets.matmul %q, %k {transpose_b}
    : (tensor<2x?x8xf32>, tensor<2x?x8xf32>) -> tensor<2x?x?xf32>
  %1 = snippets.softmax %0 {axis = 2 : i64} : tensor<2x?x?xf32>
  %2 = snippets.matmul %1, %k : (tensor<2x?x?xf32>, tensor<2x?x8xf32>) -> tensor<2x?x8xf32>
  func.return %2 : tensor<2x?x8xf32>
}
"""
PLACE = """
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = snippets.concat %x, %x {axis = 0 : i64} : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %1 = snippets.reduce_mean %0 {axes = array<i64: 0>, keep_dims} : (tensor<?xf32>) -> tensor<1xf32>
  %2 = snippets.subtract %0, %1 : (tensor<?xf32>, tensor<1xf32>) -> tensor<?xf32>
  func.return %2 : tensor<?xf32>
}
"""
SOURCES = {"rows": ROWS, "attention": ATTENTION}


def arrays(name: str, size: int) -> tuple[Array, ...]:
    """Inputs of one size."""
    rng: Any = np.random.default_rng(size)
    if name == "rows":
        shapes = (size, 16), (size, 1)
    else:
        shapes = (2, size, 8), (2, size + 3, 8)
    return tuple(rng.standard_normal(shape, np.float32) for shape in shapes)


@pytest.mark.parametrize(
    ("name", "stage"),
    sampled(product(SOURCES, ("graph", "snippets-reshape-first", "snippets-tokenize")), 2),
)
def test_early_text_is_a_dynamic_program(name: str, stage: str):
    program = snippets_mlir.compile(SOURCES[name])
    program(*arrays(name, 7))
    text = program.ir(stage)
    assert "#lir.sizes<?0>" in text or stage == "graph"
    again = snippets_mlir.compile(text)
    assert [spec.shape for spec in again.inputs] == [spec.shape for spec in program.inputs]
    for size in (7, 1, 0, 33):
        found, wanted = again(*arrays(name, size)), program(*arrays(name, size))
        if size == 1:  # the text has one kernel for an attention of one row, too
            np.testing.assert_allclose(found, wanted, 1e-6, 1e-6)
        else:
            np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("stage", ["lir", "vector", "llvm", "program"])
def test_text_for_one_template_is_refused_when_it_is_compiled(stage: str):
    program = snippets_mlir.compile(ROWS)
    program(*arrays("rows", 7))
    with pytest.raises(CompileError, match="at the graph or subgraph stage, found") as caught:
        snippets_mlir.compile(program.ir(stage))
    assert caught.value.line is not None


def test_a_formula_in_an_attribute_is_refused_at_its_op():
    program = snippets_mlir.compile(PLACE)
    program(np.ones(5, np.float32))
    text = program.ir("snippets-decompose-reductions")
    assert "#snippets.size<" in text
    with pytest.raises(CompileError, match="has a formula of sizes") as caught:
        snippets_mlir.compile(text)
    assert "#snippets.size<" in text.splitlines()[(caught.value.line or 0) - 1]
