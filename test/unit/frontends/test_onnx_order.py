"""Models whose nodes are in no topological order."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest

import snippets_mlir
from snippets_mlir.frontends.onnx.order import is_in_order, put_in_order

HEAD = '<ir_version: 8, opset_import: ["" : 18]> g '
BACKWARD = "(float[N, 4] x) => (float[N, 4] y) { y = Add(u, x) u = Exp(t) t = Relu(x) }"
OUTER = (
    "(bool b, float[4] x) => (float[4] y) { "
    "y = If(b) <then_branch = a () => (float[4] z) { z = Exp(t) }, "
    "else_branch = e () => (float[4] w) { v = Neg(t) w = Identity(v) }> "
    "t = Relu(x) }"
)
IN_ORDER = "(float[4] x) => (float[4] y) { t = Relu(x) u = Neg(x) y = Add(t, u) }"
CYCLE = "(float[4] x) => (float[4] y) { t = Add(y, x) y = Relu(t) }"


def made(text: str) -> onnx.ModelProto:
    return onnx.parser.parse_model(HEAD + text)


@pytest.mark.parametrize("as_file", [False, True])
def test_nodes_may_follow_their_readers(as_file: bool, tmp_path: Path) -> None:
    model = made(BACKWARD)
    before = model.SerializeToString()
    (tmp_path / "m.onnx").write_bytes(before)
    compiled = snippets_mlir.compile(str(tmp_path / "m.onnx") if as_file else model)
    assert model.SerializeToString() == before
    x = np.linspace(-1, 1, 12, dtype=np.float32).reshape(3, 4)
    expected = np.exp(np.maximum(x, 0)) + x
    np.testing.assert_allclose(compiled(x), expected, rtol=1e-6)


@pytest.mark.parametrize("is_true", [False, True])
def test_graphs_in_nodes_read_later_nodes(is_true: bool) -> None:
    x = np.array([-1, 0, 1, 2], np.float32)
    t = np.maximum(x, 0)
    found = snippets_mlir.compile(made(OUTER))(np.array(is_true), x)
    np.testing.assert_allclose(found, np.exp(t) if is_true else -t, rtol=1e-6)


def test_an_order_stays_and_a_cycle_is_an_error() -> None:
    assert is_in_order(made(IN_ORDER).graph)
    cycle = made(CYCLE)
    assert not is_in_order(cycle.graph)
    put_in_order(cycle.graph)
    assert cycle == made(CYCLE)
    with pytest.raises(snippets_mlir.CompileError):
        snippets_mlir.compile(cycle)


def test_nodes_are_sorted() -> None:
    graph = made(OUTER).graph
    put_in_order(graph)
    assert [node.op_type for node in graph.node] == ["Relu", "If"]
