"""Nodes that fit in no call in graphs of If, Loop and Scan, and in large models."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper
from onnx_models import model, value

import snippets_mlir
from snippets_mlir.frontends.onnx.engine_operators import MICROSOFT
from snippets_mlir.frontends.onnx.prepare import prepare
from snippets_mlir.support.errors import CompileError

HEAD = (
    '<ir_version: 8, opset_import: ["" : 18]> g (float[n, 3, 8, 8] x, bool c, float[3, 1, 3, 3] w, '
    "double[8] z, float[2, 1] s, float[0, 1] t) => (y) "
)
CONV = "Conv (x, w)"
GROUPED = "Conv <group = 3> (x, w)"
TEXTS = {
    "If": "<bool h = {{1}}> {{ y = If (h) "
    "<then_branch = a () => (u) {{ u = {node} }}, else_branch = b () => (v) {{ v = Relu (x) }}> }}",
    "Loop": "<int64 m = {{2}}, bool h = {{1}}> {{ y = Loop (m, h) "
    "<body = a (int64 i, bool d) => (bool e, float u) {{ e = Identity (d) u = {node} }}> }}",
    "Scan": "{{ y = Scan (s) <num_scan_inputs = 1, "
    "body = a (float[1] q) => (float u) {{ u = {node} }}> }}",
}
MAY_NOT_RUN = {
    "If": ("If (h)", "If (c)"),
    "Loop": ("int64 m = {{2}}", "int64 m = {{0}}"),
    "Scan": ("Scan (s)", "Scan (t)"),
}


def made(text: str, node: str) -> onnx.ModelProto:
    return onnx.parser.parse_model(HEAD + text.format(node=node))


@pytest.mark.parametrize("name", TEXTS)
def test_a_graph_that_runs_is_refused(name: str) -> None:
    with pytest.raises(CompileError, match=r"node Conv: 'w': expected .x3x.*, found 3x1x3x3"):
        snippets_mlir.compile(made(TEXTS[name], CONV))


@pytest.mark.parametrize("name", TEXTS)
def test_a_graph_that_fits_is_not(name: str) -> None:
    assert prepare(made(TEXTS[name], GROUPED), None, None).misfit is None


@pytest.mark.parametrize("name", TEXTS)
def test_a_graph_that_may_not_run_is_not(name: str) -> None:
    text = TEXTS[name].replace(*MAY_NOT_RUN[name])
    assert text != TEXTS[name]
    assert prepare(made(text, CONV), None, None).misfit is None


@pytest.mark.parametrize("name", TEXTS)
def test_types_that_contradict_each_other_are_for_onnxruntime(name: str) -> None:
    """It opens no such model, whether the graph runs or not."""
    text = TEXTS[name].replace(*MAY_NOT_RUN[name])
    assert prepare(made(text, "Add (x, z)"), None, None).contradicts_itself
    assert not prepare(made(text, "Relu (x)"), None, None).contradicts_itself
    with pytest.raises(CompileError, match="Add"):
        snippets_mlir.compile(made(text, "Add (x, z)"), mark_skipped="none")


def large(node: onnx.NodeProto, dtype: type[np.generic], size: int) -> onnx.ModelProto:
    """A dynamic model whose session `compile` does not open: the weights are large."""
    weights = {"w": np.ones((1024, 2048), np.float32), "b": np.ones(size, dtype)}
    nodes = [helper.make_node("MatMul", ["x", "w"], ["t"]), node]
    return model(nodes, [value("x", ["n", 1024])], ["y"], weights, domains=[MICROSOFT])


@pytest.mark.parametrize(
    ("operator", "attributes", "dtype"),
    [("BiasGelu", {}, np.float64), ("BiasGelu", {"none": 1}, np.float32), ("None", {}, np.float32)],
)
def test_operators_of_onnxruntime_in_large_models(
    operator: str, attributes: dict[str, Any], dtype: type[np.generic]
) -> None:
    """ONNX knows neither their types nor their attributes."""
    node = helper.make_node(operator, ["t", "b"], ["y"], domain=MICROSOFT, **attributes)
    with pytest.raises(CompileError, match=operator):
        snippets_mlir.compile(large(node, dtype, 2048))
