"""LLVM makes the stubs of an ONNX model's program while the model is planned."""

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
from snippets_mlir.driver.onnx import engine_cuts, planned_model, programs
from snippets_mlir.driver.workers.in_turn import InTurn

X = np.linspace(-2, 2, 24, dtype=np.float32).reshape(3, 8)


def in_turn() -> list[threading.Thread]:
    return [t for t in threading.enumerate() if t.name == "snippets-in-turn"]


@pytest.fixture
def events(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What happens, in order, when nothing is known of a stub; LLVM takes its time."""
    monkeypatch.setenv("SNIPPETS_CACHE_DIR", "")
    for name in ("_objects", "_loaded"):
        monkeypatch.setattr(objects, name, {})
    seen: list[str] = []
    begun, planned, leave = threading.Event(), threading.Event(), InTurn.leave_out
    begin, plan, make = objects.begin_objects, engine_cuts.plan_cuts, objects._from_cache  # pyright: ignore[reportPrivateUsage]

    def pays(*_: object) -> bool:
        return True

    def begin_objects(names: Sequence[str], later: Callable[..., Any]) -> None:
        seen.append(f"begun {len(names)}")
        begin(names, later)

    def plan_cuts(*given: Any, **named: Any) -> Any:
        begun.wait(5)
        seen.append("planned")
        if (found := plan(*given, **named)).kernels:
            planned.set()
        return found

    def leave_out(self: InTurn) -> None:
        leave(self)
        planned.set()

    def from_cache(name: str, use: Callable[[bytes], Any]) -> Any:
        seen.append(name)
        begun.set()
        planned.wait(5)
        return make(name, use)

    monkeypatch.setattr(planned_model, "may_pay", pays)
    monkeypatch.setattr(programs, "begin_objects", begin_objects)
    monkeypatch.setattr(InTurn, "leave_out", leave_out)
    monkeypatch.setattr(planned_model, "plan_cuts", plan_cuts)
    monkeypatch.setattr(objects, "_from_cache", from_cache)
    return seen


@pytest.mark.parametrize(("rows", "stubs"), [("n", 4), (3, 3)])
def test_stubs_begin_before_the_plan(events: list[str], rows: int | str, stubs: int) -> None:
    node = helper.make_node("Softplus", ["x"], ["y"])
    made = model([node], [value("x", [rows, 8])], [value("y", [rows, 8])])
    compiled = snippets_mlir.compile(made, mark_skipped="none")
    np.testing.assert_allclose(compiled(X), np.log1p(np.exp(X)), 1e-5)
    assert compiled.kernels
    assert events.index(f"begun {stubs}") < events.index("planned")
    assert not in_turn()


@pytest.mark.usefixtures("foreign_products")
def test_stubs_are_left_out_where_no_kernel_pays(events: list[str]) -> None:
    node = helper.make_node("MatMul", ["x", "w"], ["y"])
    weights = {"w": np.ones((8, 4), np.float32)}
    made = model([node], [value("x", ["n", 8])], [value("y", ["n", 4])], weights)
    compiled = snippets_mlir.compile(made)
    np.testing.assert_allclose(compiled(X), X @ weights["w"], 1e-5)
    assert not compiled.kernels
    assert {"begun 4", "planned", "call"} <= {*events}
    assert "launch" not in events
    assert not in_turn()
