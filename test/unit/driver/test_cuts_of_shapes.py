"""Nodes that compute a shape which the import knows neither cut a session nor keep ops in one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from cut_plans import planned_cuts
from onnx import helper
from onnx_models import model, save, value

import snippets_mlir
from snippets_mlir.driver.dynamic.templates import Shapes

TARGET = "x86-64-avx512"
HEADS, SIZE = 4, 16
WIDTH = HEADS * SIZE


def heads_joined(*, shape_of: str) -> onnx.ModelProto:
    """Heads that are moved beside each other, and a product: an exporter's end of an attention.

    The sizes of the rows are those of `shape_of`, or those that Reshape keeps if it is empty.
    """
    rng = np.random.default_rng(1)
    weights = {
        "w": rng.standard_normal((WIDTH, WIDTH)).astype(np.float32) / 8,
        "width": np.array([WIDTH]),
        "rows": np.array([0, 2 if shape_of == "e" else 1]),
        "kept": np.array([0, 0, WIDTH]),
    }
    nodes = [
        helper.make_node("Softmax", ["x"], ["e"]),
        helper.make_node("Transpose", ["e"], ["t"], perm=[0, 2, 1, 3]),
    ]
    if shape_of:
        nodes += [
            helper.make_node("Shape", [shape_of], ["sizes"]),
            helper.make_node("Gather", ["sizes", "rows"], ["some"]),
            helper.make_node("Concat", ["some", "width"], ["shape"], axis=0),
        ]
    nodes += [
        helper.make_node("Reshape", ["t", "shape" if shape_of else "kept"], ["r"]),
        helper.make_node("MatMul", ["r", "w"], ["m"]),
        helper.make_node("Erf", ["m"], ["y"]),
    ]
    return model(
        nodes, [value("x", ("b", HEADS, "s", SIZE))], [value("y", ("b", "s", WIDTH))], weights
    )


def sample(batch: int, length: int) -> dict[str, Any]:
    shape = (batch, HEADS, length, SIZE)
    return {"x": np.random.default_rng(length).standard_normal(shape).astype(np.float32)}


def test_a_transpose_whose_shape_is_read_is_in_a_kernel(tmp_path: Path) -> None:
    onnxruntime = pytest.importorskip("onnxruntime")
    path = tmp_path / "model.onnx"
    save(heads_joined(shape_of="t"), path)
    program = snippets_mlir.compile(str(path), num_threads=2)
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    for batch, length in ((8, 128), (1, 1), (3, 7)):
        feed = sample(batch, length)
        (expected,) = session.run(None, feed)
        np.testing.assert_allclose(program.run(feed)["y"], expected, 1e-5, 1e-6)
    assert program.kernels
    assert "execute" not in {step["kind"] for step in program.manifest["steps"]}


@pytest.mark.parametrize("shape_of", ["t", "e"])
def test_the_cut_has_no_session_for_a_known_shape(shape_of: str) -> None:
    shapes: Shapes = ((8, HEADS, 128, SIZE),)
    by_shape, plain = (
        planned_cuts(heads_joined(shape_of=name), shapes, TARGET, 2)[1] for name in (shape_of, "")
    )
    assert plain.kernels
    assert by_shape.kernels == plain.kernels
    assert [c.cut for c in by_shape.candidates] == [c.cut for c in plain.candidates]
