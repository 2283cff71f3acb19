"""The session of a whole model opens in a thread while the model is read and planned."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper
from onnx_models import model, save, value

import snippets_mlir
from snippets_mlir.driver.building import build
from snippets_mlir.driver.onnx import kept_model, model_ahead, one_session, whole_model
from snippets_mlir.driver.onnx.cuts import planned_model
from snippets_mlir.driver.onnx.model_ahead import bytes_beside
from snippets_mlir.runtime.engine import opening
from snippets_mlir.support.spans import recording

X = np.linspace(-2, 2, 24, dtype=np.float32).reshape(3, 8)


@pytest.fixture(autouse=True)
def no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SNIPPETS_CACHE_DIR", "")
    monkeypatch.setattr(model_ahead, "cores", lambda: 2)


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """For each session of a whole model, whether another thread has opened it."""
    found: list[bool] = []
    caller = threading.get_ident()

    def model_session(*arguments: Any, **options: Any) -> Any:
        found.append(threading.get_ident() != caller)
        return whole_model.model_session(*arguments, **options)

    monkeypatch.setattr(model_ahead, "model_session", model_session)
    monkeypatch.setattr(one_session, "model_session", model_session)
    return found


def product(rows: int | str, **attributes: Any) -> onnx.ModelProto:
    """One product, for which no kernel pays."""
    node = helper.make_node("MatMul", ["x", "w"], ["y"], **attributes)
    weights = {"w": np.ones((8, 4), np.float32)}
    return model([node], [value("x", [rows, 8])], [value("y", [rows, 4])], weights)


def pays(*_: object) -> bool:
    return True


def as_file(made: onnx.ModelProto, folder: Path) -> str:
    path = folder / "m.onnx"
    path.write_bytes(made.SerializeToString())
    return str(path)


def as_bytes(made: onnx.ModelProto, _: Path) -> bytes:
    return made.SerializeToString()


Given = Callable[[onnx.ModelProto, Path], Any]


@pytest.mark.usefixtures("foreign_products")
@pytest.mark.parametrize("rows", ["n", 3])
@pytest.mark.parametrize("given", [as_file, as_bytes])
def test_the_program_takes_the_session(
    rows: int | str, given: Given, opened: list[bool], tmp_path: Path
) -> None:
    with recording() as spans:
        compiled = snippets_mlir.compile(given(product(rows), tmp_path), num_threads=2)
    for _ in range(2):
        np.testing.assert_allclose(compiled(X), X @ np.ones((8, 4), np.float32), 1e-5)
    assert opened == [True]
    assert ("session", 1) in {(span.name, span.row) for span in spans}


@pytest.mark.parametrize(
    "options",
    [
        {"mark_skipped": "none"},
        {"fallback": "error"},
        {"partitioner": "fuse-ops"},
        {"insert_passes": ("end:cse",)},
    ],
    ids=str,
)
def test_no_session_opens_where_it_is_not_wanted(
    options: dict[str, Any], opened: list[bool], tmp_path: Path
) -> None:
    snippets_mlir.compile(as_file(product("n"), tmp_path), **options)
    assert True not in opened


def test_no_session_opens_beside_one_core_or_for_a_large_model(
    opened: list[bool], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = as_file(product("n"), tmp_path)
    monkeypatch.setattr(model_ahead, "MOST", 16)
    snippets_mlir.compile(path)
    monkeypatch.setattr(model_ahead, "MOST", 1 << 20)
    monkeypatch.setattr(model_ahead, "cores", lambda: 1)
    snippets_mlir.compile(path)
    assert opened == [False, False]


@pytest.mark.parametrize("rows", ["n", 3])
def test_data_in_other_files_counts(
    rows: int | str, opened: list[bool], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A model of a kilobyte may have gigabytes of weights beside it; no session checks that."""
    path = tmp_path / "m.onnx"
    node = helper.make_node("MatMul", ["x", "location"], ["y"])
    weights = {"location": np.ones((8, 256), np.float32)}
    x, y = value("x", [rows, 8]), value("y", [rows, 256])
    save(model([node], [x], [y], weights), path, external="w.bin")
    assert bytes_beside(path) == (tmp_path / "w.bin").stat().st_size == 8192
    monkeypatch.setattr(model_ahead, "MOST", 8191)
    monkeypatch.setattr(kept_model, "SMALL", 1000)
    compiled = snippets_mlir.compile(path)
    assert opened == []
    np.testing.assert_allclose(compiled(X), X @ weights["location"], 1e-5)
    opened.clear()
    monkeypatch.setattr(model_ahead, "MOST", 8192)
    monkeypatch.setattr(kept_model, "SMALL", 1 << 20)  # a dynamic model waits for its session, too
    snippets_mlir.compile(path)
    assert opened == [True]


@pytest.mark.parametrize("rows", ["n", 3])
def test_what_is_wrong_with_a_model_is_told_as_without_it(rows: int | str, tmp_path: Path) -> None:
    with pytest.raises(snippets_mlir.CompileError, match="Unrecognized attribute: volume"):
        snippets_mlir.compile(as_file(product(rows, volume=11), tmp_path))
    with pytest.raises(snippets_mlir.CompileError, match="does not exist"):
        snippets_mlir.compile(tmp_path / "none.onnx")
    with pytest.raises(snippets_mlir.CompileError, match="do not decode"):
        snippets_mlir.compile(b"\1\2\3")


def test_a_session_of_another_model_or_of_a_parent_is_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = product(3).SerializeToString()
    ahead = model_ahead.ModelAhead(made, 1)
    assert ahead.take(product(3), 1) is None
    assert ahead.take(made, 2) is None
    with monkeypatch.context() as child:
        child.setattr(os, "getpid", lambda: -1)
        assert ahead.take(made, 1) is None
    assert ahead.take(made, 1) is not None
    assert ahead.take(made, 1) is None


def test_the_threads_of_a_session_soon_sleep() -> None:
    """They would take the cores from a compilation for 25 ms after the session has opened."""

    def spins(_: Any, options: Any) -> None:
        found = options.get_session_config_entry("session.intra_op.spin_duration_us")
        assert found == opening.SPIN_US

    opening.open_session(product(3).SerializeToString(), 2, configure=spins)
    before = time.process_time()
    time.sleep(0.05)
    assert time.process_time() - before < 0.015


def test_it_is_dropped_while_llvm_compiles_kernels(
    opened: list[bool], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(planned_model, "may_pay", pays)
    node = helper.make_node("Softplus", ["x"], ["y"])
    shape = ["n", 1 << 16]
    path = as_file(model([node], [value("x", shape)], [value("y", shape)]), tmp_path)
    forgotten: list[str] = []
    forget, compiled_kernels = one_session.OneSession.forget, build.COMPILING.tidy

    def noted(self: one_session.OneSession) -> None:
        forgotten.append("dropped")
        forget(self)

    def tidy() -> None:
        forgotten.append("waits for LLVM")
        compiled_kernels()

    monkeypatch.setattr(one_session.OneSession, "forget", noted)
    monkeypatch.setattr(build.COMPILING, "tidy", tidy)
    compiled = snippets_mlir.compile(path)
    compiled(np.zeros((8, 1 << 16), np.float32))
    assert compiled.kernels
    assert opened == [True]
    assert forgotten == ["dropped", "waits for LLVM"]
