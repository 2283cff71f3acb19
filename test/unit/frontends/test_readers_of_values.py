"""What reads a value of an ONNX graph through nodes that only move elements."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import helper
from onnx_models import model, value

from snippets_mlir.frontends.onnx.readers import Readers

NODES = [
    helper.make_node("Transpose", ["x"], ["a"], perm=[1, 0]),
    helper.make_node("Reshape", ["a", "shape"], ["b"]),
    helper.make_node("LpNormalization", ["b"], ["c"]),
    helper.make_node("Transpose", ["c"], ["d"], perm=[1, 0]),
    helper.make_node("Relu", ["d"], ["e"]),
    helper.make_node("Transpose", ["c"], ["f"], perm=[1, 0]),
]


@pytest.mark.parametrize(
    ("name", "by_kernels", "by_nodes_alone"),
    [
        ("x", False, True),  # through two nodes that move elements
        ("b", False, True),
        ("c", True, False),  # a kernel and the caller
        ("d", True, False),
        ("e", False, False),  # nobody
        ("f", False, False),  # the caller
        ("none", False, False),
    ],
)
def test_nodes_that_move_elements_are_looked_through(
    name: str, by_kernels: bool, by_nodes_alone: bool
) -> None:
    outputs = [value("f", [4, 4])]
    made = model(NODES, [value("x", [4, 4])], outputs, {"shape": np.array([4, 4])})
    readers = Readers(made.graph)
    assert readers.wanted_by_kernels(name) == by_kernels
    assert readers.wanted_by_nodes_alone(name) == by_nodes_alone


def test_a_node_that_is_kept_is_no_kernel_s() -> None:
    made = model(NODES, [value("x", [4, 4])], [value("f", [4, 4])], {"shape": np.array([4, 4])})
    assert Readers(made.graph, [4]).wanted_by_nodes_alone("d")
    assert Readers(made.graph, [0]).wanted_by_nodes_alone("x")
