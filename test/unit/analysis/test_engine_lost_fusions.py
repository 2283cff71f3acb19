"""What onnxruntime no longer makes one node of where a kernel cuts the graph."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from snippets_mlir.analysis.engine.fusions import broken_by
from snippets_mlir.analysis.engine.nodes import is_folded
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.driver.onnx.cuts.engine_cuts import Cuts, plan_cuts
from snippets_mlir.frontends.onnx import import_graph, prepare_model
from test.support.engine_models import Node, model, module_of, nodes_of_engine

pytestmark = pytest.mark.usefixtures("foreign_products")


def ops_of(module: ModuleOp) -> list[Operation]:
    return [op for op in module.walk() if isinstance(op, ComputeOp)]


def plan(made: onnx.ModelProto, hints: Sequence[int] = ()) -> Cuts:
    return plan_cuts(import_graph(prepare_model(made)), "x86-64-avx2", 2, hints)


def floats(*shape: int) -> Any:
    return np.ones(shape, np.float32)


def lost(made: onnx.ModelProto, *names: str) -> list[str]:
    """The rules that hold when the ops of these names become a kernel."""
    found = [op for op in ops_of(module_of(made)) if op.name.removeprefix("snippets.") in names]
    assert found
    return [rule.name for rule, _ in broken_by(found)]


HEADS = (1, 2, 16, 8)
SCORES: list[Node] = [("MatMul", ["x", "k"], "s"), ("Softmax", ["s"], "p")]
VALUES: Node = ("MatMul", ["p", "v"], "y")


def test_matrices_around_a_softmax(tmp_path: Path):
    """The engine fuses nothing there: what is lost is the memory of one session."""
    data: dict[str, Any] = {"k": floats(256, 32), "v": floats(32, 8)}
    made = model([*SCORES, VALUES], **data)
    assert lost(made, "softmax") == ["attention"]
    assert nodes_of_engine(made, tmp_path) == ["MatMul", "Softmax", "MatMul"]
    assert lost(model([*SCORES, ("Neg", ["p"], "y")], **data), "softmax") == []


def test_a_matrix_of_unknown_type_before_a_softmax():
    """As what follows a blocked image in a model that the engine's optimizer wrote."""
    blocked: Node = ("ReorderOutput", ["z"], "k", {"channels": 64})
    made = model([blocked, *SCORES, VALUES], v=floats(64, 8))
    made.graph.node[0].domain = "com.microsoft.nchwc"
    made.opset_import.append(onnx.helper.make_opsetid("com.microsoft.nchwc", 1))
    made.graph.value_info.append(
        onnx.helper.make_tensor_value_info("s", TensorProto.FLOAT, [64, 64])
    )
    known = [str(v.type) for op in ops_of(module_of(made)) for _, vs in broken_by([op]) for v in vs]
    assert known == ["tensor<64x8xf32>"]
    assert plan(made).candidates


def attention(scale: str, *more: Node) -> list[Node]:
    """Scores of scaled queries."""
    products: list[Node] = [("MatMul", ["q", "k"], "s"), *more]
    return [("Mul", ["x", scale], "q"), *products]


@pytest.mark.parametrize(
    ("nodes", "holds"),
    [
        (attention("c", ("Softmax", ["s"], "y")), True),
        (attention("vector", ("Softmax", ["s"], "y")), False),
        (attention("c", ("Neg", ["s"], "y")), False),
    ],
)
def test_operands_of_attention(nodes: list[Node], holds: bool, tmp_path: Path):
    data: dict[str, Any] = {"c": 0.125, "vector": floats(8), "k": floats(1, 2, 8, 16)}
    made = model(nodes, HEADS, **data)
    assert lost(made, "multiply") == (["attention-operand"] if holds else [])
    engine = nodes_of_engine(made, tmp_path)
    if holds:
        assert engine == ["FusedMatMul", "Softmax"]
    if "vector" in nodes[0][1]:
        assert engine[0] == "Mul"


