"""`Compiled.opaque` of graphs of nodes: the nodes' ids, and why no kernel holds them."""

from __future__ import annotations

from pathlib import Path

import pytest

import snippets_mlir
from snippets_mlir.support.outside import PARTS
from snippets_mlir.targets.implementations import registry

NODE = """  %{id} = program.node "{id}" (%a = %{source}) : (tensor<4xf32>) -> tensor<4xf32> {{
    %v = {op} : tensor<4xf32>
    program.yield %v : tensor<4xf32>
  }}
"""
ERF = 'onnx.node "Erf"(%a) {domain = "", version = 13 : i64} : (tensor<4xf32>) ->'
GRAPH = (
    'program.graph @main "topology" (%x "x": tensor<4xf32>) {\n'
    + NODE.format(id="r", source="x", op="snippets.relu %a")
    + NODE.format(id="e0", source="r", op=ERF).replace("-> :", "->")
    + NODE.format(id="e1", source="e0", op=ERF).replace("-> :", "->")
    + '  program.output %e1 as "y" : tensor<4xf32>\n}\n'
)
NO_OP = "no op of the snippets dialect stands for it"
ERFS = [("onnx.Erf", "e0", NO_OP), ("onnx.Erf", "e1", NO_OP)]


@pytest.mark.parametrize("kind", ["", "reference", "onnxruntime"])
def test_nodes_by_id(kind: str) -> None:
    forced = [f"r:{kind}"] if kind else []
    found = snippets_mlir.compile(GRAPH, force_impl=forced).opaque
    reasons = {"reference": "reference is forced", "onnxruntime": "onnxruntime runs it"}
    own = [("snippets.relu", "r", reasons[kind])] if kind else []
    assert [tuple(op) for op in found] == own + ERFS


def test_nodes_that_a_row_of_a_plugin_takes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(registry, "_rows", [*registry.implementations()])
    monkeypatch.delitem(PARTS, "implementation 'mine'", raising=False)
    path = tmp_path / "rows.py"
    path.write_text(
        "from snippets_mlir.extend import Implementation\n"
        "IMPLEMENTATIONS = [Implementation('mine', validate=lambda node: None)]\n"
    )
    found = snippets_mlir.compile(GRAPH, plugins=[path]).opaque
    assert [tuple(op) for op in found] == [("snippets.relu", "r", "mine runs it"), *ERFS]
