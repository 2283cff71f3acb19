"""Nodes of ONNX in text whose results have sizes that calls choose."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import snippets_mlir
from snippets_mlir.support.errors import CompileError

F32 = np.float32


def node(op: str, operands: str, types: str, result: str, attributes: str = "") -> str:
    inner = f", attributes = {{{attributes}}}" if attributes else ""
    return (
        f'onnx.node "{op}"({operands}) {{domain = "", version = 13 : i64{inner}}} : ({types}) -> '
        f"{result}"
    )


PRODUCT = f"""
func.func @main(%a: tensor<?x4xf32>, %b: tensor<4x?xf32>) -> tensor<?x?xf32> {{
  %0 = {node("MatMul", "%a, %b", "tensor<?x4xf32>, tensor<4x?xf32>", "tensor<?x?xf32>")}
  %1 = snippets.abs %0 : tensor<?x?xf32>
  %2 = {node("Relu", "%1", "tensor<?x?xf32>", "tensor<?x?xf32>")}
  func.return %2 : tensor<?x?xf32>
}}
"""


@pytest.mark.parametrize("sizes", [(3, 5), (1, 1), (3, 1), (0, 2), (7, 5)])
def test_a_product_of_any_sizes(sizes: tuple[int, int]) -> None:
    m = snippets_mlir.compile(PRODUCT, mark_skipped="none")
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-9, 9, s).astype(F32) for s in ((sizes[0], 4), (4, sizes[1])))
    np.testing.assert_array_equal(m(a, b), abs(a @ b))


def test_a_node_that_reads_constants() -> None:
    axes = "snippets.constant dense<[0, 2]> : tensor<2xi64>"
    types = "tensor<?x3xf32>, tensor<2xi64>"
    m = snippets_mlir.compile(f"""
func.func @main(%x: tensor<?x3xf32>) -> (tensor<?x?x1x3xf32>, tensor<?x?xf32>) {{
  %i = {axes}
  %0 = {node("Unsqueeze", "%x, %i", types, "tensor<?x?x1x3xf32>")}
  %1 = {
        node(
            "Concat",
            "%x, %x, %x",
            "tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>",
            "tensor<?x?xf32>",
            "axis = 1 : i64",
        )
    }
  func.return %0, %1 : tensor<?x?x1x3xf32>, tensor<?x?xf32>
}}
""")
    for rows in (4, 2, 4):
        x = np.arange(3 * rows, dtype=F32).reshape(rows, 3)
        unsqueezed, joined = m(x)
        np.testing.assert_array_equal(unsqueezed, x[None, :, None])
        np.testing.assert_array_equal(joined, np.concatenate([x, x, x], 1))


def message_of(text: str, *arrays: Any) -> str:
    m = snippets_mlir.compile(text)
    with pytest.raises(CompileError) as caught:
        m(*arrays)
    return str(caught.value)


def test_a_node_that_gives_another_shape() -> None:
    text = f"""
func.func @main(%x: tensor<?x3xf32>) -> tensor<2x?xf32> {{
  %0 = {node("Relu", "%x", "tensor<?x3xf32>", "tensor<2x?xf32>")}
  func.return %0 : tensor<2x?xf32>
}}
"""
    m = snippets_mlir.compile(text)
    assert m(np.ones((2, 3), F32)).shape == (2, 3)
    assert "of shape 4x3 give 4x3, the text says 2x?" in message_of(text, np.ones((4, 3), F32))


def test_a_shape_that_only_a_run_says() -> None:
    text = f"""
func.func @main(%x: tensor<?x3xf32>, %s: tensor<2xi64>) -> tensor<?x?xf32> {{
  %0 = {node("Reshape", "%x, %s", "tensor<?x3xf32>, tensor<2xi64>", "tensor<?x?xf32>")}
  func.return %0 : tensor<?x?xf32>
}}
"""
    found = message_of(text, np.ones((4, 3), F32), np.array([3, 4]))
    assert "3:3: onnx.node: the result's shape does not follow from operands" in found