def quantized(op: str, of: str = "d", then: str = "QuantizeLinear") -> list[Node]:
    """An op between nodes that dequantize and one that quantizes."""
    reads = [of, "e"] if op in ("Add", "Mul", "Div") else [of]
    other: list[Node] = [
        ("QuantizeLinear", ["z", "scale", "zero"], "p"),
        ("DequantizeLinear", ["p", "scale", "zero"], "e"),
    ]
    after: list[Node] = [("QuantizeLinear", ["r", "scale", "zero"], "o")]
    after += [("DequantizeLinear", ["o", "scale", "zero"], "y")]
    return [
        ("QuantizeLinear", ["x", "scale", "zero"], "q"),
        ("DequantizeLinear", ["q", "scale", "zero"], "d"),
        *(other if len(reads) == 2 else []),
        (op, reads, "r" if then == "QuantizeLinear" else "y"),
        *(after if then == "QuantizeLinear" else []),
    ]


@pytest.mark.parametrize(
    ("nodes", "name", "fused"),
    [
        (quantized("Sigmoid"), "sigmoid", "QLinearSigmoid"),
        (quantized("LeakyRelu"), "leaky_relu", "QLinearLeakyRelu"),
        (quantized("Softmax"), "softmax", "QLinearSoftmax"),
        (quantized("Add"), "add", "QLinearAdd"),
        (quantized("Mul"), "multiply", "QLinearMul"),
        (quantized("Div"), "divide", None),
        (quantized("Tanh"), "tanh", None),
        (quantized("Erf"), "erf", None),
        (quantized("Sigmoid", of="x"), "sigmoid", None),
        (quantized("Sigmoid", then=""), "sigmoid", None),
    ],
)
def test_quantized_ops(nodes: list[Node], name: str, fused: str | None, tmp_path: Path):
    made = model(nodes, (4, 16), (4, 16), scale=np.float32(0.05), zero=np.uint8(128))
    assert lost(made, name) == ([] if fused is None else ["quantized"])
    engine = nodes_of_engine(made, tmp_path)
    assert fused in engine if fused else not any(n.startswith("QLinear") for n in engine)


def integers(*after: Node, op: str = "MatMulInteger") -> list[Node]:
    return [
        ("DynamicQuantizeLinear", ["x"], "xq xs xz"),
        (op, ["xq", "w", "xz", "wz"], "i"),
        ("Cast", ["i"], "c", {"to": TensorProto.FLOAT}),
        *after,
    ]


SCALE: tuple[Node, ...] = (("Mul", ["xs", "ws"], "f"), ("Mul", ["c", "f"], "y"))


@pytest.mark.parametrize(
    ("nodes", "weights", "fused"),
    [
        (integers(*SCALE), (16, 8), True),
        (integers(("Neg", ["c"], "y")), (16, 8), False),
        (integers(*SCALE, op="ConvInteger"), (8, 8, 3, 3), False),
    ],
)
def test_integer_products(nodes: list[Node], weights: tuple[int, ...], fused: bool, tmp_path: Path):
    data: dict[str, Any] = {"w": np.ones(weights, np.uint8), "wz": np.uint8(3), "ws": 0.02}
    made = model(nodes, (4, 16) if len(weights) == 2 else (1, 8, 16, 16), **data)
    assert lost(made, "convert_truncation", "multiply") == (["integer-product"] if fused else [])
    engine = nodes_of_engine(made, tmp_path)
    assert ("Cast" in engine) is not fused
    assert any(n.startswith(("DynamicQuantizeM", "MatMulIntegerToF")) for n in engine) is fused
    module = module_of(made)  # which keeps the ops
    folded = [op.name for op in ops_of(module) if is_folded(op)]
    assert folded == (["snippets.convert_truncation", "snippets.multiply"] if fused else [])


def test_what_is_lost_costs_the_bytes_of_its_values():
    nodes = attention("c", ("Softmax", ["s"], "y"))
    data: dict[str, Any] = {"c": 0.125, "vector": floats(8), "k": floats(1, 2, 8, 16)}
    scaled = plan(model(nodes, HEADS, **data)).candidates[0]
    other = plan(model([("Mul", ["x", "vector"], "q"), *nodes[1:]], HEADS, **data)).candidates[0]
    assert scaled.lost == ("attention-operand",)
    assert other.lost == ()
    assert scaled.cut > other.cut
    assert "(lost: attention-operand)" in str(scaled)
