"""Sessions that open while kernels are compiled are those that would open in the end."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper
from onnx_models import model, run_reference, value

import snippets_mlir
from snippets_mlir import CompileError
from snippets_mlir.driver.building import sessions_ahead
from snippets_mlir.driver.building.sessions_ahead import SessionsAhead
from snippets_mlir.driver.workers import apart, batches

W = np.random.default_rng(0).standard_normal((64, 64, 3, 3), np.float32) / 24


def convolutions(last: str = "Conv") -> onnx.ModelProto:
    """Two convolutions with kernels between them and after them."""
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["a"], pads=[1, 1, 1, 1]),
        helper.make_node("Softplus", ["a"], ["b"]),
        helper.make_node("Mul", ["b", "b"], ["c"]),
        helper.make_node(last, ["c", "v"], ["d"], pads=[1, 1, 1, 1]),
        helper.make_node("Softplus", ["d"], ["y"]),
    ]
    shape = [1, 64, 12, "n"]
    return model(nodes, [value("x", shape)], [value("y", shape)], {"w": W, "v": W[::-1].copy()})


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """For each session of a program, whether it was opened ahead."""
    monkeypatch.setenv("SNIPPETS_CACHE_DIR", "")
    found: list[bool] = []
    take = SessionsAhead.take

    def noted(self: SessionsAhead, region: Any) -> Any:
        session = take(self, region)
        found.append(session is not None)
        return session

    monkeypatch.setattr(SessionsAhead, "take", noted)
    return found


def run(made: onnx.ModelProto, **options: Any) -> None:
    x = np.random.default_rng(1).standard_normal((1, 64, 12, 9), np.float32)
    m = snippets_mlir.compile(made, mark_skipped="none", **options)
    np.testing.assert_allclose(m(x), run_reference(made, [x])[0], 2e-4, 2e-5)
    assert m.kernels


@pytest.mark.parametrize(("least", "ahead"), [(2 * W.nbytes, True), (2 * W.nbytes + 1, False)])
def test_sessions_with_large_weights_open_ahead(
    taken: list[bool], monkeypatch: pytest.MonkeyPatch, *, least: int, ahead: bool
) -> None:
    monkeypatch.setattr(sessions_ahead, "LARGE", least)
    run(convolutions())
    assert taken == [ahead, ahead]


def test_each_session_is_taken_once(taken: list[bool], monkeypatch: pytest.MonkeyPatch) -> None:
    """Equal regions have a session each, which run in networks of their own."""
    monkeypatch.setattr(sessions_ahead, "LARGE", 1)
    made = convolutions()
    made.graph.node[3].input[1] = "w"
    del made.graph.initializer[1]
    run(made)
    assert taken == [True, True]


def test_what_cannot_open_ahead_opens_in_the_end(
    taken: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions_ahead, "LARGE", 1)

    def refuses(*_: Any) -> Any:
        raise CompileError("no memory")

    monkeypatch.setattr(sessions_ahead, "open_region", refuses)
    run(convolutions())
    assert taken == [False, False]


def test_a_node_that_onnxruntime_rejects_is_the_same_error(
    taken: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    messages: list[str] = []
    for least in (1, 1 << 40):
        monkeypatch.setattr(sessions_ahead, "LARGE", least)
        with pytest.raises(CompileError) as caught:
            run(convolutions("NoSuchOperator"))
        messages.append(str(caught.value))
    assert messages[0] == messages[1]
    assert "NoSuchOperator" in messages[0]
    assert True not in taken


@pytest.mark.parametrize("huge", [False, True])
def test_llvm_has_kernels_before_sessions_are_looked_for(
    taken: list[bool], monkeypatch: pytest.MonkeyPatch, *, huge: bool
) -> None:
    """What they are made of is a copy, which takes some milliseconds; huge ones come first."""
    events: list[str] = []
    monkeypatch.setattr(sessions_ahead, "LARGE", 1)
    monkeypatch.setattr(sessions_ahead, "HUGE", 1 if huge else 1 << 40)
    monkeypatch.setattr(batches, "STAGE_WORK", 1)

    def noted(owner: Any, name: str, what: str) -> None:
        known = getattr(owner, name)

        def call(*given: Any, **named: Any) -> Any:
            events.append(what)
            return known(*given, **named)

        monkeypatch.setattr(owner, name, call)

    noted(SessionsAhead, "_begin", "sessions")
    noted(apart, "lowered", "batch")
    run(convolutions(), compile_workers=1)
    expected = ["batch", "batch"]
    expected.insert(0 if huge else 1, "sessions")
    assert events == expected
    assert taken == [True, True]
