"""Each node of a model is executed, fused into another one, or optimised out, and named once."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from network_programs import nodes_of_each_state
from onnx import helper
from onnx_models import model, value

import snippets_mlir
from snippets_mlir.driver.networks.node_states import NodeState
from snippets_mlir.inspect.step_files import write_trace

EXAMPLES = Path(__file__).parents[3] / "docs" / "examples"

TEXT = nodes_of_each_state("y")


def states(nodes: tuple[NodeState, ...]) -> dict[str, str]:
    """Name -> state; each name once."""
    assert all(count == 1 for count in Counter(n.node for n in nodes).values())
    return {node.node: node.state for node in nodes}


def test_a_function_has_nodes_of_each_state() -> None:
    """Views, dead ops and what cancels out are optimised out; constants are no nodes."""
    with snippets_mlir.compile_program(TEXT, streams=1, mark_skipped="none") as program:
        network = program.network()
        assert network.node_profile() == program.node_profile() == ()
        x = np.random.default_rng(0).standard_normal((4, 6)).astype(np.float32)
        network.set_input("x", x)
        network.execute()
        expected = {
            "a": "executed",
            "b": "fused into a",
            "hard": "executed",
            "dead": "optimised out",
            "n": "optimised out",
            "nn": "optimised out",
            "r": "optimised out",
        }
        nodes = network.node_profile()
        assert states(nodes) == expected
        assert all((node.step is None) == (node.state == "optimised out") for node in nodes)
        with program.queue() as queue:
            queue.submit({"x": x})
        assert states(program.node_profile()) == expected
        assert {node.stream for node in program.node_profile()} == {0}


@pytest.mark.parametrize("large", [False, True])
def test_an_onnx_model_has_nodes_of_each_state(large: bool) -> None:
    """One session, and kernels beside sessions; twice, the second time from the cache."""
    rows = 1 << 15 if large else 4
    nodes = [
        helper.make_node("ReverseSequence", ["x", "lengths"], ["a"], name="before"),
        helper.make_node("Elu", ["a"], ["model/b"], name="soft"),
        helper.make_node("Mul", ["model/b", "a"], ["c"]),
        helper.make_node("Reshape", ["c", "shape"], ["d"], name="flat"),
        helper.make_node("Exp", ["d"], ["unused"], name="dead"),
        helper.make_node("Identity", ["d"], ["y"], name="same"),
    ]
    data = {"lengths": np.ones(64, np.int64), "shape": np.array([-1], np.int64)}
    made = model(nodes, [value("x", (rows, 64))], ["y"], data)
    for _ in range(2):
        program: Any = snippets_mlir.compile_program(made, streams=1)
        with program:
            network = program.network()
            network.set_input("x", np.ones((rows, 64), np.float32))
            network.execute()
            found = states(network.node_profile())
        if large:
            found.pop("rest", None)  # no node: threads rest
            assert found == {
                "before": "executed",
                "soft": "executed",
                "c": "fused into soft",
                "flat": "optimised out",
                "dead": "optimised out",
                "same": "optimised out",
            }
        else:
            whole = {name: "fused into onnx.model" for name in ("before", "soft", "c", "flat")}
            whole |= {name: "fused into onnx.model" for name in ("dead", "same")}
            assert found == {"onnx.model": "executed", **whole}


def test_a_graph_names_its_nodes_and_views() -> None:
    source = (EXAMPLES / "programs" / "pools.mlir").read_text(encoding="utf-8")
    with snippets_mlir.compile_program(source, streams=1) as program:
        network = program.network()
        for spec in program.inputs:
            shape = [size or 1 for size in spec.shape or ()]
            network.set_input(spec.name, np.ones(shape, spec.dtype))
        network.execute()
        found = states(network.node_profile())
    assert found["pool0"] == "executed"
    assert {found[name] for name in ("pool1", "concat", "copy")} == {"fused into pool0"}


def test_ops_without_names_are_counted() -> None:
    """Two ops of one kind, one of which nothing needs."""
    text = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = snippets.exp %x : tensor<4xf32>
      %1 = snippets.exp %0 : tensor<4xf32>
      %2 = snippets.exp %0 : tensor<4xf32>
      func.return %1 : tensor<4xf32>
    }"""
    with snippets_mlir.compile_program(text, streams=1) as program:
        network = program.network()
        network.set_input("arg0", np.ones(4, np.float32))
        network.execute()
        found = Counter((n.node, n.state) for n in network.node_profile())
    name = "snippets.exp"
    expected = [(name, "executed"), (name, f"fused into {name}"), (name, "optimised out")]
    assert found == Counter(expected)


