"""What onnxruntime makes one node of: the rules, each beside one it does not hold for.

The tables are compared with the models that onnxruntime's optimizer writes.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx import TensorProto, helper
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from snippets_mlir.analysis.engine_fusions import (
    BROKEN,
    CHAINS,
    JOINED,
    broken_by,
    chains_of,
    joins,
)
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.driver.engine_cuts import Cuts, plan_cuts
from snippets_mlir.frontend.onnx import import_graph, prepare_model

Node = tuple[str, list[str], str]


def model(
    nodes: Sequence[Node], rows: int = 64, outputs: Sequence[str] = ("y",), **data: Any
) -> onnx.ModelProto:
    """A model on x and z of [rows, 256]; `data` are its initializers, `a=1` an attribute axis."""
    made: list[onnx.NodeProto] = []
    for op, reads, result in nodes:
        kinds: dict[str, Any] = {"axes": [-1]} if op == "ReduceMean" else {}
        made.append(helper.make_node(op, reads, [result], **kinds))
    shape = [rows, 256]
    inputs = [helper.make_tensor_value_info(n, TensorProto.FLOAT, shape) for n in ("x", "z")]
    results = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [rows, None]) for n in outputs]
    weights = [
        onnx.numpy_helper.from_array(np.asarray(a, np.float32), name) for name, a in data.items()
    ]
    graph = helper.make_graph(made, "g", inputs, results, weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)


def nodes_of_engine(made: onnx.ModelProto, folder: Path) -> list[str]:
    """The operators of the model that onnxruntime's optimizer writes."""
    engine: Any = ort
    options = engine.SessionOptions()
    options.log_severity_level = 4
    options.optimized_model_filepath = str(folder / "optimized.onnx")
    engine.InferenceSession(made.SerializeToString(), options, providers=["CPUExecutionProvider"])
    written = onnx.ModelProto.FromString((folder / "optimized.onnx").read_bytes())
    return [node.op_type for node in written.graph.node]


def module_of(made: onnx.ModelProto) -> ModuleOp:
    return import_graph(prepare_model(made)).module


def ops_of(module: ModuleOp) -> list[Operation]:
    return [op for op in module.walk() if isinstance(op, ComputeOp)]


def pairs(made: onnx.ModelProto) -> int:
    """How many ops join the node of an op before them."""
    module = module_of(made)
    ops = ops_of(module)
    return sum(any(joins(a, b) for a in ops if set(a.results) & {*b.operands}) for b in ops)


def plan(made: onnx.ModelProto, hints: Sequence[int] = ()) -> Cuts:
    return plan_cuts(import_graph(prepare_model(made)), "x86-64-avx2", 2, hints)


ONES = np.ones(256)
QUICK_GELU: list[Node] = [("Sigmoid", ["x"], "s"), ("Mul", ["x", "s"], "y")]
GATE: list[Node] = [("Sigmoid", ["x"], "s"), ("Mul", ["z", "s"], "y")]
NORM: list[Node] = [("Add", ["x", "z"], "s"), ("LayerNormalization", ["s", "g", "b"], "y")]


def test_a_gate_of_its_operand(tmp_path: Path):
    assert pairs(model(QUICK_GELU)) == 1
    assert nodes_of_engine(model(QUICK_GELU), tmp_path) == ["QuickGelu"]
    assert pairs(model(GATE)) == 0
    assert nodes_of_engine(model(GATE), tmp_path) == ["Sigmoid", "Mul"]


def test_a_sum_before_a_norm():
    weights: dict[str, Any] = {"g": ONES, "b": ONES}
    assert pairs(model(NORM, **weights)) == 1
    both: list[Node] = [*NORM, ("Neg", ["s"], "t")]
    assert pairs(model(both, outputs=("y", "t"), **weights)) == 0


def written_out_norm(centered: bool, reads: str = "q") -> list[Node]:
    """x over the root of its mean square; with `reads="z"` of another tensor's."""
    centre: list[Node] = [("ReduceMean", ["x"], "m"), ("Sub", ["x", "m"], "c")]
    square = [("Pow", ["c" if centered else "x", "two"], "q")]
    rest: list[Node] = [
        ("ReduceMean", [reads], "v"),
        ("Add", ["v", "small"], "w"),
        ("Sqrt", ["w"], "r"),
        ("Div", ["c" if centered else "x", "r"], "n"),
        ("Mul", ["n", "g"], "y"),
    ]
    return [*(centre if centered else []), *square, *rest]


@pytest.mark.parametrize("centered", [False, True])
def test_norms_that_are_written_out(centered: bool):
    data: dict[str, Any] = {"two": 2.0, "small": 1e-5, "g": ONES}
    module = module_of(model(written_out_norm(centered), **data))
    ((chain, members),) = chains_of(ops_of(module))
    assert chain is CHAINS[0 if centered else 1]
    assert [op.name.removeprefix("snippets.") for op in members] == [*chain.ops]
    module = module_of(model(written_out_norm(centered, reads="z"), **data))
    assert chains_of(ops_of(module)) == []


def test_matrices_around_a_softmax():
    data: dict[str, Any] = {"k": np.ones((256, 32)), "v": np.ones((32, 8))}
    scores: list[Node] = [("MatMul", ["x", "k"], "s"), ("Softmax", ["s"], "p")]
    module = module_of(model([*scores, ("MatMul", ["p", "v"], "y")], **data))
    (softmax,) = [op for op in ops_of(module) if op.name == "snippets.softmax"]
    assert [rule.name for rule, _ in broken_by([softmax])] == ["attention"]
    module = module_of(model([*scores, ("Neg", ["p"], "y")], **data))
    (softmax,) = [op for op in ops_of(module) if op.name == "snippets.softmax"]
    assert broken_by([softmax]) == []


def test_the_tables_are_printable():
    assert str(JOINED[-1]) == "sigmoid + multiply: QuickGeluFusion"
    assert str(CHAINS[1]).startswith("power, reduce_mean, add")
    assert [str(rule) for rule in BROKEN][2] == "quantized: QDQSelectorActionTransformer"


def test_small_powers_are_products():
    def engine(exponent: float) -> float:
        return plan(model([("Pow", ["x", "e"], "y")], e=exponent)).candidates[0].engine

    assert engine(2.0) == engine(3.0) < engine(2.5) == engine(4.0)


def test_estimates_grow_with_sizes():
    def estimates(rows: int):
        return plan(model(GATE, rows)).candidates[0]

    small, middle, large = (estimates(rows) for rows in (4, 1024, 65536))
    assert small.engine < middle.engine < large.engine
    assert small.kernel < middle.kernel < large.kernel
