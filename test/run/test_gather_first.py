"""Rows of tables that a model stores as 16-bit floats are gathered before they are converted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
import pytest
from ml_dtypes import bfloat16
from numpy.typing import NDArray
from onnx import TensorProto, helper
from onnx_models import model, value

import snippets_mlir

Array = NDArray[Any]


def embedding(
    table: Array, ids: Sequence[int | str], *, axis: int = 0, tied: bool = False
) -> onnx.ModelProto:
    """`relu` of what a table, stored as it is, has at places; also the table's sum if `tied`."""
    nodes = [
        helper.make_node("Cast", ["table"], ["wide"], to=TensorProto.FLOAT),
        helper.make_node("Gather", ["wide", "ids"], ["rows"], axis=axis),
        helper.make_node("Relu", ["rows"], ["y"]),
    ]
    rows = [*table.shape]
    rows[axis : axis + 1] = ids
    results = [value("y", rows)]
    if tied:
        nodes.append(helper.make_node("ReduceSum", ["wide"], ["sum"], keepdims=0))
        results.append(value("sum", []))
    return model(nodes, [value("ids", ids, np.int64)], results, {"table": table})


def steps(program: snippets_mlir.Compiled) -> list[str]:
    """The Cast and Gather that run, in their order."""
    ops = [str(name) for step in program.manifest["steps"] for name in step.get("ops", ())]
    return [op for op in ops if op in ("Cast", "Gather", "snippets.gather")]


@pytest.mark.parametrize("dtype", [np.float16, bfloat16], ids=["f16", "bf16"])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_rows_are_gathered_before_they_are_converted(dtype: Any, axis: int):
    rng = np.random.default_rng(axis % 3)
    table = rng.standard_normal((400, 120)).astype(dtype)
    table[0, :6] = [np.nan, np.inf, -np.inf, -0.0, 0.0, 6e-8]
    program = snippets_mlir.compile(embedding(table, [2, 3], axis=axis % 2), mark_skipped="none")
    assert steps(program) == ["Gather", "Cast"]
    size = table.shape[axis]
    for ids in (np.array([[0, -1, 5], [size - 1, -size, 0]]), rng.integers(-size, size, (2, 3))):
        wanted = np.maximum(np.take(table.astype(np.float32), ids, axis), np.float32(0))
        np.testing.assert_array_equal(program(ids), wanted)


def test_any_number_of_places_and_places_outside():
    table = np.random.default_rng(3).standard_normal((400, 120)).astype(np.float16)
    program = snippets_mlir.compile(embedding(table, ["n"]), mark_skipped="none")
    for count in (1, 0, 7, 1000):
        ids = np.random.default_rng(count).integers(-400, 400, count)
        wanted = np.maximum(table[ids].astype(np.float32), np.float32(0))
        np.testing.assert_array_equal(program(ids), wanted)
    with pytest.raises(ValueError, match="out of data bounds"):
        program(np.array([400]))


def test_what_else_reads_the_table_gets_all_of_it():
    table = np.random.default_rng(4).standard_normal((400, 120)).astype(np.float16)
    program = snippets_mlir.compile(embedding(table, [3], tied=True), mark_skipped="none")
    rows, total = program(np.array([5, -1, 0]))
    np.testing.assert_array_equal(rows, np.maximum(table[[5, -1, 0]].astype(np.float32), 0))
    np.testing.assert_allclose(total, table.astype(np.float64).sum(), 1e-4)


def test_a_result_with_more_elements_than_the_table_reads_it_converted():
    table = np.random.default_rng(5).standard_normal((400, 120)).astype(np.float16)
    program = snippets_mlir.compile(embedding(table, [500]), mark_skipped="none")
    assert steps(program) == ["Cast", "Gather"]
    ids = np.arange(500) % 400
    np.testing.assert_array_equal(program(ids), np.maximum(table[ids].astype(np.float32), 0))
