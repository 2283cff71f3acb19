"""The sessions between kernels open from the cache as onnxruntime has optimized them."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from threading import Event, Thread, get_native_id
from typing import Any

import numpy as np
import pytest
from shared_models import LARGE, SOURCES, Array, as_file, given, model_of
from warm_process import run_warm

import snippets_mlir
from snippets_mlir.codegen.cache import read_entry
from snippets_mlir.driver.cache import engine_model, optional_work, shared_entry, shared_regions
from snippets_mlir.driver.cache.constant_files import keep_constants, let_others_go_first
from snippets_mlir.driver.cache.entry_parts import header_of
from snippets_mlir.driver.cache.sealed import unsealed
from snippets_mlir.driver.cache.shared_entry import MAGIC
from snippets_mlir.driver.cache.storing import finish
from snippets_mlir.driver.reports.notebooks import report_of
from snippets_mlir.support.errors import CompileError

pytestmark = pytest.mark.usefixtures("foreign_products")


def regions_in(programs: Path) -> list[dict[str, Any]]:
    """The data of the sessions of the only entry."""
    (path,) = programs.iterdir()
    header: Any = header_of(unsealed(MAGIC, read_entry(path) or b""))[0]
    return header["shared"]["regions"]


def are_optimized(programs: Path) -> list[bool]:
    finish()
    return [region["optimized"] for region in regions_in(programs)]


def refuse(*_: object, **__: object) -> Any:
    raise AssertionError("a model is optimized")


def leave_out(*_: object) -> None:
    """Work that never begins, as in a process that is killed."""


def compiled(source: Any, wanted: Array, found: str | None = "shared") -> Any:
    """A program of `source`, whose results have the bits of `wanted`."""
    program = snippets_mlir.compile(source)
    assert program.from_cache == found
    np.testing.assert_array_equal(program(given()), wanted, strict=True)
    return program


@pytest.mark.parametrize("columns", [600, LARGE])
@pytest.mark.parametrize("rows", ["n", 512])
@pytest.mark.parametrize("kind", ["bytes", "data"])
def test_the_second_load_optimizes_nothing(
    kind: str,
    rows: str | int,
    columns: int,
    programs: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    source = SOURCES[kind](model_of(rows, columns), tmp_path)
    first = snippets_mlir.compile(source)
    wanted = first(given())
    assert are_optimized(programs) == [True, True]
    assert any(programs.with_name("constants").glob("*")) == (columns == LARGE)
    monkeypatch.setattr(shared_regions, "open_session", refuse)
    levels: list[str] = []
    real: Any = shared_regions.open_optimized

    def opened(*arguments: Any, **options: Any) -> Any:
        def note(_: Any, options: Any) -> None:
            levels.append(options.graph_optimization_level.name)

        return real(*arguments, note, **options)

    monkeypatch.setattr(shared_regions, "open_optimized", opened)
    again = compiled(source, wanted)
    assert levels == ["ORT_DISABLE_ALL"] * 2
    for size in (1, 3, 700, 0) if rows == "n" else ():
        np.testing.assert_array_equal(again(given(size)), first(given(size)), strict=True)
    assert again.unoptimized_reason is None


def test_a_file_of_weights_that_is_gone(programs: Path, tmp_path: Path) -> None:
    source = as_file(model_of(columns=LARGE), tmp_path)
    wanted = snippets_mlir.compile(source)(given())
    assert are_optimized(programs) == [True, True]
    for path in programs.with_name("constants").iterdir():
        path.unlink()
    compiled(source, wanted, None)
    assert are_optimized(programs) == [True, True]
    compiled(source, wanted)


def test_a_session_that_onnxruntime_cannot_write(
    programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, real, made = as_file(model_of(), tmp_path), engine_model.optimized, list[int]()

    def optimized(*arguments: Any, **options: Any) -> Any:
        made.append(len(made))
        if len(made) == 2:
            raise CompileError("a node that has no ONNX form\n  of two lines")
        return real(*arguments, **options)

    monkeypatch.setattr(engine_model, "optimized", optimized)
    wanted = snippets_mlir.compile(source)(given())
    assert are_optimized(programs) == [True, False]
    again = compiled(source, wanted)
    finish()
    assert len(made) == 2  # it is not tried again
    reason = "a node that has no ONNX form of two lines"
    assert again.unoptimized_reason == reason
    assert f"sessions are optimized at each load: {reason}" in report_of(again)


def test_sessions_with_many_weights_are_not_stored_again(
    programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared_regions, "LARGEST", 1000)
    wanted = snippets_mlir.compile(model_of())(given())
    assert are_optimized(programs) == [False, False]
    assert "more than" in (compiled(model_of(), wanted).unoptimized_reason or "")


def test_a_later_process_optimizes_what_an_earlier_one_left_out(
    programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = as_file(model_of(), tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(shared_entry, "optionally", leave_out)
        wanted = snippets_mlir.compile(source)(given())
        assert are_optimized(programs) == [False, False]
    compiled(source, wanted)
    assert are_optimized(programs) == [True, True]
    compiled(source, wanted)


def test_a_source_that_changes_meanwhile(
    programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its weights are in no entry."""
    source, real = as_file(model_of(columns=LARGE), tmp_path), engine_model.optimized

    def optimized(*arguments: Any, **options: Any) -> Any:
        as_file(model_of(columns=LARGE, scale=2), tmp_path)
        return real(*arguments, **options)

    monkeypatch.setattr(engine_model, "optimized", optimized)
    snippets_mlir.compile(source)(given())
    assert are_optimized(programs) == [False, False]


