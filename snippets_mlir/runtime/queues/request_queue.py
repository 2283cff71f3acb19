"""A queue of requests, which limits how many run at a time.

    with RequestQueue(runner, 4) as queue:
        futures = [queue.submit({"x": x}) for x in arrays]       at most 4 at a time; else it waits

Inputs are not copied: they may be changed only after the request has ended. Misuse is a
`RuntimeError`.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Future
from time import sleep
from typing import Any, Self

from snippets_mlir.codegen.locks import KEEPING
from snippets_mlir.runtime.queues.line import Line
from snippets_mlir.runtime.queues.pending import Results
from snippets_mlir.runtime.queues.request import Runner
from snippets_mlir.runtime.queues.streams import NO_STREAMS
from snippets_mlir.support.uncopied import Uncopied


class RequestQueue(Uncopied):
    """See the module; made by `Program.queue`. A context manager, which waits for all at its end.

    A call of `submit` waits while the maximal number of requests are running. A waiting call
    continues after as many requests have ended as there are streams, if the other requests keep the
    streams busy: waking it takes time from a stream, and it competes with the streams for the
    interpreter's lock.
    """

    def __init__(self, runner: Runner, requests: int, streams: int, program: object = None) -> None:
        """A queue of at most `requests` at a time, for a runner with this many streams.

        `program` is kept: its finalizer ends the streams.
        """
        if requests < 1:
            raise ValueError(f"requests: expected 1 or more, found {requests}")
        self._runner, self._program = runner, program
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
        """The number of requests that have not ended."""
        return self._submitted - (0 if self._counter is None else self._counter.ended)

    def submit(self, arrays: Mapping[str, object]) -> Future[Results]:
        """Have a stream run the program; the future's result is {output name: array}.

        The errors are those of `Request.start`; those of the run are the future's.
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
        """Wait until another request may run; returns the counter of requests."""
        while True:
            with KEEPING:
                if not self._open:
                    self._aim(line)  # other waiting threads have to see it, too
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
                    self._aim(line)  # after a signal, the wake-up belongs to others
            line.sweep()

    def _aim(self, line: Line) -> None:
        """Let one of the waiting threads check again when another request may run; called with the
        lock.

        A woken thread calls it for the others, because the counter has only one target.
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
            sleep(0)  # a stream is about to release the counter
        line.release(counter)
