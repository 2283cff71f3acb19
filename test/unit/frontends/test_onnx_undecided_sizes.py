"""A node whose sizes fit in some calls only stays with onnxruntime alone, not the whole model."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper
from onnx_models import model, run_reference, value

import snippets_mlir
from snippets_mlir.support.errors import CompileError

RNG: Any = np.random.default_rng(3)
W, B = RNG.standard_normal((4, 5), np.float32), RNG.standard_normal(5, np.float32)
G = RNG.standard_normal(4, np.float32)
NODES = {
    "product": (
        [helper.make_node("Flatten", ["r"], ["f"]), helper.make_node("MatMul", ["f", "w"], ["p"])],
        "MatMul",
        "C9",
    ),
    "gemm": (
        [
            helper.make_node("Flatten", ["r"], ["f"]),
            helper.make_node("Gemm", ["f", "w", "b"], ["p"]),
        ],
        "Gemm",
        "C9",
    ),
    "norm": (
        [helper.make_node("LayerNormalization", ["r", "g", "g"], ["p"])],
        "LayerNormalization",
        "C8",
    ),
}
FITTING = {"product": (3, 2, 2), "gemm": (5, 4, 1), "norm": (2, 3, 4)}


def made(name: str) -> onnx.ModelProto:
    nodes = [
        helper.make_node("Relu", ["x"], ["r"]),
        *NODES[name][0],
        helper.make_node("Tanh", ["p"], ["y"]),
    ]
    inputs = [value("x", ["a", "b", "c"])]
    return model(nodes, inputs, ["y"], {"w": W, "b": B, "g": G})


@pytest.mark.parametrize("name", NODES)
def test_the_other_nodes_are_kernels(name: str):
    program = snippets_mlir.compile(made(name), mark_skipped="none")
    x = RNG.standard_normal(FITTING[name], np.float32)
    (wanted,) = run_reference(made(name), [x])
    np.testing.assert_allclose(program(x), wanted, 1e-5, 1e-5)
    assert [kernel.ops for kernel in program.kernels] == [("snippets.relu",), ("snippets.tanh",)]
    _, operator, rule = NODES[name]
    (left,) = (op for op in program.opaque if rule in op.reason)
    assert left.op == f"onnx.{operator}"
    assert left.reason.endswith("only a call knows the sizes")
    with pytest.raises(ValueError, match="onnxruntime"):
        program(RNG.standard_normal((3, 3, 3), np.float32))
    np.testing.assert_allclose(program(x), wanted, 1e-5, 1e-5)


def test_known_sizes_that_do_not_fit_are_an_error():
    with pytest.raises(CompileError):
        snippets_mlir.compile(
            model(
                [helper.make_node("MatMul", ["x", "w"], ["y"])],
                [value("x", [2, 3])],
                [value("y", [2, 5])],
                {"w": W},
            ),
            mark_skipped="none",
        )
