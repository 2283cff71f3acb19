"""ONNX models of kernels and sessions in the cache: hits, what they depend on, damaged entries."""

from __future__ import annotations

import copy
import json
import os
import subprocess
import sys
from collections.abc import Callable
from inspect import signature
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper
from sampled import sampled

import snippets_mlir
from snippets_mlir.codegen.cache import read_entry, write_entry
from snippets_mlir.driver import Compiled, sources
from snippets_mlir.driver.cache import program_cache, stored
from snippets_mlir.driver.cache.program_cache import program_key
from snippets_mlir.driver.cache.sealed import sealed, unsealed
from snippets_mlir.driver.cache.shared_entry import MAGIC

pytestmark = pytest.mark.usefixtures("foreign_products")

Array = np.ndarray[Any, Any]
LARGE = 6000
"""Columns with which a file is told by its identity."""


def model_of(rows: str | int = "n", columns: int = 600, scale: float = 1.0) -> onnx.ModelProto:
    """Two products, and between them ops for which onnxruntime takes long."""
    rng = np.random.default_rng(0)
    data = {"w": rng.standard_normal((64, columns)), "v": rng.standard_normal((columns, 8))}
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["a"], name="first"),
        helper.make_node("Softplus", ["a"], ["b"], name="soft"),
        helper.make_node("Mul", ["a", "b"], ["c"], name="gate"),
        helper.make_node("MatMul", ["c", "v"], ["y"], name="second"),
    ]
    weights = [
        onnx.numpy_helper.from_array((scale * array).astype(np.float32), name)
        for name, array in data.items()
    ]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [rows, 64])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [rows, 8])
    graph = helper.make_graph(nodes, "g", [x], [y], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)


