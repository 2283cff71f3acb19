"""Entries of models of kernels and sessions whose weights, data or versions have changed."""

from __future__ import annotations

import os
from itertools import product
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper
from sampled import sampled
from shared_models import LARGE, SOURCES, beside_data, given, model_of

import snippets_mlir
from snippets_mlir.driver.cache import program_cache

pytestmark = pytest.mark.usefixtures("foreign_products")


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
