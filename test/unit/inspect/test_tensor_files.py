"""Dumped tensors: what steps write, and values of nodes that are in no step of their own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from network_programs import nodes_of_each_state
from onnx import helper
from onnx_models import model, value

import snippets_mlir
from snippets_mlir.inspect.tensor_files import LONGEST, Dumped, dump_tensors
from snippets_mlir.support.errors import CompileError

TEXT = nodes_of_each_state("result0")

GRAPH = """program.graph @main "topology" (%x "x": tensor<4xf32>) {
  %0 = program.node "a" (%v = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %1 = snippets.tanh %v : tensor<4xf32>
    program.yield %1 : tensor<4xf32>
  }
  %2 = program.node "b" (%v = %0) : (tensor<4xf32>) -> tensor<4xf32> {
    %3 = snippets.negative %v : tensor<4xf32>
    program.yield %3 : tensor<4xf32>
  }
  program.output %2 as "y" : tensor<4xf32>
}"""


def numbers(*shape: int) -> Any:
    return np.linspace(-2, 2, int(np.prod(shape)), dtype=np.float32).reshape(shape)


def states(dumped: Dumped) -> dict[str, str]:
    return {node: state for node, state, _ in dumped.apart}


def test_every_node_of_a_function(tmp_path: Path) -> None:
    """What is fused away has its value in a run where it is an output, and what was it is said."""
    compiled: Any = snippets_mlir.compile(TEXT, mark_skipped="none")
    x = numbers(4, 6)
    dumped = dump_tensors(compiled, [x], str(tmp_path), "^(a|b|n|nn|dead|hard|r)$")
    assert states(dumped) == {
        "a": "a part of the step 'a'",
        "b": "fused into a",
        "n": "optimised out",
        "nn": "optimised out",
        "dead": "optimised out",
        "r": "optimised out",
    }
    tanh = np.tanh(x)
    hard = np.eye(6, dtype=np.float32)[(tanh + x).argmax(1)]
    want = {"a": tanh, "b": tanh + x, "n": -(tanh + x), "nn": tanh + x, "dead": np.exp(x)}
    for name, array in {**want, "r": hard.reshape(-1)}.items():
        np.testing.assert_allclose(np.load(tmp_path / f"{name}_0.npy"), array, rtol=1e-6, atol=1e-6)
    steps = {path.name.partition("_")[2]: path for path in dumped.steps}
    assert sorted(steps) == ["hard_0.npy", "subgraph_0_0.npy"]
    np.testing.assert_array_equal(np.load(steps["hard_0.npy"]), hard)
    np.testing.assert_array_equal(np.load(tmp_path / "inputs.npz")["x"], x)


def test_without_a_choice_steps_alone(tmp_path: Path) -> None:
    compiled: Any = snippets_mlir.compile(TEXT, mark_skipped="none")
    dumped = dump_tensors(compiled, [numbers(4, 6)], str(tmp_path))
    assert dumped.apart == []
    assert len(dumped.steps) == 3  # the kernel, the session, the view
    assert len([*tmp_path.iterdir()]) == 4


@pytest.mark.parametrize("size", [4, "n"])
def test_nodes_of_one_session(tmp_path: Path, size: int | str) -> None:
    """An output of the model is written, too; sizes are those of the run."""
    nodes = [
        helper.make_node("ReverseSequence", ["x", "lengths"], ["a"], name="turn/1"),
        helper.make_node("Mul", ["a", "x"], ["b/c:0"], name="model/mul"),
        helper.make_node("ReverseSequence", ["b/c:0", "lengths"], ["y"], name="turn:1"),
    ]
    lengths = np.array([1, 4, 2, 3], np.int64)
    made = model(nodes, [value("x", (size, 4))], ["y"], {"lengths": lengths})
    compiled: Any = snippets_mlir.compile(made)
    x = numbers(4, 4)
    y = compiled(x)
    dumped = dump_tensors(compiled, [x], str(tmp_path), "turn|mul")
    assert states(dumped) == dict.fromkeys(
        ("turn/1", "model/mul", "turn:1"), "fused into onnx.model"
    )
    arrays = [np.load(file) for _, _, files in dumped.apart for file in files]
    np.testing.assert_array_equal(arrays[1], arrays[0] * x)
    np.testing.assert_array_equal(arrays[2], y)
    assert [path.name for _, _, (path,) in dumped.apart] == [
        "turn_1_0.npy",
        "model_mul_0.npy",
        "turn_1__0.npy",
    ]


def test_nodes_of_a_graph(tmp_path: Path) -> None:
    compiled: Any = snippets_mlir.compile(GRAPH)
    x = numbers(4)
    dumped = dump_tensors(compiled, [x], str(tmp_path), "^a$")
    assert states(dumped) == {"a": "fused into b"}
    np.testing.assert_allclose(np.load(tmp_path / "a_0.npy"), np.tanh(x), rtol=1e-6)


def test_long_names_are_cut(tmp_path: Path) -> None:
    """A session that computes many nodes is called like its first one, and no longer than files."""
    name = "n" * 300
    nodes = [
        helper.make_node("ReverseSequence", ["x", "lengths"], ["a"], name=name),
        helper.make_node("Mul", ["a", "x"], ["y"]),
    ]
    data = {"lengths": np.ones(4, np.int64)}
    made = model(nodes, [value("x", (1 << 14, 4))], ["y"], data)
    compiled: Any = snippets_mlir.compile(made, mark_skipped="none")
    dumped = dump_tensors(compiled, [numbers(1 << 14, 4)], str(tmp_path))
    assert f"000_{name[:LONGEST]}_0.npy" in {path.name for path in dumped.steps}


def test_nothing_fits(tmp_path: Path) -> None:
    compiled: Any = snippets_mlir.compile(GRAPH)
    with pytest.raises(CompileError, match="no step or node fits 'conv'; steps are"):
        dump_tensors(compiled, [numbers(4)], str(tmp_path), "conv")
    assert not [*tmp_path.iterdir()]