def test_a_lookup_does_not_wait_for_it(
    programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, real, begins = as_file(model_of(), tmp_path), engine_model.optimized, Event()

    def optimized(*arguments: Any, **options: Any) -> Any:
        assert begins.wait(60)
        return real(*arguments, **options)

    monkeypatch.setattr(engine_model, "optimized", optimized)
    wanted = snippets_mlir.compile(source)(given())
    compiled(source, wanted)
    assert [region["optimized"] for region in regions_in(programs)] == [False, False]
    begins.set()
    assert are_optimized(programs) == [True, True]


@pytest.mark.parametrize("patience", [60.0, 0.0])
def test_a_process_that_ends_waits_no_longer_than_its_patience(
    patience: float, programs: Path, tmp_path: Path
) -> None:
    source = as_file(model_of(512), tmp_path)
    code = f"""
import snippets_mlir
from snippets_mlir.analysis.graph import products
from snippets_mlir.driver.cache import engine_model, optional_work, storing
products.HELD = False
optional_work.PATIENCE, storing.DELAY = {patience}, 0.5
snippets_mlir.compile({str(source)!r})
"""
    environment = {**os.environ, "SNIPPETS_CACHE_DIR": str(programs.parent)}
    assert run_warm("-c", code, env=environment).returncode == 0
    assert are_optimized(programs) == [patience > 0] * 2


def test_what_is_told_to_stop_is_not_stored(
    programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """onnxruntime stops; this is no reason against another try."""
    source, by = as_file(model_of(), tmp_path), optional_work.Stop.by

    def stopped(stop: optional_work.Stop, cancel: Any) -> None:
        by(stop, cancel)
        stop.set()

    with monkeypatch.context() as patch:
        patch.setattr(optional_work.Stop, "by", stopped)
        wanted = snippets_mlir.compile(source)(given())
        assert are_optimized(programs) == [False, False]
    compiled(source, wanted)
    assert are_optimized(programs) == [True, True]


def test_a_file_that_is_not_finished_is_removed(cache_directory: Path) -> None:
    stop = optional_work.Stop()
    stop.set()
    with pytest.raises(optional_work.Stopped):
        keep_constants({0: np.ones(1000)}, 0, stop)
    assert not [*(cache_directory / "constants").iterdir()]


@pytest.mark.skipif(sys.platform != "linux", reason="threads have no priority of their own")
def test_the_priority_is_lowered_once() -> None:
    found: list[int] = []

    def lower() -> None:
        let_others_go_first()
        found.append(os.getpriority(os.PRIO_PROCESS, get_native_id()))
        if len(found) < 2:  # a thread inherits the priority of the one that makes it
            (inner := Thread(target=lower)).start()
            inner.join()

    (outer := Thread(target=lower)).start()
    outer.join()
    assert found[0] == found[1]
