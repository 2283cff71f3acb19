"""What onnxruntime makes one node of, or loses by a cut: each rule beside one it does not hold for.

Every model of a rule is also given to onnxruntime, whose optimizer writes what it made of it: the
rule holds where the engine fuses, and only there.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from snippets_mlir.analysis.engine_fusions import BROKEN, broken_by
from snippets_mlir.analysis.engine_nodes import CHAINS, JOINED, chains_of, is_folded, joins
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.driver.onnx.engine_cuts import Cuts, plan_cuts
from snippets_mlir.frontends.onnx import import_graph, prepare_model
from test.support.engine_models import Node, model, module_of, nodes_of_engine

pytestmark = pytest.mark.usefixtures("foreign_products")

SEQUENCE = (2, 64, 256)


def ops_of(module: ModuleOp) -> list[Operation]:
    return [op for op in module.walk() if isinstance(op, ComputeOp)]


def plan(made: onnx.ModelProto, hints: Sequence[int] = ()) -> Cuts:
    return plan_cuts(import_graph(prepare_model(made)), "x86-64-avx2", 2, hints)


def floats(*shape: int) -> Any:
    return np.ones(shape, np.float32)


ONES = floats(256)
GATE: list[Node] = [("Sigmoid", ["x"], "s"), ("Mul", ["z", "s"], "y")]
NORM: list[Node] = [("Add", ["x", "z"], "s"), ("LayerNormalization", ["s", "g", "b"], "y")]
INVERSE: list[Node] = [("Div", ["one", "x"], "s"), ("Mul", ["z", "s"], "y")]
ALSO: list[Node] = [("Neg", ["s"], "t")]
BOTH = ("y", "t")
PARAMETERS: dict[str, Any] = {"g": ONES, "b": ONES}
JOINING = [
    (model([("Sigmoid", ["x"], "s"), ("Mul", ["x", "s"], "y")]), "QuickGelu"),
    (model(GATE), None),
    (model(NORM, SEQUENCE, SEQUENCE, **PARAMETERS), None),
    (model(INVERSE, one=1.0), "Div"),
    (model(INVERSE, one=2.0), None),
    (model([*INVERSE, *ALSO], outputs=BOTH, one=1.0), None),
]


@pytest.mark.parametrize(("made", "fused"), JOINING)
def test_pairs_are_one_node(made: onnx.ModelProto, fused: str | None, tmp_path: Path):
    ops = ops_of(module_of(made))
    pairs = sum(any(joins(a, b) for a in ops if set(a.results) & {*b.operands}) for b in ops)
    engine = nodes_of_engine(made, tmp_path)
    assert pairs == (fused is not None)
    assert len(engine) == len(ops) - pairs
    assert fused is None or engine == [fused]


def test_sessions_leave_slow_fusions_out(tmp_path: Path):
    made = model(NORM, SEQUENCE, SEQUENCE, **PARAMETERS)
    assert nodes_of_engine(made, tmp_path, ()) == ["SkipLayerNormalization"]
    assert nodes_of_engine(made, tmp_path) == ["Add", "LayerNormalization"]


def written_out_norm(centered: bool, reads: str = "q") -> list[Node]:
    """x over the root of its mean square; with `reads="z"` of another tensor's."""
    centre: list[Node] = [("ReduceMean", ["x"], "m"), ("Sub", ["x", "m"], "c")]
    square: list[Node] = [("Pow", ["c" if centered else "x", "two"], "q")]
    scaled = "t" if centered else "y"
    rest: list[Node] = [
        ("ReduceMean", [reads], "v"),
        ("Add", ["v", "small"], "w"),
        ("Sqrt", ["w"], "r"),
        ("Div", ["c" if centered else "x", "r"], "n"),
        ("Mul", ["n", "g"], scaled),
        *([("Add", ["t", "b"], "y")] if centered else []),
    ]
    return [*(centre if centered else []), *square, *rest]


def gelu(half: str = "half") -> list[Node]:
    return [
        ("Div", ["x", "root"], "a"),
        ("Erf", ["a"], "e"),
        ("Add", ["e", "one"], "s"),
        ("Mul", ["x", "s"], "g"),
        ("Mul", ["g", half], "y"),
    ]


def quick_gelu(gated: str = "x") -> list[Node]:
    return [("Mul", ["x", "a"], "w"), ("Sigmoid", ["w"], "s"), ("Mul", [gated, "s"], "y")]


NUMBERS: dict[str, Any] = {"two": 2.0, "small": 1e-5, "g": ONES, "b": ONES}
GELU: dict[str, Any] = {"root": 1.4142135, "one": 1.0, "half": 0.5, "third": 0.3}
CHAINED = [
    (model(written_out_norm(True), **NUMBERS), "LayerNormFusion"),
    (model(written_out_norm(True, "z"), **NUMBERS), None),
    (model(written_out_norm(False), **NUMBERS), "SimplifiedLayerNormFusion"),
    (model(written_out_norm(False, "z"), **NUMBERS), None),
    (model(gelu(), **GELU), "GeluFusion"),
    (model(gelu("third"), **GELU), None),
    (model([*gelu(), *ALSO], outputs=BOTH, **GELU), None),
    (model(quick_gelu(), a=1.702), "QuickGeluFusion"),
    (model(quick_gelu("z"), a=1.702), None),
    (model([*quick_gelu(), *ALSO], outputs=BOTH, a=1.702), None),
]
MAKES = {
    "GeluFusion": "Gelu",
    "LayerNormFusion": "LayerNormalization",
    "QuickGeluFusion": "QuickGelu",
    "SimplifiedLayerNormFusion": "SimplifiedLayerNormalization",
}


