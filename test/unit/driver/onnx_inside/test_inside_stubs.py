"""LLVM compiles the stub of operators while onnxruntime optimizes the model."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from image_models import HARD_SWISH, between_convolutions

import snippets_mlir
from snippets_mlir import CompileError
from snippets_mlir.codegen.stubs import objects
from snippets_mlir.driver.onnx.inside import fuse


@pytest.fixture
def events(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What happens, in order, when nothing is known of a stub."""
    monkeypatch.setenv("SNIPPETS_CACHE_DIR", "")
    for name in ("_objects", "_loaded"):
        monkeypatch.setattr(objects, name, {})
    seen: list[str] = []

    def noted(module: Any, name: str, what: str) -> None:
        known: Callable[..., Any] = getattr(module, name)

        def call(*given: Any, **named: Any) -> Any:
            seen.append(what)
            return known(*given, **named)

        monkeypatch.setattr(module, name, call)

    noted(fuse, "begin_objects", "begun")
    noted(fuse, "optimized", "optimized")
    noted(objects, "_from_cache", "stub")
    return seen


def in_turn() -> list[threading.Thread]:
    return [t for t in threading.enumerate() if t.name == "snippets-in-turn"]


@pytest.mark.parametrize("small", [True, False])
def test_a_stub_is_begun_before_a_large_model_is_optimized(
    events: list[str], monkeypatch: pytest.MonkeyPatch, *, small: bool
) -> None:
    monkeypatch.setattr(fuse, "SMALL", fuse.SMALL if small else 0)
    made = between_convolutions(HARD_SWISH)
    m = snippets_mlir.compile(made, num_threads=1)
    m(np.zeros((2, 3, 40, 40), np.float32))
    assert m.kernels
    assert events.count("stub") == 1  # of the operators
    assert [e for e in events if e != "stub"] == (
        ["optimized", "begun"] if small else ["begun", "optimized", "begun"]
    )
    assert not in_turn()


def test_a_model_that_is_refused_leaves_no_thread(
    events: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fuse, "SMALL", 0)

    def refuse(*_: object, **__: object) -> object:
        raise CompileError("no such operator")

    monkeypatch.setattr(fuse, "optimized", refuse)
    m = snippets_mlir.compile(between_convolutions(HARD_SWISH), num_threads=1)
    assert not m.kernels
    assert m.cuts[-1] == "inside the session: none: no such operator"
    assert "begun" in events
    assert not in_turn()
