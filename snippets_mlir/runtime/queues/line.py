"""The queue of jobs for the streams of a program: its interface, and a Python version.

    line = PlainLine()
    line.submit(job)               at the end
    what, job = line.take(stream)  the first one; waits for it
    line.end(job)                  it has run; threads that wait for it are notified

Streams take jobs in the order of submission. A queue of requests has a `Counter` of finished
requests, and its thread sleeps until the counter reaches the number it waits for. `native_line.py`
does the same in machine code, if this process supports it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Protocol

from typing_extensions import override

from snippets_mlir.codegen.locks import KEEPING, new_line
from snippets_mlir.codegen.stubs.request_interface import END, ENDED, RUN, WANTED

if TYPE_CHECKING:
    from snippets_mlir.runtime.queues.streams import Stream


class Ticket(Protocol):
    """The place of a job in a line.

    Attributes:
        number: no other job that has not ended has it.
        state: `ENDED` and `WANTED` of `codegen/stubs/request_interface.py`.
    """

    number: int
    state: int


class Counter(Protocol):
    """The progress of the jobs of a queue.

    Attributes:
        ended: the number of finished jobs.
        left: the number of finished jobs for which no stream needs the counter any more.
    """

    ended: int
    left: int


class Job(Protocol):
    """What a stream runs.

    Attributes:
        ticket: its place in the line; None before it is submitted.
        counter: the counter of its queue.
    """

    ticket: Ticket | None
    counter: Counter | None

    def run(self, stream: Stream) -> None:
        """Run it; raises nothing."""
        ...

    def fail(self, error: BaseException) -> None:
        """Record the exception of its run in machine code."""
        ...

    def finish(self) -> None:
        """Notify waiters that it has ended, and drop unneeded data; may be called twice."""
        ...


class Line(ABC):
    """See the module.

    Attributes:
        address: of the line in machine code; 0: Python runs all jobs.
        jobs: the unfinished jobs, by the number of their ticket.
    """

    address = 0

    def __init__(self) -> None:
        self.jobs: dict[int, Job] = {}

    @abstractmethod
    def counter(self) -> Any:
        """A new counter; `release` frees it."""

    @abstractmethod
    def submit(self, job: Job, key: int, arrays: tuple[object, object] | None) -> None:
        """Put a job at the end.

        Args:
            job: its arrays live until it is finished.
            key: the build that may run it in machine code; 0 for none.
            arrays: a tuple of its inputs, and one of its outputs; with a key.
        """

    @abstractmethod
    def stop(self, streams: int) -> None:
        """Let this many streams end when no job is left."""

    @abstractmethod
    def take(self, stream: Stream) -> tuple[int, Job | None]:
        """Wait for Python's work in a stream: `RUN` and a job, or `END`."""

    @abstractmethod
    def end(self, job: Job) -> None:
        """Mark a job as ended, and finish it."""

    @abstractmethod
    def want(self, job: Job) -> bool:
        """Request that a job is finished as soon as it has ended; returns whether it has ended."""

    @abstractmethod
    def aim(self, counter: Any, target: int) -> int:
        """Wake a thread when this many jobs have ended; returns the current number."""

    @abstractmethod
    def wait(self, counter: Any) -> None:
        """Sleep until the target is reached, a thread is woken, or a signal comes."""

    @abstractmethod
    def wake(self, counter: Any) -> None:
        """Wake a thread that waits, or the next one that would."""

    def hold(self, counter: Any) -> None:
        """Use this counter again, which was released."""

    def release(self, counter: Any) -> None:
        """Release this counter, which no job uses any more."""

    def sweep(self) -> None:
        """Finish the jobs that have ended; without locks, since callbacks of futures may run."""

    def tidy(self) -> None:
        """As `sweep`, if there may be many of them."""

    def forget(self, job: Job) -> None:
        """Take back the ticket of a finished job, for another job."""
        ticket, job.ticket = job.ticket, None
        if ticket is not None:
            self.jobs.pop(ticket.number, None)


class _PlainTicket:
    def __init__(self) -> None:
        self.number, self.state = id(self), 0


class PlainCounter:
    """A `Counter`, with the target of a waiting thread."""

    def __init__(self) -> None:
        self.ended = self.left = self.target = 0
        self.tokens = new_line()


class PlainLine(Line):
    """A line in Python."""

    def __init__(self) -> None:
        super().__init__()
        self._waiting = new_line()

    @override
    def counter(self) -> PlainCounter:
        return PlainCounter()

    @override
    def submit(self, job: Job, key: int, arrays: tuple[object, object] | None) -> None:
        ticket = job.ticket = _PlainTicket()
        self.jobs[ticket.number] = job
        self._waiting.put(job)

    @override
    def stop(self, streams: int) -> None:
        for _ in range(streams):
            self._waiting.put(None)

    @override
    def take(self, stream: Stream) -> tuple[int, Job | None]:
        job = self._waiting.get()
        return (END, None) if job is None else (RUN, job)

    @override
    def end(self, job: Job) -> None:
        ticket, counter = job.ticket, job.counter
        assert ticket is not None
        with KEEPING:
            ticket.state |= ENDED
            if isinstance(counter, PlainCounter):
                counter.ended += 1
                counter.left += 1
                if counter.ended == counter.target:
                    counter.tokens.put(None)
        job.finish()
        self.forget(job)

    @override
    def want(self, job: Job) -> bool:
        with KEEPING:
            if (ticket := job.ticket) is None:
                return True
            ticket.state |= WANTED
            return bool(ticket.state & ENDED)

    @override
    def aim(self, counter: PlainCounter, target: int) -> int:
        with KEEPING:
            counter.target = target
            return counter.ended

    @override
    def wait(self, counter: PlainCounter) -> None:
        counter.tokens.get()

    @override
    def wake(self, counter: PlainCounter) -> None:
        counter.tokens.put(None)