@pytest.mark.parametrize(("made", "fusion"), CHAINED)
def test_chains_are_one_node(made: onnx.ModelProto, fusion: str | None, tmp_path: Path):
    found = chains_of(ops_of(module_of(made)))
    assert [chain.fusion for chain, _ in found] == ([] if fusion is None else [fusion])
    engine = nodes_of_engine(made, tmp_path)
    if fusion is None:
        assert not set(engine) & set(MAKES.values())
    else:
        assert engine == [MAKES[fusion]]
        ((chain, members),) = found
        assert [op.name.removeprefix("snippets.") for op in members] == [*chain.ops]


def test_every_chain_is_tried():
    assert {fusion for _, fusion in CHAINED if fusion} == {chain.fusion for chain in CHAINS}
    assert MAKES.keys() == {chain.fusion for chain in CHAINS}


SUM: tuple[Node, ...] = (("MatMul", ["s", "w"], "m"), ("Add", ["m", "bias"], "y"))
SCALED: list[Node] = [("Mul", ["x", "c"], "s"), ("MatMul", ["s", "w"], "y")]
RESULT: list[Node] = [("MatMul", ["x", "w"], "s"), ("Div", ["s", "c"], "y")]
WEIGHTS: dict[str, Any] = {"w": floats(256, 8), "c": 0.5, "bias": floats(8)}
FOLDING = [
    (model(SCALED, SEQUENCE, **WEIGHTS), True),
    (model(SCALED, SEQUENCE, **{**WEIGHTS, "c": ONES}), False),
    (model([*SCALED, *ALSO], SEQUENCE, outputs=BOTH, **WEIGHTS), False),
    (model([("Div", ["c", "x"], "s"), SCALED[1]], SEQUENCE, **WEIGHTS), False),
    (
        model([SCALED[0], ("MatMul", ["s", "w"], "m"), ("Add", ["m", "bias"], "y")], **WEIGHTS),
        False,
    ),
    (model([SCALED[0], ("Gemm", ["s", "w"], "y")], **WEIGHTS), False),
    (model(RESULT, SEQUENCE, **WEIGHTS), True),
    (model([*RESULT, *ALSO], SEQUENCE, outputs=BOTH, **WEIGHTS), False),
]


@pytest.mark.parametrize(("made", "folds"), FOLDING)
def test_scales_become_attributes_of_products(made: onnx.ModelProto, folds: bool, tmp_path: Path):
    ops = [
        op for op in ops_of(module_of(made)) if op.name in ("snippets.multiply", "snippets.divide")
    ]
    assert [is_folded(op) for op in ops] == [folds]
    engine = nodes_of_engine(made, tmp_path)
    assert ("Mul" in engine or "Div" in engine) is not folds


def test_the_engine_takes_no_time_for_what_it_folds():
    def of(made: onnx.ModelProto) -> float:
        return plan(made).candidates[0].engine

    assert of(model(SCALED, SEQUENCE, **WEIGHTS)) == 0
    assert of(model(SCALED, SEQUENCE, **{**WEIGHTS, "c": ONES})) > 0


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


def test_the_tables_are_printable():
    assert str(JOINED[0]) == "sigmoid + multiply: QuickGeluFusion"
    assert str(CHAINS[-1]).startswith("power, reduce_mean, add")
    assert [str(rule) for rule in BROKEN][2] == "quantized: QDQSelectorActionTransformer"


def test_what_is_lost_costs_the_bytes_of_its_values():
    nodes = attention("c", ("Softmax", ["s"], "y"))
    data: dict[str, Any] = {"c": 0.125, "vector": floats(8), "k": floats(1, 2, 8, 16)}
    scaled = plan(model(nodes, HEADS, **data)).candidates[0]
    other = plan(model([("Mul", ["x", "vector"], "q"), *nodes[1:]], HEADS, **data)).candidates[0]
    assert scaled.lost == ("attention-operand",)
    assert other.lost == ()
    assert scaled.cut > other.cut
    assert "(lost: attention-operand)" in str(scaled)


def test_small_powers_are_products():
    def engine(exponent: float) -> float:
        return plan(model([("Pow", ["x", "e"], "y")], e=exponent)).candidates[0].engine

    assert engine(2.0) == engine(3.0) < engine(2.5) == engine(4.0)


def test_estimates_grow_with_sizes():
    def estimates(rows: int):
        return plan(model(GATE, (rows, 256), (rows, 256))).candidates[0]

    small, middle, large = (estimates(rows) for rows in (4, 1024, 65536))
    assert small.engine < middle.engine < large.engine
    assert small.kernel < middle.kernel < large.kernel


def hinted(shape: Sequence[int | str], *hints: int) -> Cuts:
    from snippets_mlir.driver.onnx.template import Numbering

    numbering = Numbering()
    made = model([("Softplus", ["x"], "a"), ("Mul", ["a", "x"], "y")], shape)
    imported = import_graph(prepare_model(made), sizes=numbering.number)
    return plan_cuts(imported, "x86-64-avx2", 2, hints)


def test_hints_are_the_sizes_of_dynamic_dims():
    small, large = hinted(("n", 64), 2), hinted(("n", 64), 4096)
    assert small.candidates == hinted((2, 64)).candidates
    assert large.candidates == hinted((4096, 64)).candidates
    assert (set(small.kernels), set(large.kernels)) == (set(), {0})


def test_hints_of_several_dims_are_in_their_order():
    assert hinted(("n", "k"), 32, 8).candidates == hinted((32, 8)).candidates
    assert hinted(("n", "k"), 3, 4096).candidates == hinted((3, 4096)).candidates
    assert hinted(("n", "k"), 3, 4096).candidates != hinted((4096, 4096)).candidates