def given(rows: int = 512) -> Array:
    return np.random.default_rng(1).standard_normal((rows, 64)).astype(np.float32)


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of programs of a cache of the test's own."""
    monkeypatch.setenv("SNIPPETS_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(stored, "program_key", program_key)
    return tmp_path / "cache" / "programs"


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
@pytest.mark.parametrize("stage", ["graph", "llvm-ir"])
def test_ir_is_made_again(programs: Path, stage: str, rows: str | int):
    made = model_of(rows)
    first = snippets_mlir.compile(made)
    first(given())
    again = snippets_mlir.compile(made)
    again(given())
    assert again.from_cache == "shared"
    assert again.ir(stage) == first.ir(stage)
    assert again.kernels[0].ir(stage) == first.kernels[0].ir(stage)


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
    versions = program_cache._versions()  # pyright: ignore[reportPrivateUsage]
    assert {"onnx", "onnxruntime"} <= {*versions}
    monkeypatch.setattr(program_cache, "_versions", lambda: (*versions, "other"))
    assert snippets_mlir.compile(made).from_cache is None


def test_threads_and_options_are_part_of_the_name(programs: Path):
    made = model_of()
    snippets_mlir.compile(made, num_threads=1)(given())
    assert snippets_mlir.compile(made, num_threads=1).from_cache == "shared"
    assert snippets_mlir.compile(made, num_threads=2).from_cache is None
    assert snippets_mlir.compile(made, num_threads=1, math="fast").from_cache is None


class Kept(NamedTuple):
    """An entry, its header, and what its program computes."""

    raw: bytes
    header: Any
    result: Array


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Kept:
    """The entry of `model_of()`."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("kept")
        patch.setattr("snippets_mlir.analysis.products.HELD", False)
        patch.setenv("SNIPPETS_CACHE_DIR", str(folder))
        patch.setattr(stored, "program_key", program_key)
        result = snippets_mlir.compile(model_of())(given())
        (path,) = (folder / "programs").iterdir()
        raw = read_entry(path)
    assert raw is not None
    body = unsealed(MAGIC, raw)
    return Kept(raw, json.loads(body[8 : 8 + int.from_bytes(body[:8], "little")]), result)


def with_header(raw: bytes, header: object) -> bytes:
    body = unsealed(MAGIC, raw)
    text = json.dumps(header).encode()
    rest = body[8 + int.from_bytes(body[:8], "little") :]
    return sealed(MAGIC, len(text).to_bytes(8, "little") + text + rest)


def read_as(programs: Path, data: bytes) -> Compiled:
    """The model, compiled where the cache has this entry for it."""
    made = model_of()
    request = stored.filled_request(None, OPTIONS)
    key = program_key(made, request)
    assert key is not None
    write_entry(programs / key, data)
    return snippets_mlir.compile(made)


OPTIONS: dict[str, Any] = {
    name: parameter.default
    for name, parameter in signature(snippets_mlir.compile).parameters.items()
    if name not in ("source", "entry", "plugins")
}


def test_the_entry_as_it_is(programs: Path, kept: Kept):
    m = read_as(programs, with_header(kept.raw, kept.header))
    assert m.from_cache == "shared"
    np.testing.assert_array_equal(m(given()), kept.result)


def test_entries_that_are_cut_off(programs: Path, kept: Kept):
    size = len(kept.raw)
    for end in (4, 11, 40, size // 2, size - 100, size - 1):
        assert read_as(programs, kept.raw[:end]).from_cache is None
    m = read_as(programs, kept.raw[: size - 1])
    np.testing.assert_array_equal(m(given()), kept.result)
    assert snippets_mlir.compile(model_of()).from_cache == "shared"  # the entry is replaced


def test_an_entry_without_a_right_sum(programs: Path, kept: Kept):
    assert read_as(programs, kept.raw).from_cache == "shared"
    (path,) = programs.iterdir()
    path.write_bytes(path.read_bytes()[:-1] + b"?")
    assert snippets_mlir.compile(model_of()).from_cache is None


def _weight(header: Any) -> Any:
    return header["shared"]["regions"][0]["weights"][0]


CHANGES: dict[str, Callable[[Any], object]] = {
    "no regions": lambda h: h["shared"].update(regions=[]),
    "an empty region": lambda h: h["shared"]["regions"][0].update(bytes=0),
    "a region before the others": lambda h: h["shared"]["regions"][0].update(bytes=-5),
    "another region": lambda h: h["shared"]["regions"].reverse(),
    "a weight beyond the model": lambda h: _weight(h).update(offset=1 << 40),
    "a weight before the model": lambda h: _weight(h).update(offset=-8),
    "a weight of another file": lambda h: _weight(h).update(file="../other"),
    "a weight of another type": lambda h: _weight(h).update(dtype="float64"),
    "a weight of another shape": lambda h: _weight(h).update(shape=[64, 601]),
    "a weight of no type": lambda h: _weight(h).update(dtype="nothing"),
    "a weight of nobody": lambda h: _weight(h).update(name="nobody"),
    "no shared": lambda h: h.pop("shared"),
    "no template": lambda h: h["shared"].pop("template"),
    "a symbol of no input": lambda h: h["shared"]["template"]["symbols"].update(n=[7, 0]),
    "a symbol of no dim": lambda h: h["shared"]["template"]["symbols"].update(n=[0, 2]),
    "no formula": lambda h: h["shared"]["template"].update(formulas=[["n"]]),
    "no symbol": lambda h: h["shared"]["template"].update(formulas=[[[1, ["k"]]]]),
    "no operation": lambda h: h["shared"]["template"].update(formulas=[[[1, [["no", 1, 2]]]]]),
    "an equality of one": lambda h: h["shared"]["template"].update(equalities=[[1]]),
    "another interface": lambda h: h["shared"].update(inputs=[]),
    "other files": lambda h: h["shared"].update(files=[["m.data", 1, 1, 1, 1]]),
    "no code": lambda h: h.update(code=0),
    "a step of no kind": lambda h: h["manifest"]["steps"][0].update(kind="other"),
    "a step less": lambda h: h["manifest"]["steps"].pop(0),
}


@pytest.mark.parametrize("change", CHANGES)
def test_entries_with_another_header(programs: Path, kept: Kept, change: str):
    header = copy.deepcopy(kept.header)
    CHANGES[change](header)
    assert read_as(programs, with_header(kept.raw, header)).from_cache is None


def test_what_sessions_have_is_their_own(programs: Path):
    """The arrays that a session was opened on may change, and go, afterwards."""
    from snippets_mlir.runtime.sessions import open_session

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
