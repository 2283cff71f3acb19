"""Sizes of what kernels compute are read from inputs of the model, where these have them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper
from onnx_models import model, run_reference, save, value

import snippets_mlir
from snippets_mlir.frontends.onnx import import_graph
from snippets_mlir.frontends.onnx.prepare import prepare

WIDTH = 8

WEIGHTS = {
    "one": np.array(1),
    "ones": np.array([1]),
    "rows": np.array([0, 1]),
    "zero": np.array(0),
    "step": np.array(1),
    "begin": np.array([1]),
    "end": np.array([3]),
}


def sized(*nodes: onnx.NodeProto, result: str, first: str = "Relu") -> onnx.ModelProto:
    """A kernel `r` (or a node) of `[b, s, 8]`, and nodes that compute `result` from its sizes."""
    made = [helper.make_node(first, ["x"], ["r"]), *nodes]
    inputs = [value("x", ("b", "s", WIDTH)), value("t", ("b", "n"))]
    outputs = [value("r", None), value(result, None, np.int64), value("u", None)]
    return model([*made, helper.make_node("Neg", ["t"], ["u"])], inputs, outputs, WEIGHTS)


def node(op_type: str, inputs: str, result: str, **attributes: Any) -> onnx.NodeProto:
    return helper.make_node(op_type, inputs.split(), [result], **attributes)


MOVED = {
    "shape": (node("Shape", "r", "y"),),
    "some of a shape": (node("Shape", "r", "y", start=1, end=3),),
    "a size": (node("Size", "r", "y"),),
    "a dim": (node("Shape", "r", "s"), node("Gather", "s one", "y")),
    "dims": (node("Shape", "r", "s"), node("Gather", "s rows", "y")),
    "a slice": (node("Shape", "r", "s"), node("Slice", "s begin end", "y")),
    "a range": (
        node("Shape", "r", "s"),
        node("Gather", "s one", "n"),
        node("Range", "zero n step", "y"),
    ),
    "squeezed": (
        node("Shape", "r", "s", start=1, end=2),
        node("Squeeze", "s", "q"),
        node("Range", "zero q step", "y"),
    ),
}


def imported(made: onnx.ModelProto) -> str:
    return str(import_graph(prepare(made, {}, None)).module)


def sample(batch: int, length: int) -> list[Any]:
    rng = np.random.default_rng(length)
    shapes = (batch, length, WIDTH), (batch, 3)
    return [rng.standard_normal(shape).astype(np.float32) for shape in shapes]


@pytest.mark.parametrize("name", MOVED)
def test_sizes_of_kernels_are_those_of_inputs(name: str) -> None:
    text = imported(sized(*MOVED[name], result="y"))
    assert '"Shape"(%x)' in text
    assert '"Shape"(%r)' not in text
    assert '"Size"' not in text


@pytest.mark.parametrize("name", MOVED)
def test_their_values(tmp_path: Path, name: str) -> None:
    made = sized(*MOVED[name], result="y")
    save(made, tmp_path / "m.onnx")
    program = snippets_mlir.compile(tmp_path / "m.onnx", num_threads=1, mark_skipped="none")
    for batch, length in ((2, 5), (2, 6), (3, 5), (1, 1), (1, 7), (4, 1), (2, 0), (0, 3), (2, 5)):
        arrays = sample(batch, length)
        for found, wanted in zip(program(*arrays), run_reference(made, arrays), strict=True):
            assert found.dtype == wanted.dtype
            np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize(
    ("first", "nodes", "shape_of"),
    [
        ("Relu", (node("Shape", "x", "y"),), "x"),  # of an input
        ("Det", (node("Shape", "r", "y"),), None),  # no kernel computes it
        ("Relu", (node("Concat", "r r", "c", axis=1), node("Shape", "c", "y")), "c"),  # 2*s
    ],
)
def test_other_sizes_stay(first: str, nodes: Any, shape_of: str | None) -> None:
    made = sized(*nodes, result="y", first=first)
    text = imported(made)
    assert text.count('"Shape"(') == 1
    assert shape_of is None or f'"Shape"(%{shape_of})' in text
    assert '"Gather"' not in text


def convolved() -> onnx.ModelProto:
    """A convolution that halves its image, and the shape of what a kernel makes of it."""
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["c"], strides=[2, 2], kernel_shape=[1, 1]),
        helper.make_node("Erf", ["c"], ["r"]),
        *(
            node("Shape", "r", "s"),
            node("Gather", "s last", "n"),
            node("Range", "zero n step", "y"),
        ),
    ]
    weights = {"w": np.ones((4, 3, 1, 1), np.float32), "last": np.array(3)}
    inputs, outputs = (
        [value("x", ("b", 3, "h", "w"))],
        [value("r", None), value("y", None, np.int64)],
    )
    return model(nodes, inputs, outputs, WEIGHTS | weights)


def test_sizes_of_a_node_before_all_kernels(tmp_path: Path) -> None:
    made = convolved()
    assert '"Shape"(%c)' in imported(made)
    save(made, tmp_path / "m.onnx")
    program = snippets_mlir.compile(tmp_path / "m.onnx", num_threads=1, mark_skipped="none")
    for shape in ((2, 3, 8, 10), (1, 3, 8, 9), (1, 3, 1, 1), (2, 3, 5, 2), (2, 3, 8, 10)):
        x = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
        for found, wanted in zip(program(x), run_reference(made, [x]), strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)


def test_no_session_lies_between_kernels_for_a_size(tmp_path: Path) -> None:
    nodes = [
        *MOVED["a range"],
        node("Cast", "y", "f", to=1),
        node("Unsqueeze", "f ones", "g"),
        node("Einsum", "g g", "e", equation="ij,kj->ik"),
        node("ReduceMax", "e", "m"),
        node("Mul", "r m", "z"),
    ]
    made = sized(*nodes, result="y")
    made.graph.output.append(value("z", None))
    save(made, tmp_path / "m.onnx")
    program = snippets_mlir.compile(tmp_path / "m.onnx", num_threads=1, mark_skipped="none")
    arrays = sample(2, 5)
    for found, wanted in zip(program(*arrays), run_reference(made, arrays), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-6)
    values = {o["name"]: o["value"] for o in program.manifest["outputs"]}
    sessions = [step for step in program.manifest["steps"] if step["kind"] == "execute"]
    assert sessions
    assert not any(values["r"] in step["inputs"] for step in sessions)
