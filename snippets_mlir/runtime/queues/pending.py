"""The future of a request that streams run; nobody can cancel it.

Most futures are used only after they have ended, if at all. So it becomes a
`concurrent.futures.Future` only if somebody uses it earlier: `Future.__init__` makes a condition
variable, and a stream that ends the request has to return to Python and notify it.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any, Protocol

from typing_extensions import override

from snippets_mlir.codegen.locks import KEEPING
from snippets_mlir.codegen.stubs.request_interface import ENDED
from snippets_mlir.runtime.arguments.arrays import Array
from snippets_mlir.runtime.queues.line import Counter, Line, Ticket
from snippets_mlir.runtime.queues.streams import Stream

Results = dict[str, Array]


class Owner(Protocol):
    """The program that the requests are for."""

    @property
    def names(self) -> Sequence[str]:
        """The names of the results."""
        ...

    @property
    def line(self) -> Line:
        """The queue in which requests wait for a stream."""
        ...

    def execute(self, pending: Any, stream: Stream) -> Sequence[Array]:
        """Run a request in Python; returns its results."""
        ...

    def release(self, pending: Any) -> None:
        """Called once for each request, after it has ended."""
        ...


class Pending(Future[Results]):
    """See the module; a `Job` of `line.py`.

    Attributes:
        inputs: the arrays that it reads, until it has ended.
        given: arrays of the caller that it writes; None: it makes new ones.
        outputs: the results, after machine code writes them or the run has ended.
    """

    ticket: Ticket | None = None
    counter: Counter | None = None
    outputs: Sequence[Array] = ()
    _error: BaseException | None = None
    _results: Results | None = None
    _over = False
    _is_future = False

    def __init__(
        self, owner: Owner, inputs: Sequence[Array], given: Sequence[Array] | None
    ) -> None:
        """A request before its submission."""
        # Without `Future.__init__`, which `__getattr__` calls when it is needed.
        self._owner = owner
        self.inputs = tuple(inputs)
        self.given = None if given is None else tuple(given)

    def __getattr__(self, name: str) -> Any:
        """Become a future: somebody uses an attribute of a future, and may wait."""
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
            elif self.ticket is not None and self._owner.line.want(self):
                self.finish()
        return object.__getattribute__(self, name)

    def is_submitted(self) -> None:
        """Called after submission: if somebody already uses the future, it has to be notified."""
        if self._is_future and self._owner.line.want(self):
            self.finish()

    def run(self, stream: Stream) -> None:
        """Run it in Python; raises nothing."""
        try:
            self.outputs = self._owner.execute(self, stream)
        except BaseException as error:
            self._error = error

    def fail(self, error: BaseException) -> None:
        """Record the exception of its run in machine code."""
        self._error = error

    def finish(self) -> None:
        """Called after it has ended: set its results, drop its arrays, and notify waiters."""
        with KEEPING:
            if self._over:
                return
            self._over = True
            is_future = self._is_future
        self._owner.release(self)
        self._owner.line.forget(self)
        self.inputs, self.given = (), None
        if self._error is not None:
            self.outputs = ()
        if is_future:
            self._settle()

    def _settle(self) -> None:
        if self._error is None:
            self.set_result(self._named())
        else:
            self.set_exception(self._error)

    def _named(self) -> Results:
        """The results by name: always the same object."""
        if self._results is None:
            named = dict(zip(self._owner.names, self.outputs, strict=True))
            with KEEPING:
                self._results = self._results or named
        return self._results

    def _has_ended(self) -> bool:
        """Whether it has ended; if so, it is finished."""
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
        return self._named()

    @override
    def exception(self, timeout: float | None = None) -> BaseException | None:
        return self._error if self._has_ended() else super().exception(timeout)
