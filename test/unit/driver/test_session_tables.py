"""Tables of sessions: bound where they are, in all kinds of runs, and mapped from the cache."""

from __future__ import annotations

import os
from itertools import product
from mmap import mmap
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx import TensorProto, helper, numpy_helper
from sampled import sampled

import snippets_mlir
from snippets_mlir.driver.cache import stored
from snippets_mlir.driver.cache.program_cache import program_key
from snippets_mlir.driver.cache.storing import finish
from snippets_mlir.runtime.engine.opening import open_session
from snippets_mlir.runtime.engine.sessions import Session
from snippets_mlir.runtime.network import Network
from snippets_mlir.runtime.program import Program

pytestmark = pytest.mark.usefixtures("foreign_products")

Array = np.ndarray[Any, Any]
ROWS, COLUMNS = 5000, 64


def model_of(rows: str | int, dtype: type[np.generic] = np.float32) -> onnx.ModelProto:
    """Rows of a table, ops for which onnxruntime takes long, and a product."""
    rng = np.random.default_rng(0)
    table = rng.standard_normal((ROWS, COLUMNS)).astype(dtype)
    if table.dtype.kind == "f":
        table[7] = np.array([np.nan, np.inf, -np.inf, -0.0]).repeat(COLUMNS // 4)
    v = rng.standard_normal((COLUMNS, 8)).astype(np.float32)
    nodes = [
        helper.make_node("Gather", ["w", "ids"], ["g"], name="rows"),
        helper.make_node("Cast", ["g"], ["a"], name="cast", to=TensorProto.FLOAT),
        helper.make_node("Softplus", ["a"], ["b"], name="soft"),
        helper.make_node("Mul", ["a", "b"], ["c"], name="gate"),
        helper.make_node("MatMul", ["c", "v"], ["y"], name="product"),
    ]
    weights = [numpy_helper.from_array(array, name) for array, name in ((table, "w"), (v, "v"))]
    ids = helper.make_tensor_value_info("ids", TensorProto.INT64, [rows])
    outputs = [
        helper.make_tensor_value_info("y", TensorProto.FLOAT, [rows, 8]),
        helper.make_tensor_value_info("a", TensorProto.FLOAT, [rows, COLUMNS]),
    ]
    graph = helper.make_graph(nodes, "g", [ids], outputs, weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)


def ids_of(count: int) -> Array:
    found = np.random.default_rng(1).integers(-ROWS, ROWS, count)
    found[:2] = [7, -ROWS][:count]
    return found


def expected(model: onnx.ModelProto, ids: Array) -> list[Array]:
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    run: Any = session.run  # pyright: ignore
    return [np.asarray(array) for array in run(None, {"ids": ids})]


def tables_in(program: Program) -> list[Array]:
    return [
        array
        for executor in program.executors.values()
        if isinstance(executor, Session)
        for array in executor.tables.values()
    ]


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SNIPPETS_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(stored, "program_key", program_key)
    return tmp_path / "cache"


@pytest.mark.parametrize(
    ("dtype", "rows"), sampled(product([np.float32, np.float64, np.int32], ["n", 700]), 2)
)
def test_cold_and_warm_programs_give_what_onnxruntime_gives(
    cache: Path, tmp_path: Path, rows: str | int, dtype: type[np.generic]
) -> None:
    model = model_of(rows, dtype)
    path = tmp_path / "m.onnx"
    path.write_bytes(model.SerializeToString())
    counts = (700, 1, 0, 3, 700) if rows == "n" else (700, 700)
    for found_in in (None, "shared"):
        program = snippets_mlir.compile(path)
        for count in counts:
            ids = ids_of(count)
            for found, wanted in zip(program(ids), expected(model, ids), strict=True):
                np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-4)
        assert program.from_cache == found_in
        (table,) = tables_in(program.built().program)
        assert table.dtype == dtype
        assert table.shape == (ROWS, COLUMNS)
        if found_in is not None:
            base: Any = table
            while isinstance(base, np.ndarray):
                base = base.base
            assert isinstance(base.obj, mmap), "the table is mapped from the cache"
            assert not table.flags.writeable


