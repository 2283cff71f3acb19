"""A thread that does one piece of work after the other, and LLVM beside the passes by it."""

from __future__ import annotations

import threading
from threading import Event, current_thread
from typing import Any

import numpy as np
import pytest

import snippets_mlir
from snippets_mlir import CompileError
from snippets_mlir.codegen.errors import InternalError
from snippets_mlir.driver.workers import apart, batches
from snippets_mlir.driver.workers.in_turn import InTurn
from snippets_mlir.support.spans import recording, span

TYPES = "tensor<3x17xf32>", "tensor<5x17xf32>"
TEXT = f"""func.func @main(%x: {TYPES[0]}, %y: {TYPES[1]}) -> ({", ".join(TYPES)}) {{
  %0 = snippets.exp %x : {TYPES[0]}
  %1 = snippets.exp %y : {TYPES[1]}
  func.return %0, %1 : {", ".join(TYPES)}
}}"""


def started() -> int:
    """How many threads of this sort there are."""
    return sum(thread.name == "snippets-in-turn" for thread in threading.enumerate())


def test_work_is_done_in_turn_while_the_caller_goes_on() -> None:
    order: list[int] = []
    gate = Event()

    def work(number: int) -> str:
        if number == 0:
            assert gate.wait(300)
        order.append(number)
        return f"{number} in {current_thread().name}"

    with InTurn() as thread:
        assert started() == 0  # it is started for the first work
        results = [thread.begin(lambda k=k: work(k)) for k in range(4)]
        assert started() == 1
        assert not order
        gate.set()
        assert results[2]() == "2 in snippets-in-turn"
        assert [results[k]() for k in (0, 1, 3)] == [f"{k} in snippets-in-turn" for k in (0, 1, 3)]
    assert order == [0, 1, 2, 3]
    assert started() == 0


def test_what_work_raises_is_raised_where_its_result_is_asked_for() -> None:
    with InTurn() as thread:
        bad, good = thread.begin(lambda: 1 // 0), thread.begin(lambda: 7)
        assert good() == 7
        with pytest.raises(ZeroDivisionError):
            bad()


def test_after_an_error_of_the_caller_no_work_begins() -> None:
    gate, begun = Event(), Event()
    done: list[str] = []

    def first() -> None:
        begun.set()
        assert gate.wait(300)
        done.append("first")

    with pytest.raises(ValueError, match="mine"), InTurn() as thread:  # noqa: PT012
        thread.begin(first)
        thread.begin(lambda: done.append("second"))
        assert begun.wait(300)
        thread._is_stopped = True  # pyright: ignore[reportPrivateUsage]  # as leaving the `with` does
        gate.set()
        raise ValueError("mine")
    assert done == ["first"]
    assert started() == 0


def test_spans_are_recorded_where_results_are_asked_for() -> None:
    def work() -> None:
        with span("inside", "unit"):
            pass

    with InTurn() as thread, recording() as spans:
        result = thread.begin(work)
        assert not spans
        result()
    assert [s.name for s in spans] == ["inside"]


def test_few_kernels_are_compiled_in_stages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SNIPPETS_CACHE_DIR", "")
    inputs = [np.linspace(-3, 3, 17 * n, dtype=np.float32).reshape(n, 17) for n in (3, 5)]

    def objects() -> int:
        m: Any = snippets_mlir.compile(TEXT)
        for got, given in zip(m(*inputs), inputs, strict=True):
            np.testing.assert_allclose(got, np.exp(given.astype(np.float64)), rtol=3e-7)
        return len(m.built().code.images)

    assert objects() == 1  # too little to do for two
    monkeypatch.setattr(batches, "STAGE_WORK", 1)
    assert objects() == 2
    monkeypatch.setattr(batches, "STAGES", 1)
    assert objects() == 1


def test_errors_of_stages_are_those_of_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SNIPPETS_CACHE_DIR", "")
    monkeypatch.setattr(batches, "STAGE_WORK", 1)

    def broken(*_: Any) -> tuple[dict[str, Any], str]:
        return {}, "this is no LLVM"

    with monkeypatch.context() as patch:
        patch.setattr(apart, "lowered", broken)
        with pytest.raises((InternalError, CompileError)):
            snippets_mlir.compile(TEXT)
    assert started() == 0
    snippets_mlir.compile(TEXT)


def test_the_heaviest_batch_is_first_and_the_first_refused_kernel_is_the_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SNIPPETS_CACHE_DIR", "")
    monkeypatch.setattr(batches, "STAGE_WORK", 1)
    types = [f"tensor<{rows}x17xf32>" for rows in (3, 4, 5)]
    chain = "\n".join(f"%y{i + 1} = snippets.tanh %y{i} : {types[2]}" for i in range(9))
    given = ", ".join(f"%x{i}: {t}" for i, t in enumerate(types))
    text = f"""func.func @main({given}) -> ({", ".join(types)}) {{
      %0 = snippets.exp %x0 : {types[0]}
      %1 = snippets.exp %x1 : {types[1]}
      %y0 = snippets.exp %x2 : {types[2]}
      {chain}
      func.return %0, %1, %y9 : {", ".join(types)}
    }}"""
    order: list[str] = []
    lower = apart.lowered

    def names(module: Any) -> list[str]:
        return [op.sym_name.data for op in module.ops if "sym_name" in op.properties]

    def noted(module: Any, *others: Any) -> Any:
        order.extend(names(module))
        return lower(module, *others)

    def refuses(module: Any, *others: Any) -> Any:
        name = names(module)[0]
        if name != "subgraph_0":
            raise CompileError(f"no {name}")
        return lower(module, *others)

    monkeypatch.setattr(apart, "lowered", noted)
    snippets_mlir.compile(text)
    assert order == ["subgraph_2", "subgraph_0", "subgraph_1"]
    monkeypatch.setattr(apart, "lowered", refuses)
    with pytest.raises(CompileError, match="no subgraph_2"):
        snippets_mlir.compile(text)

    def refuses_all(module: Any, *_: Any) -> Any:
        raise CompileError(f"no {names(module)[0]}")

    monkeypatch.setattr(apart, "lowered", refuses_all)
    with pytest.raises(CompileError, match="no subgraph_0"):
        snippets_mlir.compile(text)


def test_what_has_not_begun_may_be_left_out() -> None:
    began, go_on = threading.Event(), threading.Event()
    done: list[str] = []

    def first() -> None:
        began.set()
        go_on.wait(5)
        done.append("first")

    with InTurn() as thread:
        thread.begin(first)
        thread.begin(lambda: done.append("second"))
        began.wait(5)
        thread.leave_out()
        go_on.set()
    assert done == ["first"]
