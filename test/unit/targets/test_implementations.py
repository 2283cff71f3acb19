"""The registry of implementations: rows of plugins, and what it refuses."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from xdsl.ir import Operation

import snippets_mlir
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


def chosen(monkeypatch: pytest.MonkeyPatch, cost: int | None, before: str = "snippets") -> str:
    """What runs `small` with a row of a plug-in of that cost."""
    monkeypatch.setattr(rows, "_rows", [row for row in implementations() if row.kind != "tiny"])
    register(Implementation("tiny", only_small, cost=lambda node: cost), before)
    ctx = make_context()
    module = parse_module(GRAPH.replace("tensor<4x", "tensor<65536x"), ctx)
    passes = "snippets-set-target{target=x86-64-avx2},program-select-implementations"
    run_passes(module, ctx, parse_pipeline(passes, ctx))
    graph = find_graph(module)
    assert graph is not None
    return graph.nodes[0].kind or ""


def test_a_row_with_a_cost_leaves_the_node_to_one_that_costs_less(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Costs of kernels and of plug-ins are compared; those of onnxruntime are in a session."""
    monkeypatch.setattr(rows, "_rows", list(implementations()))
    assert chosen(monkeypatch, None) == "tiny"
    assert chosen(monkeypatch, 1) == "tiny"
    assert chosen(monkeypatch, 10**9) == "snippets"
    assert chosen(monkeypatch, 1, before="onnxruntime") == "tiny"  # it costs less than a kernel
    assert chosen(monkeypatch, 10**9, before="onnxruntime") == "snippets"
    assert chosen(monkeypatch, None, before="onnxruntime") == "snippets"


def costs_after(passes: str, size: int = 1 << 20) -> dict[str, int | None]:
    """Id -> the cost of its implementation, of `GRAPH` with tensors of `size` elements."""
    ctx = make_context()
    text = GRAPH.replace("tensor<4x", f"tensor<{size}x").replace("snippets.exp", "snippets.sigmoid")
    module = parse_module(text, ctx)
    run_passes(module, ctx, parse_pipeline(passes, ctx))
    graph = find_graph(module)
    assert graph is not None
    return {node.id.data: None if node.how is None else node.how.cost for node in graph.nodes}


def test_the_cost_model_says_what_kernels_and_the_engine_take() -> None:
    """More elements and more instructions cost more; one kernel for two nodes touches less."""
    target = "snippets-set-target{target=x86-64-avx2}"
    select = "program-select-implementations"
    assert costs_after(select) == {"small": None, "other": None}
    kernels = costs_after(f"{target},{select}")
    few = costs_after(f"{target},{select}", 64)
    engine = costs_after(f'{target},{select}{{force="*:onnxruntime"}}')
    relu, sigmoid = kernels["small"], kernels["other"]
    assert relu is not None
    assert sigmoid is not None
    assert relu <= sigmoid
    assert max(cost or 0 for cost in few.values()) < 1000 < relu
    fused = costs_after(f"{target},program-fuse-primitives,{select}")["other"]
    assert sigmoid <= (fused or 0) < relu + sigmoid
    session = costs_after(
        f'{target},{select}{{force="*:onnxruntime"}},program-lower-implementations'
    )
    assert session == {"small": sum(cost or 0 for cost in engine.values())}
    assert costs_after(f'{target},{select}{{force="*:reference"}}')["small"] is None


def test_a_wrong_row_is_refused() -> None:
    with pytest.raises(ValueError, match="there is an implementation 'snippets' already"):
        register(Implementation("snippets", only_small))
    with pytest.raises(ValueError, match=r"expected one of snippets, .*, found 'nothing'"):
        register(Implementation("tiny", only_small), before="nothing")


def claims_tanh(ops: Sequence[Operation], /, *, weighed: bool) -> dict[Operation, str]:
    """Claim what is a part of something else for a row of a plug-in."""
    return {op: "tiny has it in a table" for op in ops if op.name == "snippets.tanh"}


def test_a_row_of_a_plugin_claims_ops_of_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    """What it claims is in no kernel, and the values are the same."""
    text = """func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
      %0 = onnx.node "Floor"(%x) {domain = "", version = 13 : i64}
          : (tensor<64xf32>) -> tensor<64xf32>
      %1 = snippets.exp %0 : tensor<64xf32>
      %2 = snippets.tanh %1 : tensor<64xf32>
      func.return %2 : tensor<64xf32>
    }"""
    x = np.linspace(-3, 3, 64, dtype=np.float32)
    plain = snippets_mlir.compile(text, num_threads=1)
    assert [kernel.ops for kernel in plain.kernels] == [("snippets.exp", "snippets.tanh")]
    monkeypatch.setattr(rows, "_rows", list(implementations()))
    register(Implementation("tiny", only_small, claims=claims_tanh))
    claimed = snippets_mlir.compile(text, num_threads=1)
    assert [kernel.ops for kernel in claimed.kernels] == [("snippets.exp",)]
    assert "program-select-implementations" in claimed.passes
    np.testing.assert_allclose(claimed(x), plain(x), rtol=1e-6)
