"""Models that are one session open from the cache as onnxruntime has optimized them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper
from onnx_models import Array, model, save, value

import snippets_mlir
from snippets_mlir.codegen.cache import read_entry, write_entry
from snippets_mlir.driver.cache import session_programs
from snippets_mlir.driver.cache.sealed import sealed, unsealed
from snippets_mlir.driver.cache.session_entry import MAGIC, SessionEntry, read_session
from snippets_mlir.driver.cache.storing import finish
from snippets_mlir.driver.onnx import kept_session, whole_model
from snippets_mlir.runtime.engine.opening import open_optimized

SMALL, LARGE = 16, 300
"""Channels of a model whose weights are in the entry, and in a file beside it."""


@pytest.fixture(autouse=True)
def finished() -> Iterator[None]:
    """No thread stores anything after a test."""
    yield
    finish()


def image(rows: int = 2) -> Array:
    return np.random.default_rng(3).normal(0, 1, (rows, 3, 24, 24)).astype(np.float32)


def convolutions(channels: int) -> onnx.ModelProto:
    """Convolutions, Relu, and pairs of quantisations, of which onnxruntime could make one."""
    random = np.random.default_rng(channels)
    weights: dict[str, Array] = {
        "a": random.normal(0, 0.4, (channels, 3, 3, 3)).astype(np.float32),
        "b": random.normal(0, 0.1, (channels, channels, 3, 3)).astype(np.float32),
        "s": np.array(0.031, np.float32),
        "t": np.array(0.02, np.float32),
        "z": np.array(3, np.uint8),
    }
    nodes = [
        helper.make_node("Conv", ["x", "a"], ["c"], pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["c"], ["r"]),
        helper.make_node("Conv", ["r", "b"], ["d"]),
        *(
            helper.make_node(f"{op}Linear", [of, scale, "z"], [to])
            for op, of, scale, to in (
                ("Quantize", "d", "s", "q"),
                ("Dequantize", "q", "s", "e"),
                ("Quantize", "e", "t", "p"),
                ("Dequantize", "p", "t", "y"),
            )
        ),
    ]
    return model(nodes, [value("x", ("n", 3, 24, 24))], ["y"], weights)


def entry_of(programs: Path) -> SessionEntry:
    finish()
    (path,) = programs.iterdir()
    raw = read_entry(path)
    assert raw is not None
    entry = read_session(raw)
    assert entry is not None
    return entry


def refuse(*_: object, **__: object) -> Any:
    raise AssertionError("the source is opened")


def compiled(source: Any, wanted: Array, found: str | None) -> None:
    """Compile `source`, whose results have the bits of `wanted`."""
    program = snippets_mlir.compile(source, num_threads=2)
    assert program.from_cache == found
    np.testing.assert_array_equal(program(image()), wanted)
    np.testing.assert_array_equal(program(image(1)), wanted[:1])


@pytest.mark.parametrize("channels", [SMALL, LARGE])
@pytest.mark.parametrize("form", ["path", "beside", "bytes"])
def test_the_second_load_optimizes_nothing(
    form: str,
    channels: int,
    programs: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made, source = convolutions(channels), tmp_path / "m.onnx"
    save(made, source, external="m.data" if form == "beside" else None)
    given = source.read_bytes() if form == "bytes" else source
    wanted = snippets_mlir.compile(given, num_threads=2)(image())
    entry = entry_of(programs)
    assert entry.model is not None
    assert any(programs.with_name("constants").glob("*")) == (channels == LARGE)
    assert len(entry.model) < 40_000 or channels == SMALL
    levels: list[Any] = []

    def opened(model: bytes, threads: int, folder: Path | None) -> Any:
        session = open_optimized(model, threads, folder, lambda _, o: levels.append(o))
        return session

    monkeypatch.setattr(session_programs, "open_optimized", opened)
    monkeypatch.setattr(whole_model, "model_session", refuse)
    compiled(given, wanted, "session")
    assert [o.graph_optimization_level.name for o in levels] == ["ORT_DISABLE_ALL"]


def test_a_file_of_weights_that_is_gone_or_another(programs: Path, tmp_path: Path) -> None:
    source = tmp_path / "m.onnx"
    save(convolutions(LARGE), source)
    wanted = snippets_mlir.compile(source, num_threads=2)(image())
    finish()
    (file,) = programs.with_name("constants").iterdir()
    for spoil in (
        file.unlink,
        lambda: file.write_bytes(b"none"),
        lambda: os.utime(file, ns=(5, 5)),
    ):
        spoil()
        compiled(source, wanted, None)
        finish()
        compiled(source, wanted, "session")


def test_a_model_that_onnxruntime_refuses_is_opened_as_its_source(
    programs: Path, tmp_path: Path
) -> None:
    source = tmp_path / "m.onnx"
    save(convolutions(SMALL), source)
    wanted = snippets_mlir.compile(source, num_threads=2)(image())
    assert entry_of(programs).model is not None
    (path,) = programs.iterdir()
    body = unsealed(MAGIC, read_entry(path) or b"")
    write_entry(path, sealed(MAGIC, body.replace(b"Conv", b"None")))
    compiled(source, wanted, "session")
    write_entry(path, sealed(MAGIC, body[:-1]))
    compiled(source, wanted, None)


def test_a_source_that_changes_meanwhile_is_not_stored(
    programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, other = tmp_path / "m.onnx", convolutions(SMALL + 1).SerializeToString()
    save(convolutions(SMALL), source)
    real = kept_session.model_session

    def model_session(*arguments: Any, **options: Any) -> Any:
        source.write_bytes(other)
        return real(*arguments, **options)

    monkeypatch.setattr(kept_session, "model_session", model_session)
    snippets_mlir.compile(source, num_threads=2)(image())
    assert entry_of(programs).model is None


def test_the_program_is_stored_before_the_optimized_model_is_made(
    programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that is killed meanwhile leaves an entry."""
    source, real = tmp_path / "m.onnx", kept_session.model_session
    save(convolutions(SMALL), source)
    before: list[SessionEntry | None] = []

    def model_session(*arguments: Any, **options: Any) -> Any:
        (path,) = programs.iterdir()
        before.append(read_session(read_entry(path) or b""))
        return real(*arguments, **options)

    monkeypatch.setattr(kept_session, "model_session", model_session)
    snippets_mlir.compile(source, num_threads=2)(image())
    assert entry_of(programs).model is not None
    (entry,) = before
    assert entry is not None
    assert entry.model is None


@pytest.mark.parametrize("why", ["in memory", "too large", "not written"])
def test_models_that_are_not_stored_are_opened_as_their_source(
    why: str, programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, path = convolutions(SMALL), tmp_path / "m.onnx"
    save(made, path)
    source = made if why == "in memory" else path
    if why == "too large":
        monkeypatch.setattr(kept_session, "LARGEST", 1000)
    if why == "not written":
        monkeypatch.setattr(kept_session, "model_session", refuse)
    wanted = snippets_mlir.compile(source, num_threads=2)(image())
    assert entry_of(programs).model is None
    compiled(source, wanted, "session")