def test_equal_layers_have_nodes_of_their_own() -> None:
    """Two calls of one kernel compute different nodes; what passes make of a node is that node."""
    layer = """
  %norm{i} = snippets.layer_norm %{x}, %g, %g {{axis = 1 : i64, epsilon = 1.0e-5 : f64}}
    : (tensor<3x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<3x8xf32>
  %hard{i} = onnx.node "Hardmax"(%norm{i}) {{domain = "", version = 13 : i64,
    node_name = "hard{i}"}} : (tensor<3x8xf32>) -> tensor<3x8xf32>"""
    text = f"""func.func @main(%x: tensor<3x8xf32> {{snippets.name = "x"}}) -> tensor<3x8xf32> {{
  %g = snippets.constant dense<1.0> : tensor<8xf32>{layer.format(i="a", x="x")}{layer.format(i="b", x="harda")}
  func.return %hardb : tensor<3x8xf32>
}}"""  # noqa: E501
    with snippets_mlir.compile_program(text, streams=1, mark_skipped="none") as program:
        assert len({kernel.name for kernel in program.compiled.kernels}) == 1  # they share it
        network = program.network()
        network.set_input("x", np.ones((3, 8), np.float32))
        network.execute()
        assert states(network.node_profile()) == dict.fromkeys(
            ("norma", "harda", "normb", "hardb"), "executed"
        )
        graph = str(network.execution_graph())
        for name in ("norma", "normb"):
            assert f'computes = ["{name}"' in graph


def test_profile_trace_and_execution_graph_have_the_same_names(tmp_path: Path) -> None:
    """Those of the model's nodes, not of their values; each node once."""
    nodes = [
        helper.make_node("Elu", ["x"], ["v0"], name="first"),
        helper.make_node("Identity", ["v0"], ["v1"], name="gone"),
        helper.make_node("ReverseSequence", ["v1", "lengths"], ["v2"], name="middle"),
        helper.make_node("Exp", ["v2"], ["v3"], name="exp"),
        helper.make_node("Mul", ["v3", "v2"], ["y"], name="last"),
    ]
    data = {"lengths": np.ones(64, np.int64)}
    made = model(nodes, [value("x", (1 << 10, 64))], ["y"], data)
    program: Any = snippets_mlir.compile_program(made, streams=1, mark_skipped="none")
    with program:
        with program.queue() as queue:
            queue.submit({"x": np.ones((1 << 10, 64), np.float32)})
        rows, profile = program.profile(), program.node_profile()
        graph = program.execution_graph()
    expected = [("first",), ("middle",), ("exp", "last")]
    assert [row.nodes for row in rows if row.nodes] == expected
    executed = {n.node: n.state for n in profile if n.node != "rest"}
    assert executed == {
        "first": "executed",
        "middle": "executed",
        "exp": "executed",
        "last": "fused into exp",
        "gone": "optimised out",
    }
    write_trace(str(tmp_path / "trace.json"), rows)
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    steps = [(e["name"], tuple(e["args"]["nodes"])) for e in events if e["args"].get("nodes")]
    assert steps == [(first, (first, *others)) for first, *others in expected]
    text = str(graph)
    assert 'attributes {snippets.optimised_out = ["gone"]}' in text
    assert [m.split('"')[1] for m in text.split("node_name = ")[1:] if "const" not in m[:9]] == [
        "first",
        "middle",
        "exp",
    ]
    assert 'computes = ["exp", "last"], kernel = "' in text
    written = onnx.load_model_from_string(graph.onnx())
    assert {p.key: p.value for p in written.metadata_props} == {
        "snippets.optimised_out": '["gone"]'
    }
