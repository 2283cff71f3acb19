"""What onnxruntime makes one node of: each rule beside one it does not hold for."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from snippets_mlir.analysis.engine.fusions import BROKEN
from snippets_mlir.analysis.engine.nodes import CHAINS, JOINED, chains_of, is_folded, joins
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.driver.onnx.cuts.engine_cuts import Cuts, plan_cuts
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


def test_the_tables_are_printable():
    assert str(JOINED[0]) == "sigmoid + multiply: QuickGeluFusion"
    assert str(CHAINS[-1]).startswith("power, reduce_mean, add")
    assert [str(rule) for rule in BROKEN][2] == "quantized: QDQSelectorActionTransformer"
