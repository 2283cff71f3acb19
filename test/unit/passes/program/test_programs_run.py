"""Programs run: built from functions and from text, fused and not, whatever implements a node."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import snippets_mlir
from snippets_mlir.dialects.program.graph import find_graph
from snippets_mlir.emit.program_manifest import build_program_manifest
from snippets_mlir.interpreter import Interpreter
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.runtime.engine.sessions import Session
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.parsing import parse_module

LAST = "snippets-to-llvm,convert-host-to-program,program-lower-implementations"

GRAPH = """program.graph @main "topology" (%x "x": tensor<3x17xf32>, %b "b": tensor<17xf32>) {{
  %w = program.data "w" dense<2.0> : tensor<17xf32>
  %0 = program.node "add" (%u = %x, %v = %b) {impl}
      : (tensor<3x17xf32>, tensor<17xf32>) -> tensor<3x17xf32> {{
    %9 = snippets.add %u, %v : (tensor<3x17xf32>, tensor<17xf32>) -> tensor<3x17xf32>
    program.yield %9 : tensor<3x17xf32>
  }}
  %1 = program.node "relu" (%u = %0) : (tensor<3x17xf32>) -> tensor<3x17xf32> {{
    %9 = snippets.relu %u : tensor<3x17xf32>
    program.yield %9 : tensor<3x17xf32>
  }}
  %2 = program.view "flat" (%1) : tensor<3x17xf32> -> tensor<51xf32>
  program.output %2 as "y", %0 as "sum", %w as "w"
      : tensor<51xf32>, tensor<3x17xf32>, tensor<17xf32>
}}"""

FUNCTION = """func.func @main(
    %x: tensor<3x17xf32> {snippets.name = "x"}, %b: tensor<17xf32> {snippets.name = "b"})
    -> (tensor<51xf32> {snippets.name = "y"}, tensor<3x17xf32> {snippets.name = "sum"}) {
  %0 = snippets.add %x, %b : (tensor<3x17xf32>, tensor<17xf32>) -> tensor<3x17xf32>
  %1 = snippets.relu %0 : tensor<3x17xf32>
  %2 = snippets.reshape %1 : (tensor<3x17xf32>) -> tensor<51xf32>
  func.return %2, %0 : tensor<51xf32>, tensor<3x17xf32>
}"""


def inputs() -> dict[str, Any]:
    """Random numbers, zeros of both signs, infinities and NaN."""
    x = np.random.default_rng(1).standard_normal((3, 17)).astype(np.float32)
    x[0, :4] = [-0.0, np.nan, np.inf, -np.inf]
    return {"x": x, "b": np.linspace(-1, 1, 17, dtype=np.float32)}


def kinds(program: Any) -> list[str]:
    """The kind of each step."""
    return [step["kind"] for step in program.manifest["steps"]]


def check(found: dict[str, Any]) -> None:
    """The outputs are those of NumPy."""
    given = inputs()
    total = given["x"] + given["b"]
    np.testing.assert_array_equal(found["sum"], total)
    np.testing.assert_array_equal(found["y"], np.maximum(total, 0).reshape(-1))


@pytest.mark.parametrize(
    ("impl", "steps"),
    [
        ("", ["kernel", "kernel", "view"]),
        ('impl<"onnxruntime"> ', ["execute", "kernel", "view"]),
        ('impl<"reference"> ', ["execute", "kernel", "view"]),
    ],
)
def test_a_graph_in_text_runs(impl: str, steps: list[str]) -> None:
    program = snippets_mlir.compile(GRAPH.format(impl=impl))
    assert kinds(program) == steps
    assert [spec.name for spec in program.inputs] == ["x", "b"]
    found = program.run(inputs())
    check(found)
    np.testing.assert_array_equal(found["w"], np.full(17, 2, np.float32))
    engines = [isinstance(e, Session) for e in program.built().program.executors.values()]
    assert engines == ([] if not impl else ["onnxruntime" in impl])


DEAD = """  %8 = program.node "dead" (%u = %x) : (tensor<3x17xf32>) -> tensor<3x17xf32> {
    %9 = snippets.exp %u : tensor<3x17xf32>
    program.yield %9 : tensor<3x17xf32>
  }
