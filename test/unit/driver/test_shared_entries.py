"""ONNX models of kernels and sessions in the cache: hits, what they depend on, damaged entries."""

from __future__ import annotations

import copy
import os
import subprocess
import sys
from collections.abc import Callable
from itertools import product
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper
from sampled import sampled
from shared_models import given, model_of

import snippets_mlir
from snippets_mlir.codegen.stubs import objects
from snippets_mlir.driver import build, sources
from snippets_mlir.driver.cache import program_cache, program_entry, shared_entry, shared_weights
from snippets_mlir.driver.onnx import programs as onnx_programs

pytestmark = pytest.mark.usefixtures("foreign_products")

LARGE = 6000
"""Columns with which a file is told by its identity."""


def as_file(made: onnx.ModelProto, folder: Path) -> Path:
    path = folder / "m.onnx"
    path.write_bytes(made.SerializeToString())
    return path


def beside_data(made: onnx.ModelProto, folder: Path) -> Path:
    path = folder / "m.onnx"
    (folder / "m.data").unlink(missing_ok=True)
    apart = copy.deepcopy(made)
    save: Any = vars(onnx)["save"]  # its type is not known in full
    save(apart, str(path), save_as_external_data=True, location="m.data")
    return path


SOURCES: dict[str, Callable[[onnx.ModelProto, Path], object]] = {
    "proto": lambda made, _: made,
    "bytes": lambda made, _: made.SerializeToString(),
    "file": as_file,
    "data": beside_data,
}


@pytest.mark.usefixtures("programs")
def test_a_first_call_that_does_not_fit_the_symbols():
    """It runs as one session, but the program for the others is made, and kept."""
    made = model_of(columns=600)
    nodes, graph = made.graph.node, made.graph
    nodes.insert(2, helper.make_node("Add", ["b", "s"], ["d"], name="shift"))
    nodes[3].input[1] = "d"
    graph.input.append(helper.make_tensor_value_info("s", TensorProto.FLOAT, ["k", 600]))
    one = np.ones((1, 600), np.float32)
    first = snippets_mlir.compile(made)
    expected = first(given(), one)
    again = snippets_mlir.compile(made)
    assert (first.from_cache, again.from_cache) == (None, "shared")
    np.testing.assert_array_equal(again(given(), one), expected)
    many = np.ones((512, 600), np.float32)
    for program in (first, again):
        np.testing.assert_allclose(program(given(), many), expected, rtol=1e-4, atol=1e-3)
    assert (first.compiled_times, again.compiled_times) == (1, 0)


@pytest.mark.parametrize(
    ("kind", "rows", "columns"),
    sampled([(s, *n) for s in SOURCES for n in (("n", 600), ("n", LARGE), (512, 600))], 3),
)
def test_the_second_time_computes_the_same_bits(
    programs: Path, tmp_path: Path, kind: str, rows: str | int, columns: int
):
    source = SOURCES[kind](model_of(rows, columns), tmp_path)
    first = snippets_mlir.compile(source)
    expected = first(given())
    again = snippets_mlir.compile(source)
    assert (first.from_cache, again.from_cache) == (None, "shared")
    np.testing.assert_array_equal(again(given()), expected, strict=True)
    assert [step["kind"] for step in again.manifest["steps"]] == ["execute", "kernel", "execute"]
    assert [step.get("ops") for step in again.manifest["steps"]] == [["first"], None, ["second"]]
    for attribute in ("inputs", "outputs", "kernels", "opaque", "manifest", "passes", "cuts"):
        shown = [str(getattr(program, attribute)) for program in (first, again)]
        assert shown[0] == shown[1], attribute
    assert (first.compiled_times, again.compiled_times) == (1, 0)
    assert again.num_threads == first.num_threads
    for size in (1, 3, 700, 0) if rows == "n" else ():
        np.testing.assert_array_equal(again(given(size)), first(given(size)), strict=True)
    with pytest.raises(ValueError, match=r"input 'x': expected rank 2|expected shape \(512, 64\)"):
        again(np.zeros(64, np.float32))
    assert len(list(programs.iterdir())) == 1


@pytest.mark.usefixtures("programs")
def test_what_launches_kernels_is_loaded_while_sessions_open(monkeypatch: pytest.MonkeyPatch):
    made = model_of()
    expected = snippets_mlir.compile(made)(given())
    loaded, is_loaded = list[str](), Event()
    open_session = shared_entry.open_session

    def stub_object(name: str) -> object:
        loaded.append(name)
        is_loaded.set()
        return objects.stub_object(name)

    def opened_late(*arguments: Any, **options: Any) -> Any:
        assert is_loaded.wait(20)
        return open_session(*arguments, **options)

    monkeypatch.setattr(program_entry, "stub_object", stub_object)
    monkeypatch.setattr(shared_entry, "open_session", opened_late)
    again = snippets_mlir.compile(made)
    assert (again.from_cache, loaded) == ("shared", ["launch"])
    np.testing.assert_array_equal(again(given()), expected)


