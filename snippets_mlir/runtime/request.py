"""Requests: one run after the other of a program by its streams, and a queue of them.

    request.start({"x": x})          returns at once; a stream runs it
    request.wait(timeout=1.0)        whether it has ended; raises what the run raised
    request["y"]                     an array that belongs to the request's user

    with RequestQueue(runner, 4) as queue:
        futures = [queue.submit({"x": x}) for x in arrays]       at most 4 at a time; else it waits

Inputs are not copied: they may be changed when the request has ended. Misuse is a `RuntimeError`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future, wait
from functools import partial
from typing import Protocol, Self

from typing_extensions import override

from snippets_mlir.codegen.locks import KEEPING, new_line
from snippets_mlir.runtime.arrays import Array
from snippets_mlir.runtime.streams import NO_STREAMS, Stream

Results = dict[str, Array]
Run = Callable[[Stream], Results]


class _Started(Future[Results]):
    """The future of a request that streams will run: nobody can cancel it."""

    @override
    def cancel(self) -> bool:
        return False

    @override
    def running(self) -> bool:
        return not self.done()


class Runner(Protocol):
    """What takes the arrays of a request, and gives its results to a future."""

    @property
    def forked(self) -> bool:
        """Whether its streams are those of the parent of this process."""
        ...

    def submit(
        self,
        arrays: Mapping[str, object],
        out: Mapping[str, object] | None,
        done: Future[Results],
        ended: Callable[[], None] = ...,
    ) -> None:
        """Check the arrays, and have a stream run the program and set what came of it.

        The stream calls `ended` soon after it has set the result.
        """
        ...


class Request:
    """See the module; made by `Program.request`."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner
        self._done: Future[Results] | None = None

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
        done: Future[Results] = Future()
        with KEEPING:
            before = self._done
            if before is not None and not before.done():
                raise RuntimeError("start: the request is running; wait for it first")
            self._done = done
        try:
            self._runner.submit(arrays, out, done)
        except BaseException:
            self._done = before
            raise

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until it has ended; False: it has not after `timeout` seconds, and goes on.

        Raises:
            RuntimeError: it was not started, or runs in the parent of this process.
            Exception: what its run has raised.
        """
        done = self._started("wait")
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
            KeyError: there is no output of that name.
            Exception: what its run has raised.
        """
        done = self._started("result")
        if not done.done():
            raise RuntimeError("result: the request is running; wait for it first")
        results = done.result()
        if name not in results:
            known = ", ".join(map(repr, results))
            raise KeyError(f"no output {name!r}; outputs are {known}")
        return results[name]

    def _started(self, what: str) -> Future[Results]:
        if self._done is None:
            raise RuntimeError(f"{what}: the request was not started")
        return self._done


class RequestQueue:
    """See the module; made by `Program.queue`. A context manager, which waits for all at its end.

    A call of `submit` waits while as many requests as it was made for are running. Once it waits,
    it goes on when as many have ended as there are streams, if the others keep these busy: to wake
    it takes time from a stream, and it competes with them for the interpreter's lock.
    """

    def __init__(self, runner: Runner, requests: int, streams: int) -> None:
        """A queue of at most `requests` at a time, for a runner of so many streams."""
        if requests < 1:
            raise ValueError(f"requests: expected 1 or more, found {requests}")
        self._runner = runner
        self._most, self._together = requests, max(1, min(streams, requests - streams))
        self._places = 0  # that are taken
        self._waiting = 0
        self._free = new_line()  # a token for each place that a waiting thread is given
        self._open = False
        self._running: set[Future[Results]] = set()

    def __enter__(self) -> Self:
        self._open = True
        return self

    def submit(self, arrays: Mapping[str, object]) -> Future[Results]:
        """Have a stream run the program; the future's result is {output name: array}.

        The errors are those of `Request.start`; those of the run are the future's.
        """
        if not self._open:
            raise RuntimeError("submit: the queue is closed; use it in a with statement")
        if self._runner.forked:
            raise RuntimeError(NO_STREAMS)
        self._take_place()
        result = _Started()
        self._running.add(result)
        ended = partial(self._end, result)
        try:
            self._runner.submit(arrays, None, result, ended)
        except BaseException:
            ended()
            raise
        return result

    def _take_place(self) -> None:
        """Wait until fewer requests run than the queue was made for."""
        with KEEPING:
            if self._places < self._most:
                self._places += 1
                return
            self._waiting += 1
        try:
            self._free.get()
        except BaseException:  # somebody interrupts the wait
            with KEEPING:
                if self._free.empty():
                    self._waiting -= 1
                    raise
                self._free.get()
            self._give_place()
            raise

    def _end(self, result: Future[Results]) -> None:
        """A request has ended, or was not started."""
        with KEEPING:
            self._running.discard(result)
            self._give_place()

    def _give_place(self) -> None:
        """There is a place: threads that wait go on if enough places are free."""
        with KEEPING:
            self._places -= 1
            free = self._most - self._places
            given = min(self._waiting, free) if free >= self._together else 0
            self._waiting -= given
            self._places += given
            for _ in range(given):
                self._free.put(None)

    def __exit__(self, *_: object) -> None:
        """Wait until all requests have ended."""
        self._open = False
        if not self._runner.forked:
            wait(self._running.copy())
