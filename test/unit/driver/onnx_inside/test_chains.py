"""Which nodes of an optimized model become chains, and in which layout."""

from __future__ import annotations

from pathlib import Path

import onnx
import pytest
from image_models import GATED, HARD_SWISH, MEAN_GATED, between_convolutions, optimized
from onnx import helper

from snippets_mlir.codegen.stubs.ort_interface import MOST_INPUTS
from snippets_mlir.driver.onnx.inside.chains import chains_of
from snippets_mlir.driver.onnx.inside.edits import edit
from snippets_mlir.driver.onnx.inside.gains import guessed
from snippets_mlir.driver.onnx.inside.signatures import signature_of
from snippets_mlir.driver.onnx.inside.values import Values
from snippets_mlir.frontends.onnx import prepare_model
from snippets_mlir.targets.engine import ENGINE


def found(model: onnx.ModelProto, folder: Path) -> tuple[onnx.ModelProto, Values]:
    made = optimized(model, folder)
    return made, Values(made.graph, prepare_model(model).certain.types)


def texts(model: onnx.ModelProto, folder: Path) -> list[str]:
    made, values = found(model, folder)
    return [chain.text(made.graph) for chain in chains_of(values)]


def test_chains_on_blocked_images(tmp_path: Path) -> None:
    assert texts(between_convolutions(HARD_SWISH), tmp_path) == [
        "Add, Clip, Mul, Div on blocked images, 2 changes of layout less"
    ]


@pytest.mark.parametrize("nodes", [GATED, MEAN_GATED])
def test_planes_and_means(nodes: list[onnx.NodeProto], tmp_path: Path) -> None:
    """20 channels are no whole blocks, of 8 or 16: the engine's own means do not take them."""
    mean = nodes[0].op_type
    assert texts(between_convolutions(nodes, 20), tmp_path) == [
        f"{mean} on blocked images, 2 changes of layout less",
        "Mul, Add on blocked images, 3 changes of layout less",
    ]


@pytest.mark.parametrize(
    ("why", "nodes"),
    [
        ("a convolution computes it", [helper.make_node("Relu", ["x"], ["y"])]),
        ("a mean of rows", [helper.make_node("ReduceMean", ["x"], ["y"], axes=[3])]),
        ("no elementwise node", [helper.make_node("Softmax", ["x"], ["y"], axis=1)]),
        (
            "another element type",
            [
                helper.make_node("Cast", ["x"], ["i"], to=onnx.TensorProto.INT32),
                helper.make_node("Abs", ["i"], ["j"]),
                helper.make_node("Neg", ["j"], ["k"]),
                helper.make_node("Cast", ["k"], ["y"], to=onnx.TensorProto.FLOAT),
            ],
        ),
        (
            "a constant for each column",
            [
                helper.make_node("Mul", ["x", "columns"], ["a"]),
                helper.make_node("Mul", ["a", "columns"], ["y"]),
            ],
        ),
    ],
)
def test_what_is_in_no_chain(why: str, nodes: list[onnx.NodeProto], tmp_path: Path) -> None:
    model = between_convolutions(nodes)
    model.graph.initializer.append(
        helper.make_tensor("columns", onnx.TensorProto.FLOAT, [40], [1.5] * 40)
    )
    assert texts(model, tmp_path) == [], why


@pytest.mark.parametrize(("count", "chains"), [(MOST_INPUTS, 0), (MOST_INPUTS - 1, 1)])
def test_more_operands_than_an_operator_has(count: int, chains: int, tmp_path: Path) -> None:
    names = ["a", *(f"v{i}" for i in range(count - 1)), "y"]
    nodes = [helper.make_node("Mul", [names[i], f"k{i}"], [names[i + 1]]) for i in range(count)]
    model = between_convolutions([helper.make_node("Abs", ["x"], ["a"]), *nodes])
    for i in range(count):
        model.graph.initializer.append(helper.make_tensor(f"k{i}", 1, [], [1.1 + i / 1000]))
    assert len(texts(model, tmp_path)) == chains


def test_a_value_that_others_read_ends_a_chain(tmp_path: Path) -> None:
    nodes = [
        helper.make_node("Add", ["x", "three"], ["a"]),
        helper.make_node("Mul", ["a", "half"], ["b"]),
        helper.make_node("Softmax", ["b"], ["s"], axis=1),
        helper.make_node("Neg", ["b"], ["c"]),
        helper.make_node("Mul", ["s", "c"], ["y"]),
    ]
    wanted = ["Add, Mul on blocked images", "Neg, Mul"]
    assert texts(between_convolutions(nodes), tmp_path) == wanted


def test_a_signature_has_no_names_and_no_numbers(tmp_path: Path) -> None:
    names = {"x": "x", "three": "scale", "six": "half", "zero": "zero", "y": "y"}
    other = [onnx.NodeProto() for _ in HARD_SWISH]
    for node, old in zip(other, HARD_SWISH, strict=True):
        node.CopyFrom(old)
        for field in (node.input, node.output):
            field[:] = [names.get(name, f"{name}.other") for name in field]
    both = [found(between_convolutions(nodes), tmp_path)[1] for nodes in (HARD_SWISH, other)]
    chains = [(chains_of(values)[0], values) for values in both]
    (signature,) = {signature_of(chain, values, 16) for chain, values in chains}
    assert signature.operands == ("x0", "s0", "s1")


def test_edits(tmp_path: Path) -> None:
    made, values = found(between_convolutions(HARD_SWISH), tmp_path)
    chains = chains_of(values)
    edit(made, values, chains, ["chain0"])
    assert [n.op_type for n in made.graph.node] == ["Conv", "chain0", "Conv", "ReorderOutput"]
    assert [n.domain for n in made.graph.node][1] == "snippets"


def test_guesses_leave_out_what_convolutions_compute(tmp_path: Path) -> None:
    def guess(nodes: list[onnx.NodeProto]) -> float:
        prepared = prepare_model(between_convolutions(nodes))
        return guessed(Values(prepared.model.graph, prepared.certain.types), {}, 2, ENGINE)

    relu = [helper.make_node("Relu", ["x"], ["y"])]
    swish = [helper.make_node("Sigmoid", ["x"], ["g"]), helper.make_node("Mul", ["x", "g"], ["y"])]
    assert guess(relu) == guess(swish) == 0.0 < guess(HARD_SWISH)
    assert texts(between_convolutions(swish), tmp_path) == []  # they stay blocked
