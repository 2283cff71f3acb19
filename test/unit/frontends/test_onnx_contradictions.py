"""Dynamic models whose known sizes contradict each other are refused by `compile`."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper
from onnx_models import model, value

import snippets_mlir
from snippets_mlir.support.errors import CompileError

W = np.ones((4, 5), np.float32)
N = helper.make_node
MODELS: dict[str, tuple[list[onnx.NodeProto], str, str]] = {
    "product": ([N("MatMul", ["x", "w"], ["y"], name="mm")], "MatMul 'mm'", "x3.*4x5"),
    "gemm": ([N("Gemm", ["x", "w"], ["y"], name="gg")], "Gemm 'gg'", "x3.*4x5"),
    "sum": ([N("Add", ["x", "w"], ["y"], name="ad")], "Add 'ad'", "x3.*4x5"),
    "concat": ([N("Concat", ["x", "w"], ["y"], name="cc", axis=0)], "Concat 'cc'", "x3.*4x5"),
    "after another node": (
        [N("Relu", ["x"], ["r"]), N("MatMul", ["r", "w"], ["y"], name="mm")],
        "MatMul 'mm'",
        "x3.*4x5",
    ),
}


def made(name: str, width: int, weights: Any = W) -> onnx.ModelProto:
    return model(MODELS[name][0], [value("x", ["n", width])], ["y"], {"w": weights})


@pytest.mark.parametrize("options", [{}, {"fallback": "error"}], ids=["", "error"])
@pytest.mark.parametrize("name", MODELS)
def test_compile_names_node_and_shapes(name: str, options: dict[str, Any]) -> None:
    _, label, shapes = MODELS[name]
    with pytest.raises(CompileError, match=f"{label}.*{shapes}"):
        snippets_mlir.compile(made(name, 3), **options)


@pytest.mark.parametrize("name", ["product", "sum"])
def test_large_models_are_refused_too(name: str) -> None:
    wide = np.ones((1 << 18, 5), np.float32)
    with pytest.raises(CompileError, match="262144x5"):
        snippets_mlir.compile(made(name, 3, wide))


@pytest.mark.parametrize("name", ["product", "gemm", "after another node"])
def test_sizes_that_fit_compile(name: str) -> None:
    x = np.ones((2, 4), np.float32)
    np.testing.assert_array_equal(snippets_mlir.compile(made(name, 4))(x), x @ W)


def test_sizes_that_may_fit_are_for_the_call() -> None:
    """The inner size of the product is n or 1 times 3."""
    nodes = [N("Flatten", ["x"], ["f"], axis=0), N("MatMul", ["f", "w"], ["y"], name="mm")]
    dynamic = model(nodes, [value("x", ["n", 2])], ["y"], {"w": W})
    program = snippets_mlir.compile(dynamic)
    np.testing.assert_array_equal(program(np.ones((2, 2), np.float32)), [[4] * 5])


def test_what_only_an_assumption_contradicts_is_for_the_call() -> None:
    """The model assumes that n is 3; with 1, the product fits."""
    nodes = [N("Add", ["x", "b"], ["s"]), N("MatMul", ["x", "w"], ["y"])]
    weights = {"w": np.ones((1, 5), np.float32), "b": np.ones(3, np.float32)}
    dynamic = model(nodes, [value("x", ["m", "n"])], ["s", "y"], weights)
    program = snippets_mlir.compile(dynamic)
    s, y = program(np.ones((2, 1), np.float32))
    assert (s.shape, y.shape) == ((2, 3), (2, 5))
