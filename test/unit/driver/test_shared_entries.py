"""ONNX models of kernels and sessions in the cache: hits, and what these load."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper
from sampled import sampled
from shared_models import LARGE, SOURCES, as_file, given, model_of

import snippets_mlir
from snippets_mlir.codegen.stubs import objects
from snippets_mlir.driver.building import build
from snippets_mlir.driver.cache import program_entry, shared_regions, shared_weights, storing
from snippets_mlir.driver.onnx import kept_model
from snippets_mlir.driver.sources import load as sources

pytestmark = pytest.mark.usefixtures("foreign_products")


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
    storing.finish()
    assert len(list(programs.iterdir())) == 1


@pytest.mark.usefixtures("programs")
def test_what_launches_kernels_is_loaded_while_sessions_open(monkeypatch: pytest.MonkeyPatch):
    made = model_of()
    expected = snippets_mlir.compile(made)(given())
    loaded, is_loaded = list[str](), Event()
    open_optimized = shared_regions.open_optimized

    def stub_object(name: str) -> object:
        loaded.append(name)
        is_loaded.set()
        return objects.stub_object(name)

    def opened_late(*arguments: Any, **options: Any) -> Any:
        assert is_loaded.wait(20)
        return open_optimized(*arguments, **options)

    storing.finish()
    monkeypatch.setattr(program_entry, "stub_object", stub_object)
    monkeypatch.setattr(shared_regions, "open_optimized", opened_late)
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

    monkeypatch.setattr(kept_model, "places_of_weights", places_of_weights)
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


def test_the_model_is_read_once(programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """What is kept is written before the model is let go of."""
    from snippets_mlir.driver.sources import load as sources

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


def test_what_sessions_have_is_their_own(programs: Path):
    """The arrays that a session was opened on may change, and go, afterwards."""
    from snippets_mlir.runtime.engine.opening import open_session

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
