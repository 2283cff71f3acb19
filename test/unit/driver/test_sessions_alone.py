"""Threads of kernels rest before sessions only where these have work for several threads."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from cut_models import check, model
from onnx import helper

import snippets_mlir
from snippets_mlir.runtime.parallel import threads
from snippets_mlir.runtime.parallel.crew import cores

pytestmark = pytest.mark.skipif(cores() < 2, reason="there is one CPU")

WIDTH = 512


def after_kernels(columns: int, rows: int | str = 1, inner: int = 4 * WIDTH) -> onnx.ModelProto:
    """Products that are kernels, and a TopK of `columns`, which stays with the engine."""
    rng = np.random.default_rng(0)
    data: dict[str, Any] = {
        "w": rng.standard_normal((WIDTH, inner)).astype(np.float32) / 16,
        "v": rng.standard_normal((inner, WIDTH)).astype(np.float32) / 32,
        "k": np.array([columns]),
    }
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["a"]),
        helper.make_node("Gelu", ["a"], ["b"]),
        helper.make_node("MatMul", ["b", "v"], ["c"]),
        helper.make_node("Gelu", ["c"], ["d"]),
        helper.make_node("TopK", ["d", "k"], ["y", "places"], axis=-1),
    ]
    made = model(nodes, {"x": [rows, WIDTH]}, {"y": [rows, columns]}, **data)
    made.opset_import[0].version = 20
    return made


def rests(monkeypatch: pytest.MonkeyPatch) -> list[None]:
    found: list[None] = []
    monkeypatch.setattr(threads, "rest", lambda: found.append(None))
    return found


@pytest.mark.parametrize("rows", [1, 16])
def test_a_session_of_little_work(rows: int, monkeypatch: pytest.MonkeyPatch):
    rested, made = rests(monkeypatch), after_kernels(8, rows)
    m = snippets_mlir.compile(made, num_threads=2, mark_skipped="none")
    for _ in range(4):
        check(m, made, (rows, WIDTH))
    assert m.manifest["sessions_alone"] is True
    assert m.kernels
    assert not rested


def test_a_session_that_shares_its_work(monkeypatch: pytest.MonkeyPatch):
    """2^20 elements of a result take the engine more than it computes on one thread."""
    rested, made = rests(monkeypatch), after_kernels(256, 4096, 64)
    m = snippets_mlir.compile(made, num_threads=2, mark_skipped="none")
    for _ in range(2):
        check(m, made, (4096, WIDTH))
    assert "sessions_alone" not in m.manifest
    assert rested


def test_the_sizes_of_the_call_decide():
    """A larger call is right, too: its threads share the cores for a moment."""
    made = after_kernels(WIDTH, "n", 64)
    for first, alone in ((1, True), (1024, False)):
        m = snippets_mlir.compile(made, num_threads=2, mark_skipped="none")
        for rows in (first, 1024, 1, 1024):
            check(m, made, (rows, WIDTH))
        assert m.manifest.get("sessions_alone", False) is alone
        assert m.kernels


def test_it_is_kept_in_the_cache(tmp_path: Any, monkeypatch: pytest.MonkeyPatch):
    from snippets_mlir.driver.cache import stored
    from snippets_mlir.driver.cache.program_cache import program_key

    monkeypatch.setenv("SNIPPETS_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(stored, "program_key", program_key)
    made = after_kernels(8)
    check(snippets_mlir.compile(made, num_threads=2, mark_skipped="none"), made, (1, WIDTH))
    again = snippets_mlir.compile(made, num_threads=2, mark_skipped="none")
    assert again.from_cache == "shared"
    assert again.manifest["sessions_alone"] is True
    check(again, made, (1, WIDTH))
