"""LLVM makes the stubs of an ONNX model's program while the passes run, if it has kernels."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from onnx import helper
from onnx_models import model, value

import snippets_mlir
from snippets_mlir.codegen.stubs import objects
from snippets_mlir.codegen.stubs.objects import OF_CALLS, OF_TEMPLATES
from snippets_mlir.driver.onnx import shared_program
from snippets_mlir.driver.onnx.cuts import engine_cuts, planned_model

X = np.linspace(-2, 2, 24, dtype=np.float32).reshape(3, 8)


def in_turn() -> list[threading.Thread]:
    return [t for t in threading.enumerate() if t.name == "snippets-in-turn"]


@pytest.fixture
def events(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What happens, in order, when nothing is known of a stub."""
    monkeypatch.setenv("SNIPPETS_CACHE_DIR", "")
    for name in ("_objects", "_loaded"):
        monkeypatch.setattr(objects, name, {})
    seen: list[str] = []
    compiling = threading.Event()
    plan, make, build = engine_cuts.plan_cuts, objects._from_cache, shared_program.build  # pyright: ignore[reportPrivateUsage]

    def pays(*_: object) -> bool:
        return True

    def plan_cuts(*given: Any, **named: Any) -> Any:
        seen.append("planned")
        return plan(*given, **named)

    def from_cache(name: str, use: Callable[[bytes], Any]) -> Any:
        compiling.wait(5)  # passes run meanwhile
        seen.append(f"{name} of {threading.current_thread().name}")
        return make(name, use)

    def built(*given: Any, **named: Any) -> Any:
        compiling.set()
        return build(*given, **named)

    monkeypatch.setattr(planned_model, "may_pay", pays)
    monkeypatch.setattr(planned_model, "plan_cuts", plan_cuts)
    monkeypatch.setattr(shared_program, "build", built)
    monkeypatch.setattr(objects, "_from_cache", from_cache)
    return seen


@pytest.mark.parametrize(("rows", "stubs"), [("n", OF_TEMPLATES), (3, OF_CALLS)])
def test_stubs_are_made_beside_the_passes(
    events: list[str], rows: int | str, stubs: Sequence[str]
) -> None:
    node = helper.make_node("Softplus", ["x"], ["y"])
    made = model([node], [value("x", [rows, 8])], [value("y", [rows, 8])])
    compiled = snippets_mlir.compile(made, mark_skipped="none")
    np.testing.assert_allclose(compiled(X), np.log1p(np.exp(X)), 1e-5)
    assert compiled.kernels
    assert events[: 1 + len(stubs)] == ["planned", *(f"{s} of snippets-in-turn" for s in stubs)]
    assert not in_turn()


@pytest.mark.usefixtures("foreign_products")
def test_no_stub_is_made_where_no_kernel_pays(events: list[str]) -> None:
    node = helper.make_node("MatMul", ["x", "w"], ["y"])
    weights = {"w": np.ones((8, 4), np.float32)}
    made = model([node], [value("x", ["n", 8])], [value("y", ["n", 4])], weights)
    compiled = snippets_mlir.compile(made)
    np.testing.assert_allclose(compiled(X), X @ weights["w"], 1e-5)
    assert not compiled.kernels
    assert events == ["planned"]
    assert not in_turn()
