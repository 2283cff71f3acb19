"""The queue of jobs in machine code: streams run requests in sequence without Python.

A stream waits, takes a request and runs it in `snippets_take` (`codegen/stubs/take_requests.py`).
This function returns for work that needs Python: a request of another build than the last one, or
of a program without a table; a step that has raised; a future that somebody waits for. Requests
that nobody looks at are finished by later requests, or after 50 ms without a request.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import partial
from time import time
from typing import TYPE_CHECKING, Any, NamedTuple

from typing_extensions import override

from snippets_mlir.codegen.locks import once_after
from snippets_mlir.codegen.stubs.interface import TIME
from snippets_mlir.codegen.stubs.objects import stub_object
from snippets_mlir.codegen.stubs.request_interface import (
    COUNTER,
    ENDED,
    IDLE,
    SUBMITTED,
    TELL,
    TICKET,
)
from snippets_mlir.runtime.arguments.c_function import readable_arrays
from snippets_mlir.runtime.queues.line import Job, Line, PlainLine

if TYPE_CHECKING:
    from snippets_mlir.runtime.queues.streams import Stream

NEEDED = (
    *("sem_init", "sem_wait", "sem_trywait", "sem_timedwait", "sem_post"),
    *("pthread_mutex_init", "pthread_mutex_lock", "pthread_mutex_unlock"),
)
"""The functions that the C library has to have."""

FEW = 8
"""The number of ended jobs from which submitting a job finishes them."""


class _Code(NamedTuple):
    """Functions that keep the interpreter's lock, except `sem_timedwait`."""

    take: Callable[[int], int]
    submit: Callable[[int, int], None]
    end: Callable[[int], int]
    want: Callable[[int], int]
    aim: Callable[[int, int], int]
    wait: Callable[[int, object], int]
    post: Callable[[int], int]


WATCH = 2
"""Maximal seconds before a waiting thread lets Python check for signals: a signal just before the
wait does not end it.
"""


class _Ticket(TICKET.structure):
    number = 0


class _Counter(COUNTER.structure):
    """See `Counter`; `semaphore` wakes a thread that waits."""

    def __init__(self) -> None:
        super().__init__()
        self.address = ctypes.addressof(self)
        self.wakes = self.address + COUNTER.offset("semaphore")


class NativeLine(Line):
    """See the module."""

    def __init__(self) -> None:
        """`can_be_native` says whether there can be one."""
        super().__init__()
        self._code = _code()
        self._submitted = SUBMITTED.structure()
        self.address = ctypes.addressof(self._submitted)
        library = ctypes.CDLL(None)
        self._given = self.address + SUBMITTED.offset("semaphore")
        library.sem_init(ctypes.c_void_p(self._given), 0, 0)
        mutex = ctypes.c_void_p(self.address + SUBMITTED.offset("mutex"))
        library.pthread_mutex_init(mutex, None)
        self._free: list[_Ticket] = []
        self._counters: dict[int, _Counter] = {}
        self._many = FEW

    @override
    def counter(self) -> _Counter:
        made = _Counter()
        ctypes.CDLL(None).sem_init(ctypes.c_void_p(made.wakes), 0, 0)
        self.hold(made)
        return made

    @override
    def hold(self, counter: _Counter) -> None:
        self._counters[counter.address] = counter  # also if its queue is dropped

    @override
    def release(self, counter: _Counter) -> None:
        self._counters.pop(counter.address, None)

    @override
    def submit(self, job: Job, key: int, arrays: tuple[object, object] | None) -> None:
        ticket = self._ticket()
        ticket.state, ticket.key = 0, key
        ticket.inputs, ticket.outputs = (0, 0) if arrays is None else map(id, arrays)
        counter = job.counter
        ticket.counter = counter.address if isinstance(counter, _Counter) else 0
        job.ticket = ticket
        self.jobs[ticket.number] = job
        self._code.submit(self.address, ticket.number)

    def _ticket(self) -> Any:
        try:
            return self._free.pop()
        except IndexError:
            made = _Ticket()
            made.number = ctypes.addressof(made)
            return made

    @override
    def forget(self, job: Job) -> None:
        ticket = job.ticket
        super().forget(job)
        if isinstance(ticket, _Ticket):
            self._free.append(ticket)

    @override
    def stop(self, streams: int) -> None:
        for _ in range(streams):
            self._code.post(self._given)

    @override
    def take(self, stream: Stream) -> tuple[int, Job | None]:
        words = stream.words
        while True:
            try:
                what = self._code.take(stream.address)
            except BaseException as error:  # by a step of the request that it has run
                job = self.jobs[words.ticket]
                job.fail(error)
                self.end(job)
                continue
            job = self.jobs.get(words.ticket)
            if what == IDLE:
                words.ran = 0
                self.sweep()
            elif what == TELL:
                self._finish(job)
            else:
                return what, job
            del job  # free its arrays while the stream waits

    @override
    def end(self, job: Job) -> None:
        assert job.ticket is not None
        self._code.end(job.ticket.number)
        job.finish()
        self.forget(job)

    @override
    def want(self, job: Job) -> bool:
        ticket = job.ticket
        return ticket is None or bool(self._code.want(ticket.number) & ENDED)

    @override
    def aim(self, counter: _Counter, target: int) -> int:
        return self._code.aim(counter.address, target)

    @override
    def wait(self, counter: _Counter) -> None:
        until = TIME.structure(int(time()) + WATCH, 0)
        self._code.wait(counter.wakes, ctypes.byref(until))  # the caller checks, and waits again

    @override
    def wake(self, counter: _Counter) -> None:
        self._code.post(counter.wakes)

    @override
    def tidy(self) -> None:
        if len(self.jobs) >= self._many:
            self.sweep()
            self._many = FEW + 2 * len(self.jobs)

    @override
    def sweep(self) -> None:
        for job in list(self.jobs.values()):
            self._finish(job)

    def _finish(self, job: Job | None) -> None:
        """Finish a job if it has ended, which is also the case if its ticket now belongs to another
        job.
        """
        if job is not None and (ticket := job.ticket) is not None and ticket.state & ENDED:
            job.finish()


@once_after(partial(stub_object, "requests"))
def _code() -> _Code:
    code, library = stub_object("requests"), ctypes.CDLL(None)
    word = ctypes.c_int64
    functions = {
        "take": ctypes.PYFUNCTYPE(word, word),
        "submit": ctypes.PYFUNCTYPE(None, word, word),
        "end": ctypes.PYFUNCTYPE(word, word),
        "want": ctypes.PYFUNCTYPE(word, word),
        "aim": ctypes.PYFUNCTYPE(word, word, word),
    }
    found = {name: type(code.address(f"snippets_{name}")) for name, type in functions.items()}
    wait = ctypes.CFUNCTYPE(ctypes.c_int, word, ctypes.c_void_p)(("sem_timedwait", library))
    post = ctypes.PYFUNCTYPE(ctypes.c_int, word)(("sem_post", library))
    return _Code(**found, wait=wait, post=post)


def can_be_native() -> bool:
    """Whether this process meets the needs of machine code: readable arrays and semaphores."""
    if not readable_arrays():
        return False
    library = ctypes.CDLL(None)
    if not all(hasattr(library, name) for name in NEEDED):
        return False
    tried = SUBMITTED.structure()
    semaphore = ctypes.c_void_p(ctypes.addressof(tried) + SUBMITTED.offset("semaphore"))
    return library.sem_init(semaphore, 0, 0) == 0


def make_line() -> Line:
    """The line of new streams."""
    return NativeLine() if can_be_native() else PlainLine()
