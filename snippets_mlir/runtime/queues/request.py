"""Requests: runs of a program by its streams, one after the other.

    request.start({"x": x})          returns at once; a stream runs it
    request.wait(timeout=1.0)        whether it has ended; raises what the run raised
    request["y"]                     an array that belongs to the request's user
    request.error                    the exception of the run; None if there is none

Inputs are not copied: they may be changed only after the request has ended. Misuse is a
`RuntimeError`. `request_queue.py` has a queue of requests.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import wait
from math import isnan
from numbers import Real
from threading import TIMEOUT_MAX
from typing import Protocol

from snippets_mlir.codegen.locks import KEEPING
from snippets_mlir.runtime.arguments.arrays import Array
from snippets_mlir.runtime.queues.line import Line
from snippets_mlir.runtime.queues.pending import Pending
from snippets_mlir.runtime.queues.streams import NO_STREAMS
from snippets_mlir.support.uncopied import Uncopied


class Runner(Protocol):
    """Takes the arrays of a request, and lets a stream run the program on them."""

    @property
    def forked(self) -> bool:
        """Whether its streams belong to the parent of this process."""
        ...

    @property
    def line(self) -> Line:
        """Where requests wait for a stream."""
        ...

    def prepare(self, arrays: Mapping[str, object], out: Mapping[str, object] | None) -> Pending:
        """Check the arrays of a request; nothing runs yet."""
        ...

    def launch(self, pending: Pending) -> None:
        """Have a stream run it."""
        ...


class Request(Uncopied):
    """See the module; made by `Program.request`."""

    def __init__(self, runner: Runner, program: object = None) -> None:
        """`program` is kept: its finalizer ends the streams of `runner`."""
        self._runner, self._program = runner, program
        self._done: Pending | None = None

    def start(self, arrays: Mapping[str, object], out: Mapping[str, object] | None = None) -> None:
        """Have a stream run the program.

        Args:
            arrays: by the names of the inputs; not copied.
            out: arrays for all outputs by name; None for new ones.

        Raises:
            RuntimeError: it runs, the program is closed, or this is a process made by `os.fork`.
            TypeError, ValueError: as for a call of the program. ValueError: an array of `out` is
                in use by another request that runs.
        """
        self._check_idle()
        pending = self._runner.prepare(arrays, out)
        with KEEPING:
            self._check_idle()
            before, self._done = self._done, pending
        try:
            self._runner.launch(pending)
        except BaseException:
            self._done = before
            raise

    def _check_idle(self) -> None:
        if self._done is not None and not self._done.done():
            raise RuntimeError("start: the request is running; wait for it first")

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until it has ended; False if it still runs after `timeout` seconds.

        Raises:
            RuntimeError: the request was not started, or runs in the parent of this process.
            TypeError, ValueError: `timeout` is not a number.
            Exception: the exception of its run.
        """
        done, timeout = self._started("wait"), _seconds(timeout)
        if done.done() or not self._runner.forked:
            wait([done], timeout)
        elif not done.done():
            raise RuntimeError(f"wait: {NO_STREAMS}")
        if not done.done():
            return False
        done.result()
        return True

    def __getitem__(self, name: str) -> Array:
        """The output of a name.

        Raises:
            RuntimeError: the request was not started, or has not ended.
            KeyError: there is no output with that name.
            Exception: the exception of its run.
        """
        results = self._ended("result").result()
        if name not in results:
            known = ", ".join(map(repr, results))
            raise KeyError(f"no output {name!r}; outputs are {known}")
        return results[name]

    @property
    def error(self) -> BaseException | None:
        """The exception of its last run; None if there is none.

        Raises:
            RuntimeError: the request was not started, or has not ended.
        """
        return self._ended("error").exception()

    def _ended(self, what: str) -> Pending:
        done = self._started(what)
        if not done.done():
            raise RuntimeError(f"{what}: the request is running; wait for it first")
        return done

    def _started(self, what: str) -> Pending:
        if self._done is None:
            raise RuntimeError(f"{what}: the request was not started")
        return self._done


def _seconds(timeout: object) -> float | None:
    """A time-out, at most the longest that Python can wait."""
    if timeout is None:
        return None
    if isinstance(timeout, bool) or not isinstance(timeout, Real):
        raise TypeError(f"timeout: expected seconds or None, found {type(timeout).__name__}")
    if isnan(seconds := float(timeout)):
        raise ValueError("timeout: expected seconds or None, found nan")
    return min(seconds, TIMEOUT_MAX)
