"""The future of a request that streams run; nobody can cancel it.

Most futures are looked at when they have ended, if at all. So it is a `concurrent.futures.Future`
only when somebody looks earlier: `Future.__init__` makes a condition variable, and a stream that
ends the request has to come back to Python and notify it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any

from typing_extensions import override

from snippets_mlir.codegen.locks import KEEPING
from snippets_mlir.codegen.stubs.interface import ENDED
from snippets_mlir.runtime.arrays import Array
from snippets_mlir.runtime.line import Counter, Line, Ticket
from snippets_mlir.runtime.streams import Stream

Results = dict[str, Array]


class Pending(Future[Results]):
    """See the module; a `Job` of `line.py`.

    Attributes:
        inputs: the arrays that it reads, until it has ended.
        given: arrays of the caller that it writes; None: it makes some.
        outputs: the results, from where machine code writes them or the run has ended.
    """

    def __init__(
        self,
        line: Line,
        names: Sequence[str],
        execute: Callable[[Pending, Stream], Sequence[Array]],
        done: Callable[[Pending], None],
    ) -> None:
        """A request that is not submitted.

        Args:
            line: where it will be.
            names: of its results.
            execute: runs it in Python.
            done: is called once, when it has ended.
        """
        # Without `Future.__init__`, which `__getattr__` calls when it is needed.
        self.ticket: Ticket | None = None
        self.counter: Counter | None = None
        self.inputs: tuple[Array, ...] = ()
        self.given: tuple[Array, ...] | None = None
        self.outputs: Sequence[Array] = ()
        self._line, self._names, self._execute, self._done = line, names, execute, done
        self._error: BaseException | None = None
        self._results: Results = {}
        self._over = self._is_future = False

    def __getattr__(self, name: str) -> Any:
        """Be a future: somebody asks for what is one's, and may wait."""
        if name.startswith("__"):
            raise AttributeError(name)
        with KEEPING:
            if first := not self._is_future:
                super().__init__()
                self._is_future = True
            over = self._over
        if first:
            if over:
                self._settle()
            elif self.ticket is not None and self._line.want(self):
                self.finish()
        return object.__getattribute__(self, name)

    def is_submitted(self) -> None:
        """The line has it: whoever looked at it before waits for it."""
        if self._is_future and self._line.want(self):
            self.finish()

    def run(self, stream: Stream) -> None:
        """Run it in Python; raises nothing."""
        try:
            self.outputs = self._execute(self, stream)
        except BaseException as error:
            self._error = error

    def fail(self, error: BaseException) -> None:
        """Take what its run in machine code has raised."""
        self._error = error

    def finish(self) -> None:
        """It has ended: have its results, and forget its arrays; notify who waits."""
        results = {} if self._error else dict(zip(self._names, self.outputs, strict=True))
        with KEEPING:
            if self._over:
                return
            self._results, self._over = results, True
            is_future = self._is_future
        self._done(self)
        self._line.forget(self)
        self.inputs, self.given, self.outputs = (), None, ()
        if is_future:
            self._settle()

    def _settle(self) -> None:
        if self._error is None:
            self.set_result(self._results)
        else:
            self.set_exception(self._error)

    def _has_ended(self) -> bool:
        """Whether it has; it is finished then."""
        if not self._over:
            ticket = self.ticket
            if ticket is not None and ticket.state & ENDED:
                self.finish()
        return self._over

    @override
    def done(self) -> bool:
        return self._has_ended()

    @override
    def running(self) -> bool:
        return not self._has_ended()

    @override
    def cancel(self) -> bool:
        return False

    @override
    def result(self, timeout: float | None = None) -> Results:
        if not self._has_ended():
            return super().result(timeout)
        if self._error is not None:
            raise self._error
        return self._results

    @override
    def exception(self, timeout: float | None = None) -> BaseException | None:
        return self._error if self._has_ended() else super().exception(timeout)
