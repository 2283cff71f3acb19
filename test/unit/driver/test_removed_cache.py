"""The cache's directory is removed while programs run, and between compiling and loading."""

from __future__ import annotations

import shutil
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from sampled import sampled

import snippets_mlir
from snippets_mlir.driver.cache import stored
from snippets_mlir.driver.cache.program_cache import program_key


def product_model(columns: int) -> tuple[onnx.ModelProto, np.ndarray[Any, Any]]:
    """A product with constant weights, which are packed, and the weights."""
    w = np.random.default_rng(0).standard_normal((256, columns)).astype(np.float32)
    nodes = [helper.make_node("MatMul", ["x", "w"], ["a"]), helper.make_node("Relu", ["a"], ["y"])]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 256])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", columns])
    graph = helper.make_graph(nodes, "g", [x], [y], [numpy_helper.from_array(w, "w")])
    opsets = [helper.make_opsetid("", 17)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=9), w


@pytest.mark.parametrize(
    ("columns", "removed"),
    sampled(product((64, 2048), ("", "programs", "constants", "objects")), 2),
)
def test_programs_stay_right(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, columns: int, removed: str
) -> None:
    """Large weights are mapped from a file of the cache, small ones are in the entry."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("SNIPPETS_CACHE_DIR", str(folder))
    monkeypatch.setattr(stored, "program_key", program_key)
    model, w = product_model(columns)

    def check(program: Any, rows: int) -> None:
        x = np.random.default_rng(rows).standard_normal((rows, 256)).astype(np.float32)
        exact = np.maximum(x.astype(np.float64) @ w, 0)
        np.testing.assert_allclose(program(x), exact, rtol=1e-4, atol=1e-4)

    def compiled() -> Any:
        return snippets_mlir.compile(model, mark_skipped="none")

    first = compiled()
    check(first, 5)
    loaded = compiled()
    assert loaded.from_cache == "shared"
    for rows in (5, 64):
        shutil.rmtree(folder / removed, ignore_errors=True)
        for program in (first, loaded, compiled()):
            check(program, rows)
        loaded = compiled()
        check(loaded, rows + 1)