@pytest.mark.usefixtures("programs")
def test_weights_are_looked_for_while_llvm_compiles_kernels(monkeypatch: pytest.MonkeyPatch):
    done: list[str] = []
    tidy = build.COMPILING.tidy

    def places_of_weights(*arguments: Any) -> Any:
        done.append("weights")
        return shared_weights.places_of_weights(*arguments)

    def waits() -> None:
        done.append("waits for LLVM")
        tidy()

    monkeypatch.setattr(onnx_programs, "places_of_weights", places_of_weights)
    monkeypatch.setattr(build.COMPILING, "tidy", waits)
    snippets_mlir.compile(made := model_of())(given())
    assert done == ["weights", "waits for LLVM"]
    assert snippets_mlir.compile(made).from_cache == "shared"


def test_the_source_of_a_program_from_the_cache_is_read_once(
    programs: Path, monkeypatch: pytest.MonkeyPatch
):
    made = model_of()
    snippets_mlir.compile(made)(given())
    again = snippets_mlir.compile(made)
    assert again.from_cache == "shared"
    read: list[object] = []

    def load_source(source: object, *arguments: Any) -> sources.Source:
        read.append(source)
        return load(source, *arguments)

    load = sources.load_source
    monkeypatch.setattr(sources, "load_source", load_source)
    again(given())
    assert not read
    for _ in range(2):
        assert "onnx.node" in again.ir("graph")
    assert len(read) == 1


@pytest.mark.parametrize("rows", ["n", 512])
def test_ir_is_made_again(programs: Path, rows: str | int):
    made = model_of(rows)
    first = snippets_mlir.compile(made)
    first(given())
    again = snippets_mlir.compile(made)
    again(given())
    assert again.from_cache == "shared"
    for stage in ("graph", "llvm-ir"):
        assert again.ir(stage) == first.ir(stage), stage
        assert again.kernels[0].ir(stage) == first.kernels[0].ir(stage), stage


def test_a_hit_loads_no_compiler(programs: Path, tmp_path: Path):
    """Of a model in one file, and of one with its data in another."""
    paths: list[object] = []
    for kind in ("file", "data"):
        (folder := tmp_path / kind).mkdir()
        paths.append(str(SOURCES[kind](model_of(), folder)))
    for path in paths:
        m = snippets_mlir.compile(path)
        m(np.ones((512, 64), np.float32))
        assert m.from_cache is None
    code = (
        "import sys, numpy as np, snippets_mlir\n"
        f"for path in {paths}:\n"
        "    m = snippets_mlir.compile(path)\n"
        "    m(np.ones((512, 64), np.float32)); m(np.ones((300, 64), np.float32))\n"
        "    print(m.from_cache, len(m.kernels), *({'xdsl', 'onnx'} & set(sys.modules)))"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.splitlines() == ["shared 1", "shared 1"]


@pytest.mark.parametrize(("kind", "columns"), sampled(product(["file", "data"], [600, LARGE]), 2))
def test_other_weights_are_another_program(programs: Path, tmp_path: Path, kind: str, columns: int):
    path = SOURCES[kind](model_of(columns=columns), tmp_path)
    before = snippets_mlir.compile(path)(given())
    assert snippets_mlir.compile(path).from_cache == "shared"
    SOURCES[kind](model_of(columns=columns, scale=0.5), tmp_path)
    changed = snippets_mlir.compile(path)
    assert changed.from_cache is None
    found = changed(given())
    assert not np.array_equal(found, before)
    again = snippets_mlir.compile(path)
    assert again.from_cache == "shared"
    np.testing.assert_array_equal(again(given()), found)


def test_other_data_beside_a_model_that_stays(programs: Path, tmp_path: Path):
    """The model is the same file; only what is beside it changes."""
    path = beside_data(model_of(), tmp_path)
    before = snippets_mlir.compile(path)(given())
    data = tmp_path / "m.data"
    numbers = np.frombuffer(data.read_bytes(), np.float32) / 2
    data.write_bytes(numbers.tobytes())
    os.utime(data, ns=(1, 1))
    changed = snippets_mlir.compile(path)
    assert changed.from_cache is None
    assert not np.array_equal(changed(given()), before)
    data.unlink()
    with pytest.raises(snippets_mlir.CompileError, match=r"m\.data|external"):
        snippets_mlir.compile(path)


@pytest.mark.parametrize("kind", ["file", "data"])
def test_weights_are_written_in_place_and_get_the_old_time(
    programs: Path, tmp_path: Path, kind: str
):
    """The path, the size, the time and the inode of the file stay."""
    path = SOURCES[kind](model_of(columns=LARGE), tmp_path)
    before = snippets_mlir.compile(path)(given())
    assert snippets_mlir.compile(path).from_cache == "shared"
    data = tmp_path / ("m.onnx" if kind == "file" else "m.data")
    status = data.stat()
    with data.open("r+b") as file:
        file.seek(status.st_size // 2 // 4 * 4)
        file.write(np.zeros(1024, np.float32).tobytes())
    os.utime(data, ns=(status.st_atime_ns, status.st_mtime_ns))
    changed = snippets_mlir.compile(path)
    assert changed.from_cache is None
    assert not np.array_equal(changed(given()), before)


def test_one_session_with_other_data_beside_it(programs: Path, tmp_path: Path):
    path = beside_data(model_of(2), tmp_path)
    before = snippets_mlir.compile(path)
    assert (before.from_cache, before.kernels) == (None, ())
    again = snippets_mlir.compile(path)
    assert again.from_cache == "session"
    assert again.cuts == before.cuts != ()
    np.testing.assert_array_equal(again(given(2)), before(given(2)))
    os.utime(tmp_path / "m.data", ns=(1, 1))
    assert snippets_mlir.compile(path).from_cache is None


def test_a_pipeline_of_the_caller_with_data_beside_the_model(programs: Path, tmp_path: Path):
    """Its entry would not name the other file, so there is none."""
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [4, 512])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [4, 512])
    weight = onnx.numpy_helper.from_array(np.ones((4, 512), np.float32), "w")
    graph = helper.make_graph([helper.make_node("Add", ["x", "w"], ["y"])], "g", [x], [y], [weight])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    path = beside_data(made, tmp_path)
    for _ in range(2):
        m = snippets_mlir.compile(path, fallback="error")
        assert m.from_cache is None
        np.testing.assert_array_equal(m(np.ones((4, 512), np.float32)), 2)


