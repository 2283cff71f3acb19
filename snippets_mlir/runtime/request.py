"""Requests: runs of a program by its streams, one after the other, and a queue of requests.

    request.start({"x": x})          returns at once; a stream runs it
    request.wait(timeout=1.0)        whether it has ended; raises what the run raised
    request["y"]                     an array that belongs to the request's user

    with RequestQueue(runner, 4) as queue:
        futures = [queue.submit({"x": x}) for x in arrays]       at most 4 at a time; else it waits

Inputs are not copied: they may be changed only after the request has ended. Misuse is a
`RuntimeError`.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Future, wait
from math import isnan
from numbers import Real
from threading import TIMEOUT_MAX
from time import sleep
from typing import Any, Protocol, Self

from snippets_mlir.codegen.locks import KEEPING
from snippets_mlir.runtime.arrays import Array
from snippets_mlir.runtime.line import Line
from snippets_mlir.runtime.pending import Pending, Results
from snippets_mlir.runtime.streams import NO_STREAMS
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

    def __init__(self, runner: Runner) -> None:
        self._runner = runner
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
        """Wait until it has ended; False: it has not after `timeout` seconds, and goes on.

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
        done = self._started("result")
        if not done.done():
            raise RuntimeError("result: the request is running; wait for it first")
        results = done.result()
        if name not in results:
            known = ", ".join(map(repr, results))
            raise KeyError(f"no output {name!r}; outputs are {known}")
        return results[name]

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


class RequestQueue(Uncopied):
    """See the module; made by `Program.queue`. A context manager, which waits for all at its end.

    A call of `submit` waits while the maximal number of requests is running. A waiting call
    continues after as many requests have ended as there are streams, if other requests keep the
    streams busy: waking it takes time from a stream, and it competes with streams for the
    interpreter's lock.
    """

    def __init__(self, runner: Runner, requests: int, streams: int) -> None:
        """A queue of at most `requests` at a time, for a runner with this number of streams."""
        if requests < 1:
            raise ValueError(f"requests: expected 1 or more, found {requests}")
        self._runner = runner
        self._most, self._together = requests, max(1, min(streams, requests - streams))
        self._open = False
        self._counter: Any = None  # of requests that have ended
        self._submitted = 0
        self._waiting = 0  # threads

    def __enter__(self) -> Self:
        with KEEPING:
            if self._counter is not None:
                self._runner.line.hold(self._counter)
            self._open = True
        return self

    @property
    def running(self) -> int:
        """How many requests have not ended."""
        return self._submitted - (0 if self._counter is None else self._counter.ended)

    def submit(self, arrays: Mapping[str, object]) -> Future[Results]:
        """Have a stream run the program; the future's result is {output name: array}.

        Errors are as in `Request.start`; errors of the run belong to the future.
        """
        self._check_open()
        if self._runner.forked:
            raise RuntimeError(NO_STREAMS)
        line = self._runner.line
        pending = self._runner.prepare(arrays, None)
        pending.counter = self._take_place(line)
        try:
            self._runner.launch(pending)
        except BaseException:
            with KEEPING:
                self._submitted -= 1
            line.wake(pending.counter)  # whoever waits, for a place or for the end
            raise
        return pending

    def _check_open(self) -> None:
        if not self._open:
            raise RuntimeError("submit: the queue is closed; use it in a with statement")

    def _take_place(self, line: Line) -> Any:
        """Wait until fewer than the maximal number of requests run; returns their counter."""
        while True:
            with KEEPING:
                if not self._open:
                    self._aim(line)  # others that wait are told, too
                    self._check_open()
                if self._counter is None:
                    self._counter = line.counter()
                if self.running < self._most:
                    self._submitted += 1
                    self._aim(line)
                    return self._counter
                self._waiting += 1
                self._aim(line)
            try:
                line.wait(self._counter)
            finally:
                with KEEPING:
                    self._waiting -= 1
                    self._aim(line)  # if a signal came, the token is for others
            line.sweep()

    def _aim(self, line: Line) -> None:
        """Have one of the threads that wait look again when there are places; with the lock.

        A woken thread calls it for the others: the counter has only one target.
        """
        if self._waiting:
            target = self._submitted - self._most + self._together
            free = self.running < self._most or not self._open
            if free or line.aim(self._counter, target) >= target:
                line.wake(self._counter)

    def __exit__(self, *_: object) -> None:
        """Wait until all requests have ended."""
        line = None if self._runner.forked else self._runner.line
        with KEEPING:
            self._open = False
            counter = self._counter
            if line is None or counter is None:
                return
            self._aim(line)
        while self.running:
            if line.aim(counter, self._submitted) < self._submitted:
                line.wait(counter)
                with KEEPING:
                    self._aim(line)  # it may have been for a thread that waits
        line.sweep()
        while counter.left < self._submitted:
            sleep(0)  # a stream is about to let go of the counter
        line.release(counter)
