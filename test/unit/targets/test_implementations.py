"""The registry of implementations: rows of plugins, and what it refuses."""

from __future__ import annotations

import pytest

from snippets_mlir.dialects.program.graph import find_graph
from snippets_mlir.dialects.program.node import NodeOp
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.support.parsing import parse_module
from snippets_mlir.targets.implementations import Implementation, implementations, register
from snippets_mlir.targets.implementations import registry as rows

GRAPH = """program.graph @main "topology" (%x: tensor<4xf32>) {
  %0 = program.node "small" (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %v = snippets.relu %a : tensor<4xf32>
    program.yield %v : tensor<4xf32>
  }
  %1 = program.node "other" (%a = %0) : (tensor<4xf32>) -> tensor<4xf32> {
    %v = snippets.exp %a : tensor<4xf32>
    program.yield %v : tensor<4xf32>
  }
  program.output %1 as "y" : tensor<4xf32>
}"""


def only_small(node: NodeOp) -> str | None:
    """Refuse all nodes but one."""
    return None if node.id.data == "small" else "it is not small"


def test_a_row_of_a_plugin_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "_rows", list(implementations()))
    register(Implementation("tiny", only_small, cost=lambda node: 7, scratch=lambda node: 64))
    ctx = make_context()
    module = parse_module(GRAPH, ctx)
    run_passes(module, ctx, parse_pipeline("program-select-implementations", ctx))
    graph = find_graph(module)
    assert graph is not None
    small, other = (node.how for node in graph.nodes)
    assert str(graph.nodes[0].impl) == '#program.impl<"tiny", cost = 7, scratch = 64>'
    assert small is not None
    assert other is not None
    assert (small.kind, other.kind) == ("tiny", "snippets")


def test_a_wrong_row_is_refused() -> None:
    with pytest.raises(ValueError, match="there is an implementation 'snippets' already"):
        register(Implementation("snippets", only_small))
    with pytest.raises(ValueError, match=r"expected one of snippets, .*, found 'nothing'"):
        register(Implementation("tiny", only_small), before="nothing")
