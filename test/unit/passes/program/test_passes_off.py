"""A program with and without each pass on the graph: the same results, other nodes that run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import snippets_mlir

GRAPH = """program.graph @main "topology" (%x "x": tensor<2x64xf32>) {
  %w = program.data "w" dense<2.0> : tensor<2x64xf32>
  %c = program.node "constant" (%a = %w) : (tensor<2x64xf32>) -> tensor<2x64xf32> {
    %v = snippets.multiply %a, %a : tensor<2x64xf32>
    program.yield %v : tensor<2x64xf32>
  }
  %d = program.node "dead" (%a = %x) : (tensor<2x64xf32>) -> tensor<2x64xf32> {
    %v = snippets.exp %a : tensor<2x64xf32>
    program.yield %v : tensor<2x64xf32>
  }
  %s = program.node "sum" (%a = %x, %b = %c)
      : (tensor<2x64xf32>, tensor<2x64xf32>) -> tensor<2x64xf32> {
    %v = snippets.add %a, %b : tensor<2x64xf32>
    program.yield %v : tensor<2x64xf32>
  }
  %f = program.view "flat" (%s) : tensor<2x64xf32> -> tensor<128xf32>
  %r = program.node "relu" (%a = %f) : (tensor<128xf32>) -> tensor<128xf32> {
    %v = snippets.relu %a : tensor<128xf32>
    program.yield %v : tensor<128xf32>
  }
  %p = program.node "floor" (%a = %r) : (tensor<128xf32>) -> tensor<128xf32> {
    %v = onnx.node "Floor"(%a) {domain = "", version = 13 : i64}
      : (tensor<128xf32>) -> tensor<128xf32>
    program.yield %v : tensor<128xf32>
  }
  %q = program.node "ceil" (%a = %p) : (tensor<128xf32>) -> tensor<128xf32> {
    %v = onnx.node "Ceil"(%a) {domain = "", version = 13 : i64}
      : (tensor<128xf32>) -> tensor<128xf32>
    program.yield %v : tensor<128xf32>
  }
  program.output %q as "y" : tensor<128xf32>
}"""
PLAN = "program-memory-dependencies{queue=out-of-order},program-plan-memory"
FUSES = ["without:program-prepare-fusing", "without:program-fuse-primitives"]


def executed(insertions: list[str]) -> tuple[list[str], Any]:
    """The nodes that run, and the output."""
    with snippets_mlir.compile_program(GRAPH, insert_passes=insertions) as program:
        network = program.network()
        x = np.linspace(-9, 3, 128, dtype=np.float32).reshape(2, 64)
        network.set_input("x", x)
        network.execute()
        found = network.output("y")
        states = network.node_profile()
    return [node.node for node in states if node.state == "executed"], found


@pytest.mark.parametrize(
    ("insertions", "nodes"),
    [
        ([], ["relu", "floor"]),
        (["without:program-trim-to-outputs"], ["dead", "relu", "floor"]),
        (["without:program-propagate-constants"], ["relu", "floor"]),
        (["without:program-propagate-constants", *FUSES], ["constant", "sum", "relu", "floor"]),
        (["without:program-prepare-fusing"], ["sum", "relu", "floor"]),
        (["without:program-fuse-primitives"], ["sum", "relu", "floor"]),
        (["before:program-select-implementations:program-order{by=memory}"], ["relu", "floor"]),
        (
            [
                "without:program-lower-implementations",
                "after:program-select-implementations:program-lower-implementations{merge=false}",
            ],
            ["relu", "floor", "ceil"],
        ),
        ([f"after:program-lower-implementations:{PLAN}"], ["relu", "floor"]),
        ([f"after:program-lower-implementations:{PLAN}{{pool=none}}"], ["relu", "floor"]),
        (
            [f"after:program-lower-implementations:{PLAN},program-schedule{{queues=2}}"],
            ["relu", "floor"],
        ),
    ],
)
def test_the_same_results_of_other_nodes(insertions: list[str], nodes: list[str]) -> None:
    ran, found = executed(insertions)
    assert sorted(ran) == sorted(nodes)
    x = np.linspace(-9, 3, 128, dtype=np.float32)
    np.testing.assert_array_equal(found, np.floor(np.maximum(x + 4, 0)))
