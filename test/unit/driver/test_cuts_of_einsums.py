"""Attentions that a model computes by Einsum: the engine moves operands element by element."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from cut_plans import planned_cuts
from onnx.helper import make_node
from onnx_models import model, save, value

import snippets_mlir

SHAPE = (1, 64, 4, 64)


def attention(*, by_einsum: bool) -> onnx.ModelProto:
    """An attention of heads beside each other, between nodes that no kernel computes."""
    nodes = [make_node("LpNormalization", ["x"], ["h"])]
    if by_einsum:
        nodes += [
            make_node("Einsum", ["h", "h"], ["s"], equation="bind,bjnd->bnij"),
            make_node("Softmax", ["s"], ["p"]),
            make_node("Einsum", ["p", "h"], ["o"], equation="bnij,bjnd->bind"),
        ]
    else:
        nodes += [
            make_node("Transpose", ["h"], ["q"], perm=[0, 2, 1, 3]),
            make_node("Transpose", ["h"], ["k"], perm=[0, 2, 3, 1]),
            make_node("MatMul", ["q", "k"], ["s"]),
            make_node("Softmax", ["s"], ["p"]),
            make_node("MatMul", ["p", "q"], ["r"]),
            make_node("Transpose", ["r"], ["o"], perm=[0, 2, 1, 3]),
        ]
    nodes.append(make_node("LpNormalization", ["o"], ["y"], p=1))
    return model(nodes, [value("x", SHAPE)], [value("y", SHAPE)], {})


@pytest.mark.parametrize("by_einsum", [True, False])
def test_a_kernel_where_einsum_takes_long(tmp_path: Path, *, by_einsum: bool) -> None:
    onnxruntime = pytest.importorskip("onnxruntime")
    made = attention(by_einsum=by_einsum)
    assert bool(planned_cuts(made, (SHAPE,), "x86-64-avx512", 1)[1].kernels) == by_einsum
    path = tmp_path / "model.onnx"
    save(made, path)
    x = np.random.default_rng(1).standard_normal(SHAPE).astype(np.float32)
    program = snippets_mlir.compile(str(path), mark_skipped="none", num_threads=2)
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    (expected,) = session.run(None, {"x": x})
    np.testing.assert_allclose(program.run({"x": x})["y"], expected, 1e-4, 1e-5)


def test_a_transpose_inside_of_an_einsum_is_not_cancelled() -> None:
    """onnxruntime moves the result to b, i, n, j there, whatever a later Transpose does."""
    shape = (1, 4, 64, 64)
    inputs = [value("x", shape), value("z", shape)]

    def engine_time(result: str, *, moved: bool) -> float:
        nodes = [
            make_node("Einsum", ["x", "z"], ["s"], equation=f"bnid,bndj->{result}"),
            make_node("Erf", ["s"], ["e" if moved else "y"]),
        ]
        if moved:
            nodes.append(make_node("Transpose", ["e"], ["y"], perm=[0, 2, 1, 3]))
        made = model(nodes, inputs, [value("y", shape)], {})
        _, cuts = planned_cuts(made, (shape, shape), "x86-64-avx512", 1)
        return sum(one.engine for one in cuts.candidates)

    assert engine_time("binj", moved=True) > engine_time("bnij", moved=False)