def test_the_model_is_read_once(programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """What is kept is written before the model is let go of."""
    from snippets_mlir.driver import sources

    read: list[object] = []
    prepared = sources.prepared_model

    def counted(model: object, *others: Any) -> Any:
        read.append(model)
        return prepared(model, *others)

    monkeypatch.setattr(sources, "prepared_model", counted)
    for rows in ("n", 512, 2):
        m = snippets_mlir.compile(as_file(model_of(rows), tmp_path))
        m(given(512 if rows == "n" else int(rows)))
    assert len(read) == 3


def test_other_versions_are_other_programs(programs: Path, monkeypatch: pytest.MonkeyPatch):
    made = model_of()
    snippets_mlir.compile(made)(given())
    assert snippets_mlir.compile(made).from_cache == "shared"
    compilers = program_cache._compilers()  # pyright: ignore[reportPrivateUsage]
    assert {"onnx", "onnxruntime"} <= {*compilers}
    monkeypatch.setattr(program_cache, "_versions", lambda: ("other",))
    assert snippets_mlir.compile(made).from_cache is None


def test_threads_and_options_are_part_of_the_name(programs: Path):
    made = model_of()
    snippets_mlir.compile(made, num_threads=1)(given())
    assert snippets_mlir.compile(made, num_threads=1).from_cache == "shared"
    assert snippets_mlir.compile(made, num_threads=2).from_cache is None
    assert snippets_mlir.compile(made, num_threads=1, math="fast").from_cache is None


def test_what_sessions_have_is_their_own(programs: Path):
    """The arrays that a session was opened on may change, and go, afterwards."""
    from snippets_mlir.runtime.opening import open_session

    tensor = helper.make_tensor("t", TensorProto.FLOAT, [300, 64], bytes(4 * 300 * 64), raw=True)
    tensor.data_location = TensorProto.EXTERNAL
    tensor.ClearField("raw_data")
    for key, value in {"location": "no", "offset": "0", "length": str(4 * 300 * 64)}.items():
        tensor.external_data.add(key=key, value=value)
    nodes = [helper.make_node("Gather", ["t", "i"], ["y"])]
    i = helper.make_tensor_value_info("i", TensorProto.INT64, [2])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, 64])
    graph = helper.make_graph(nodes, "g", [i], [y], [tensor])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    data = np.ones((300, 64), np.float32)
    session = open_session(made.SerializeToString(), data={"t": data})
    data[:] = 7
    (found,) = session([np.array([0, 299])])
    np.testing.assert_array_equal(found, np.ones((2, 64), np.float32))