"""


@pytest.mark.parametrize(
    ("passes", "nodes"),
    [
        ("", ["add", "dead", "relu"]),
        ("program-trim-to-outputs", ["add", "relu"]),
        ("program-order", ["add", "relu", "dead"]),
        ("program-order{by=levels}", ["add", "dead", "relu"]),
    ],
)
def test_passes_keep_the_results(passes: str, nodes: list[str]) -> None:
    """A dead node goes or moves; what is computed stays."""
    relu = '  %1 = program.node "relu"'
    text = GRAPH.format(impl="").replace(relu, f"{DEAD}{relu}")
    ctx = make_context()
    module = parse_module(text, ctx)
    run_passes(module, ctx, parse_pipeline(passes, ctx), verify_each=True)
    graph = find_graph(module)
    assert graph is not None
    assert [node.id.data for node in graph.nodes] == nodes
    y, total, _ = Interpreter(module).run("main", list(inputs().values()))
    check({"y": y, "sum": total})


def test_a_function_runs_as_a_graph() -> None:
    """The graph of a lowered function has the steps of the function, with ids."""
    plain = snippets_mlir.compile(FUNCTION)
    graph = snippets_mlir.compile(FUNCTION, pipeline=f"snippets-set-target,{LAST}")
    check(plain.run(inputs()))
    check(graph.run(inputs()))
    assert kinds(plain) == kinds(graph) == ["kernel", "view"]
    assert [step["node"] for step in graph.manifest["steps"]] == ["subgraph_0", "reshape"]


def test_nothing_of_the_function_is_left() -> None:
    """What moves into the graph has no readers outside of it, so kernels can be made at once."""
    pipeline = "snippets-set-target,convert-host-to-program,program-to-llvm"
    text = FUNCTION.replace("snippets.relu %0 :", "snippets.softmax %0 {axis = 1 : i64} :")
    found = snippets_mlir.compile(text, pipeline=pipeline).run(inputs())
    np.testing.assert_array_equal(found["sum"], inputs()["x"] + inputs()["b"])


def test_a_manifest_needs_implementations() -> None:
    module = parse_module(GRAPH.format(impl=""), make_context())
    graph = find_graph(module)
    assert graph is not None
    with pytest.raises(CompileError, match='expected stage "selected" or later, found "topology"'):
        build_program_manifest(module, graph)


def test_a_kernel_of_a_planned_text_is_a_kernel() -> None:
    """NumPy never runs a node that says `snippets`: its kernel is made, or it is refused."""
    text = (
        'program.graph @main "planned" (%x "x": tensor<4xf32>) {\n'
        '  %0 = program.node "a" (%u = %x) impl<"snippets"> mem<output, 0>\n'
        "      : (tensor<4xf32>) -> tensor<4xf32> {\n"
        "    %9 = snippets.relu %u : tensor<4xf32>\n"
        "    program.yield %9 : tensor<4xf32>\n  }\n"
        '  program.output %0 as "y" : tensor<4xf32>\n}'
    )
    assert kinds(snippets_mlir.compile(text)) == ["kernel"]
    module = parse_module(text, make_context())
    graph = find_graph(module)
    assert graph is not None
    with pytest.raises(CompileError, match=r'"a": impl<"snippets"> has no kernel; lower it first'):
        build_program_manifest(module, graph)


def test_a_schedule_says_order_queues_and_waits() -> None:
    """The steps stand in the order of the launches; a view right after what makes its source."""
    node = """  %{0} = program.node "{1}" (%u = %{2}) impl<"reference"> mem<{3}>
      : (tensor<4xf32>) -> tensor<4xf32> {{
    %9 = snippets.relu %u : tensor<4xf32>
    program.yield %9 : tensor<4xf32>
  }}
"""
    text = (
        'program.graph @main "scheduled" (%x "x": tensor<4xf32>)'
        ' attributes {queue = "out-of-order", queues = 2 : i64, arena = 64 : i64} {\n'
        + node.format(0, "a", "x", "arena, 0, 16")
        + '  %1 = program.view "v" (%0) : tensor<4xf32> -> tensor<2x2xf32>\n'
        + node.format(2, "b", "x", "output, 0")
        + node.format(3, "c", "0", "output, 1")
        + """  program.schedule {
    program.launch "b" queue 0
    program.launch "a" queue 1
    %e = program.record queue 1
    program.wait %e queue 0
    program.launch "c" queue 0
  }
  program.output %2 as "y", %3 as "z", %1 as "w" : tensor<4xf32>, tensor<4xf32>, tensor<2x2xf32>
}"""
    )
    module = parse_module(text, make_context())
    graph = find_graph(module)
    assert graph is not None
    manifest = build_program_manifest(module, graph)
    assert (manifest["queue"], manifest["queues"], manifest["arena"]) == ("out-of-order", 2, 64)
    steps = manifest["steps"]
    assert [step["node"] for step in steps] == ["b", "a", "v", "c"]
    assert [step.get("queue") for step in steps] == [0, 1, None, 0]
    assert [step.get("waits") for step in steps] == [[], [], None, [1]]
    slots = {s["node"]: manifest["values"][s["outputs"][0]].get("mem") for s in steps}
    assert slots == {
        "a": ["arena", 0, 16],
        "b": ["output", 0, None],
        "c": ["output", 1, None],
        "v": None,
    }
    x = np.array([-1.0, np.nan, 2.0, -0.0], np.float32)
    found = snippets_mlir.compile(text).run({"x": x})
    for name in ("y", "z", "w"):
        np.testing.assert_array_equal(
            found[name].reshape(-1), np.array([0, np.nan, 2, 0], np.float32)
        )