def test_the_table_does_not_follow_the_file_of_the_model(cache: Path, tmp_path: Path) -> None:
    """A file that is cut off while a program uses it ends no process."""
    model, ids = model_of(700), ids_of(700)
    path = tmp_path / "m.onnx"
    path.write_bytes(model.SerializeToString())
    snippets_mlir.compile(path)
    program = snippets_mlir.compile(path)
    assert program.from_cache == "shared"
    os.truncate(path, 10)
    for found, wanted in zip(program(ids), expected(model, ids), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("damage", ["gone", "other"])
def test_without_its_file_of_tables_an_entry_is_compiled_anew(cache: Path, damage: str) -> None:
    model, ids = model_of(700), ids_of(700)
    wanted = snippets_mlir.compile(model)(ids)
    finish()
    (file,) = (cache / "constants").iterdir()
    if damage == "gone":
        file.unlink()
    else:
        file.write_bytes(bytes(file.stat().st_size))
    again = snippets_mlir.compile(model)
    assert again.from_cache is None
    for one, other in zip(again(ids), wanted, strict=True):
        np.testing.assert_array_equal(one, other)
    assert snippets_mlir.compile(model).from_cache == "shared"


def test_the_execution_graph_names_tables(cache: Path) -> None:
    with snippets_mlir.compile_program(model_of(700), streams=1) as program:
        graph = str(program.network().execution_graph())
    lines = [line for line in graph.splitlines() if "tables" in line]
    assert ['tables = ["w"]' in line and '"rows"' in line for line in lines] == [True]


def test_indices_outside_of_the_table_are_errors(cache: Path) -> None:
    program = snippets_mlir.compile(model_of("n"))
    with pytest.raises(ValueError, match=r"onnxruntime: .*indices element out of data bounds"):
        program(np.array([0, ROWS]))
    assert program(np.array([0, ROWS - 1]))[0].shape == (2, 8)


def test_every_way_to_run_a_session_has_its_tables(cache: Path) -> None:
    """Bound in a table of steps, bound in Python, and given by name."""
    built = snippets_mlir.compile(model_of(700)).built().program
    ids = ids_of(700)
    wanted = expected(model_of(700), ids)
    outputs = [np.zeros_like(array) for array in wanted]
    assert Network(built).run((ids,), tuple(outputs)) is not None
    for found in (outputs, built.run_in_python([ids], None)):
        for one, other in zip(found, wanted, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int8, np.bool_, np.uint64])
def test_a_session_alone_with_tables(dtype: type[np.generic]) -> None:
    """Given by name, bound, and of arrays that are not dense."""
    table = np.arange(12).reshape(4, 3).astype(dtype)
    code = helper.np_dtype_to_tensor_dtype(table.dtype)
    nodes = [helper.make_node("Gather", ["w", "ids"], ["y"])]
    given = [
        helper.make_tensor_value_info("ids", TensorProto.INT64, [None]),
        helper.make_tensor_value_info("w", code, [4, 3]),
    ]
    y = helper.make_tensor_value_info("y", code, None)
    model = helper.make_model(
        helper.make_graph(nodes, "g", given, [y]),
        opset_imports=[helper.make_opsetid("", 17)],
        ir_version=9,
    )
    strided = np.repeat(table, 2, axis=1)[:, ::2]
    session = open_session(model.SerializeToString(), tables={"w": strided})
    assert session.inputs == ("ids",)
    assert session.bytes == len(model.SerializeToString()) + table.nbytes
    ids = np.array([3, 0, -1])
    np.testing.assert_array_equal(session([ids])[0], table[ids])
    result = np.zeros((3, 3), dtype)
    assert session.run_into([ids], [result])
    np.testing.assert_array_equal(result, table[ids])
