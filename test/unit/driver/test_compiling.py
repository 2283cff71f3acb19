"""The lock of compilation: one thread at a time; no collection of cycles, and frequent switches."""

from __future__ import annotations

import gc
import sys
import weakref
from threading import Event, Thread

import pytest

import snippets_mlir
from snippets_mlir.driver.compiling import COMPILING, SWITCH
from snippets_mlir.support.errors import CompileError


def test_the_collector_waits_for_the_outermost_end():
    with COMPILING:
        assert not gc.isenabled()
        with COMPILING:
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_a_collector_that_was_off_stays_off():
    gc.disable()
    try:
        with COMPILING:
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_the_collector_runs_after_an_error():
    with pytest.raises(CompileError):
        snippets_mlir.compile("func.func @main( {")
    assert gc.isenabled()


@pytest.mark.parametrize("before", [4 * SWITCH, SWITCH / 4, 399e-6])
def test_threads_switch_often_until_the_outermost_end(before: float):
    usual = sys.getswitchinterval()
    sys.setswitchinterval(before)
    said = sys.getswitchinterval()  # whole microseconds
    least = pytest.approx(min(before, SWITCH), abs=1.1e-6)
    try:
        for _ in range(3):
            with COMPILING:
                with COMPILING:
                    assert sys.getswitchinterval() == least
                assert sys.getswitchinterval() == least
            assert sys.getswitchinterval() == said
    finally:
        sys.setswitchinterval(usual)


def test_another_thread_waits():
    started, entered = Event(), Event()

    def other() -> None:
        started.set()
        with COMPILING:
            entered.set()

    thread = Thread(target=other)
    with COMPILING:
        thread.start()
        started.wait()
        assert not entered.wait(0.05)
    thread.join()
    assert entered.is_set()
    assert gc.isenabled()


class _Cycle:
    """An object that only the collector frees."""

    def __init__(self) -> None:
        self.me = self


def test_what_is_left_is_freed_on_request_where_the_collector_runs() -> None:
    def freed() -> bool:
        with COMPILING:
            left = weakref.ref(_Cycle())
            COMPILING.tidy()
            return left() is None

    thresholds = gc.get_threshold()
    try:
        gc.set_threshold(1)
        assert freed()
        gc.set_threshold(10**9)
        assert not freed()  # so many objects are not new
        gc.set_threshold(1)
        gc.disable()
        assert not freed()  # who turned the collector off wants no collection
    finally:
        gc.set_threshold(*thresholds)
        gc.enable()
