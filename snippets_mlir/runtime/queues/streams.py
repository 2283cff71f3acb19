"""Streams: threads that run jobs, each on its own cores.

    streams = Streams(count=2, threads=1)
    streams.submit(job)            one of them calls job.run(stream), in order of arrival
    streams.close()                when all jobs have run

The threads start with the first job. A thread is pinned to its cores before it starts the threads
that share its kernels, so that they inherit the pinning. Threads are daemons: the interpreter does
not wait for them at its end, but for `close`, which drains the queue. A child made by `os.fork` has
no streams. With the queue in machine code (`native_line.py`), a job that fits a table of a stream
runs without Python.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from ctypes import addressof
from dataclasses import dataclass, field
from functools import partial
from threading import Thread, current_thread
from typing import TYPE_CHECKING, Any

from snippets_mlir.codegen.locks import KEEPING
from snippets_mlir.codegen.stubs.request_interface import END, KNOWN, STREAM
from snippets_mlir.runtime.arguments.arrays import address_of
from snippets_mlir.runtime.parallel.threads import OwnThreads
from snippets_mlir.runtime.queues.line import Job, Line

if TYPE_CHECKING:
    from snippets_mlir.runtime.network import Network

NO_STREAMS = (
    "streams do not exist in a process made by os.fork; compile the program in this process"
)


@dataclass
class Stream:
    """A thread that runs jobs.

    Attributes:
        index: its number.
        line: the queue of its jobs.
        team: the threads that share its kernels.
        words: its data for machine code.
        tables: for each key that machine code knows, the owner of its table, oldest first.
    """

    index: int
    line: Line
    team: OwnThreads
    words: Any = field(default_factory=STREAM.structure)
    tables: dict[int, Network] = field(default_factory=dict[int, "Network"])

    def __post_init__(self) -> None:
        self.words.submitted = self.line.address
        self.address = addressof(self.words)

    def pause(self) -> None:
        """Record that Python runs a job."""
        self.words.key = self.words.plan = 0

    def runs(self, key: int, network: Network) -> None:
        """Let machine code run this and later jobs of a key with a network's table.

        It knows the last `KNOWN` keys. Only the stream itself may call it.
        """
        tables = self.tables
        tables.pop(key, None)
        while len(tables) >= KNOWN:
            del tables[next(iter(tables))]
        tables[key] = network
        self._write()
        self.words.key, self.words.plan = key, address_of(network.words)

    def forget(self, networks: Collection[Network]) -> None:
        """Let Python run the jobs of these networks; only the stream itself may call it."""
        self.pause()
        self.tables = {key: made for key, made in self.tables.items() if made not in networks}
        self._write()

    def _write(self) -> None:
        rows = [(key, address_of(made.words)) for key, made in self.tables.items()]
        rows += [(0, 0)] * (KNOWN - len(rows))
        self.words.keys[:], self.words.plans[:] = zip(*rows, strict=True)

    @property
    def network(self) -> Network | None:
        """The network that machine code has run last; None: Python has run the last job, or there
        was none.
        """
        return self.tables.get(self.words.key) if self.words.plan else None


def usable_cores() -> list[int]:
    """The CPUs that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def check_streams(count: int, threads: int) -> None:
    """ValueError unless there are cores for `count` streams of `threads` threads."""
    cores = len(usable_cores())
    if not 1 <= count <= cores:
        raise ValueError(f"streams: expected 1 to {cores}, a core for each, found {count}")
    if not 1 <= threads <= cores // count:
        raise ValueError(
            f"threads_per_stream: expected 1 to {cores // count}, as {cores} core(s) are shared by "
            f"{count} stream(s), found {threads}"
        )


class Streams:
    """See the module.

    Attributes:
        count: the number of streams.
        closed: whether new jobs are refused.
    """

    def __init__(self, count: int, threads: int) -> None:
        """`count` streams for teams of `threads` threads.

        Raises:
            ValueError: there are fewer cores.
        """
        check_streams(count, threads)
        self.count = count
        self.closed = False
        self._each = threads
        self._line: Line | None = None
        self._threads: list[Thread] = []
        self._process = os.getpid()

    @property
    def forked(self) -> bool:
        """Whether they belong to the parent of this process."""
        return os.getpid() != self._process

    @property
    def line(self) -> Line:
        """Where jobs wait for a stream."""
        if self._line is None:
            from snippets_mlir.runtime.queues.native_line import make_line

            made = make_line()  # not under the lock: it may compile
            with KEEPING:
                self._line = self._line or made
        return self._line

    def submit(self, job: Job, key: int = 0, arrays: tuple[object, object] | None = None) -> None:
        """Submit a job; `key` and `arrays` are as for `Line.submit`.

        Raises:
            RuntimeError: they are closed, or belong to another process.
        """
        if self.forked:
            raise RuntimeError(NO_STREAMS)
        line = self.line
        with KEEPING:
            if self.closed:
                raise RuntimeError("the program is closed")
            if not self._threads:
                self._start(line)
            line.submit(job, key, arrays)

    def _start(self, line: Line) -> None:
        cores = usable_cores()
        for index in range(self.count):
            own = tuple(cores[index * self._each : (index + 1) * self._each])
            work = partial(_work, index, own, line, self._each)
            thread = Thread(target=work, name=f"snippets-stream-{index}", daemon=True)
            self._threads.append(thread)
            thread.start()

    def close(self) -> None:
        """Run all submitted jobs, then end the threads; does nothing in a child."""
        if self.forked:
            return
        with KEEPING:
            first, self.closed = not self.closed, True
            if first and self._threads:
                self.line.stop(len(self._threads))
        for thread in self._threads:
            if thread is not current_thread():
                thread.join()


def _work(index: int, cores: tuple[int, ...], line: Line, threads: int) -> None:
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, cores)
    stream = Stream(index, line, OwnThreads(threads))
    while True:
        what, job = line.take(stream)
        if what == END or job is None:
            stream.team.end()
            return
        job.run(stream)
        line.end(job)
        del job  # free its arrays while the stream waits
