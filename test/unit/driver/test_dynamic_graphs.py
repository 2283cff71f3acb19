"""Graphs with dynamic sizes: compiled for each mask as functions are, planned at each call."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from random_sizes import calls_of
from sampled import sampled
from sized_ops import generate

import snippets_mlir
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.parsing import parse_module
from snippets_mlir.support.printing import print_module

GRAPH = """program.graph @main "{stage}" (%x "x": tensor<?x8xf32>, %b "b": tensor<8xf32>) {{
  %w = program.data "w" dense<2.0> : tensor<8xf32>
  %0 = program.node "add" (%u = %x, %v = %b) {how}
      : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32> {{
    %9 = snippets.add %u, %v : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
    program.yield %9 : tensor<?x8xf32>
  }}
  %f = program.view "flat" (%0) : tensor<?x8xf32> -> tensor<?xf32>
  %1 = program.node "act" (%u = %f) {how} : (tensor<?xf32>) -> tensor<?xf32> {{
    %9 = snippets.tanh %u : tensor<?xf32>
    program.yield %9 : tensor<?xf32>
  }}
  %g = program.view "rows" (%1) : tensor<?xf32> -> tensor<?x8xf32>
  %2 = program.node "scale" (%u = %g, %v = %w) {how}
      : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32> {{
    %8 = snippets.multiply %u, %v : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
    program.yield %8 : tensor<?x8xf32>
  }}
  %h = program.view "more" (%2) dims [0, -1, 1] : tensor<?x8xf32> -> tensor<?x1x8xf32>
  program.output %h as "y", %0 as "s" : tensor<?x1x8xf32>, tensor<?x8xf32>
}}"""


def check(program: Any, rows: int) -> None:
    x = np.random.default_rng(rows).standard_normal((rows, 8)).astype(np.float32)
    x.reshape(-1)[:4] = [-0.0, np.nan, np.inf, -np.inf][: x.size]
    b = np.linspace(-1, 1, 8, dtype=np.float32)
    found = program.run({"x": x, "b": b})
    np.testing.assert_array_equal(found["s"], x + b)
    np.testing.assert_allclose(found["y"], 2 * np.tanh(x + b)[:, None, :], 1e-5)


def test_shapes_a_b_a_are_compiled_once() -> None:
    program = snippets_mlir.compile(GRAPH.format(stage="topology", how=""))
    for rows in (3, 5, 3, 17, 64):
        check(program, rows)
    assert program.compiled_times == 1
    assert program.per_shape is None
    for rows in (1, 0, 5):
        check(program, rows)
    assert program.compiled_times == 3
    assert [s["node"] for s in program.manifest["steps"] if s["kind"] == "kernel"] == [
        "add",
        "act",
        "scale",
    ]


@pytest.mark.parametrize("kind", ["onnxruntime", "reference"])
def test_implementations_are_kept(kind: str) -> None:
    """What kernels do not hold is prepared for the shapes of a call."""
    program = snippets_mlir.compile(GRAPH.format(stage="selected", how=f'impl<"{kind}">'))
    for rows in (3, 5, 3, 1, 0):
        check(program, rows)
    assert program.per_shape == "onnxruntime's ops are prepared for the shapes of a call"
    assert {step["kind"] for step in program.manifest["steps"]} == {"execute", "view"}


def test_a_plan_is_made_again_for_each_shape() -> None:
    """The memory of a dynamic graph is `own`; a schedule is for its plan."""
    ctx = make_context()
    module = parse_module(GRAPH.format(stage="selected", how='impl<"reference">'), ctx)
    passes = "program-memory-dependencies{queue=out-of-order},program-plan-memory"
    run_passes(module, ctx, parse_pipeline(f"{passes},program-schedule{{queues=2}}", ctx))
    text = print_module(module)
    assert "mem<own, 0>" in text
    program = snippets_mlir.compile(text)
    for rows in (0, 5, 3, 5):
        check(program, rows)
    assert program.built().program.storage.arena == 192  # "act": 5 * 8 * 4 bytes, aligned


def test_a_network_has_one_arena_for_all_shapes() -> None:
    with snippets_mlir.compile_program(GRAPH.format(stage="topology", how="")) as program:
        network = program.network()
        sizes: list[int] = []
        for rows in (3, 4000, 3, 5):
            x = np.ones((rows, 8), np.float32)
            network.set_input("x", x)
            network.set_input("b", x[0])
            network.execute()
            wanted = np.full((rows, 1, 8), 2 * np.tanh(2))
            np.testing.assert_allclose(network.output("y"), wanted, 1e-6)
            sizes.append(network.arena)
        assert sizes[0] < sizes[1] == sizes[2] == sizes[3]


def test_sizes_that_do_not_follow_are_an_error() -> None:
    text = """program.graph @main "topology" (%x "x": tensor<?xf32>) {
      %0 = program.node "n" (%u = %x) : (tensor<?xf32>) -> tensor<?xf32> {
        %1 = onnx.node "NonZero"(%u) {domain = "", version = 13 : i64} : (tensor<?xf32>) -> tensor<?xf32>
        program.yield %1 : tensor<?xf32>
      }
      program.output %0 as "y" : tensor<?xf32>
    }"""  # noqa: E501
    program = snippets_mlir.compile(text)
    with pytest.raises(CompileError, match=r"3:\d+: onnx\.node: the result's shape does not foll"):
        program(np.ones(3, np.float32))


@pytest.mark.parametrize("seed", sampled(range(12), 6))
def test_random_graphs_are_the_functions_they_come_from(seed: int) -> None:
    graph = generate(seed)
    ctx = make_context()
    module = parse_module(graph.text, ctx)
    run_passes(module, ctx, parse_pipeline("convert-host-to-program", ctx), verify_each=True)
    function = snippets_mlir.compile(graph.text)
    program = snippets_mlir.compile(print_module(module))
    for _, arrays in calls_of(graph, 3):
        given = {s.name: array for s, array in zip(function.inputs, arrays, strict=True)}
        wanted, found = function.run(given), program.run(given)
        assert wanted.keys() == found.keys()
        for name, array in wanted.items():
            np.testing.assert_array_equal(found[name], array)


ALWAYS = """program.graph @main "topology" (%x "x": tensor<?x1xi32>) {
  %0 = program.node "always" (%a = %x) : (tensor<?x1xi32>) -> tensor<?x1xi1> {
    %r = snippets.less_equal %a, %a : (tensor<?x1xi32>, tensor<?x1xi32>) -> tensor<?x1xi1>
    program.yield %r : tensor<?x1xi1>
  }
  program.output %0 as "y" : tensor<?x1xi1>
}
"""


@pytest.mark.parametrize("sizes", ["?", "3", "0"])
def test_a_node_that_is_a_constant_needs_no_kernel(sizes: str) -> None:
    """Passes find out that x <= x is true; in each call with a size of 0 it is a constant, too."""
    program = snippets_mlir.compile(ALWAYS.replace("?", sizes))
    for rows in (3, 0, 2) if sizes == "?" else (int(sizes),):
        found = program(np.zeros((rows, 1), np.int32))
        np.testing.assert_array_equal(found, np.ones((rows, 1), np.bool_))
