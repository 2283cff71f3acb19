"""Products of dequantized values, which onnxruntime multiplies as integers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from snippets_mlir.analysis.engine.fusions import broken_by
from snippets_mlir.analysis.engine.nodes import is_on_integers
from snippets_mlir.dialects.snippets.product import MatMulOp
from snippets_mlir.driver.onnx.cuts.engine_cuts import plan_cuts
from snippets_mlir.frontends.onnx import import_graph, prepare_model
from test.support.engine_models import Node, model, module_of, nodes_of_engine

OPERANDS: list[Node] = [
    ("QuantizeLinear", ["x", "scale", "zero"], "q"),
    ("DequantizeLinear", ["q", "scale", "zero"], "d"),
    ("DequantizeLinear", ["w", "scale", "zero"], "e"),
]
QUANTIZED: list[Node] = [
    ("QuantizeLinear", ["r", "scale", "zero"], "o"),
    ("DequantizeLinear", ["o", "scale", "zero"], "y"),
]
ON_INTEGERS = [
    ([*OPERANDS, ("MatMul", ["d", "e"], "r"), *QUANTIZED], "QLinearMatMul"),
    ([*OPERANDS, ("MatMul", ["d", "e"], "y")], "MatMulIntegerToFloat"),
]
ON_FLOATS: list[list[Node]] = [
    [*OPERANDS, ("MatMul", ["x", "e"], "y")],
    [*OPERANDS, ("MatMul", ["d", "f"], "y")],
    [*OPERANDS, ("MatMul", ["x", "f"], "r"), *QUANTIZED],
]


def product_model(nodes: list[Node]) -> onnx.ModelProto:
    data: dict[str, Any] = {
        "scale": np.float32(0.05),
        "zero": np.uint8(128),
        "w": np.full((256, 1024), 130, np.uint8),
        "f": np.ones((256, 1024), np.float32),
    }
    return model(nodes, (396, 256), (396, 1024), **data)


def product_of(made: onnx.ModelProto) -> MatMulOp:
    (found,) = (op for op in module_of(made).walk() if isinstance(op, MatMulOp))
    return found


@pytest.mark.parametrize(("nodes", "fused"), ON_INTEGERS, ids=[name for _, name in ON_INTEGERS])
def test_no_kernel_reads_what_would_stay_integers(nodes: list[Node], fused: str, tmp_path: Path):
    """Measured: a kernel, and the nodes that dequantize, take 3.8 to 5.3 times as long."""
    made = product_model(nodes)
    product = product_of(made)
    assert is_on_integers(product)
    assert [rule.name for rule, _ in broken_by([product])] == ["quantized"]
    assert fused in nodes_of_engine(made, tmp_path)
    imported = import_graph(prepare_model(made))
    for target, tune in (("x86-64-avx512", "sapphirerapids"), ("x86-64-avx2", "")):
        assert not plan_cuts(imported, target, 2, (), tune=tune).kernels


@pytest.mark.parametrize("nodes", ON_FLOATS)
def test_products_with_an_operand_of_floats(nodes: list[Node], tmp_path: Path):
    made = product_model(nodes)
    product = product_of(made)
    assert not is_on_integers(product)
    assert broken_by([product]) == []
    engine = {*nodes_of_engine(made, tmp_path)}
    assert engine.isdisjoint(("QLinearMatMul", "MatMulIntegerToFloat"))
