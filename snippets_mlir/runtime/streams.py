"""Streams: threads that run jobs, each on cores of its own.

    streams = Streams(count=2, threads=1)
    streams.submit(lambda stream: print(stream.index))     one of them runs it, in order of arrival
    streams.close()                                        when all jobs have run

The threads begin with the first job. A thread is pinned to its cores before its first OpenMP
region, so that the team that it starts there inherits them. Threads are daemons: the interpreter
does not wait for them when it ends, but for `close`, which drains the queue. A child made by
`os.fork` has no streams.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from queue import Empty
from threading import Thread, current_thread
from typing import Any

from snippets_mlir.codegen.locks import KEEPING, new_line
from snippets_mlir.runtime.threads import OwnTeam

NO_STREAMS = (
    "streams do not exist in a process made by os.fork; compile the program in this process"
)


@dataclass
class Stream:
    """A thread that runs jobs.

    Attributes:
        index: its number.
        cores: the CPUs that it is pinned to; empty where the system has no such thing.
        team: its flag for teams.
    """

    index: int
    cores: tuple[int, ...]
    team: OwnTeam = field(default_factory=OwnTeam)
    _news: list[Callable[[], None]] = field(default_factory=list[Callable[[], None]])

    def tell_later(self, news: Callable[[], None]) -> None:
        """Call `news`, which wakes another thread, when this one lets go of the interpreter's lock.

        A thread that is woken before waits for that lock at once, and is woken twice.
        """
        self._news.append(news)

    def tell(self) -> None:
        """Call all that `tell_later` was given: the lock is about to be free for a while."""
        while self._news:
            self._news.pop()()


Job = Callable[[Stream], None]
"""What a stream runs; it raises nothing, and calls `tell` before it computes."""


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
        count: how many there are.
        closed: whether no jobs are taken any more.
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
        self._jobs = new_line()
        self._threads: list[Thread] = []
        self._process = os.getpid()

    @property
    def forked(self) -> bool:
        """Whether they are those of the parent of this process."""
        return os.getpid() != self._process

    def submit(self, job: Job) -> None:
        """Have a job run.

        Raises:
            RuntimeError: they are closed, or those of another process.
        """
        if self.forked:
            raise RuntimeError(NO_STREAMS)
        with KEEPING:
            if self.closed:
                raise RuntimeError("the program is closed")
            if not self._threads:
                self._start()
            self._jobs.put(job)

    def _start(self) -> None:
        cores = usable_cores()
        for index in range(self.count):
            own = tuple(cores[index * self._each : (index + 1) * self._each])
            stream = Stream(index, own if hasattr(os, "sched_setaffinity") else ())
            name = f"snippets-stream-{index}"
            thread = Thread(target=_work, args=(stream, self._jobs), name=name, daemon=True)
            self._threads.append(thread)
            thread.start()

    def close(self) -> None:
        """Run all jobs that were submitted, then end the threads; does nothing in a child."""
        if self.forked:
            return
        with KEEPING:
            first, self.closed = not self.closed, True
            if first:
                for _ in self._threads:
                    self._jobs.put(None)
        for thread in self._threads:
            if thread is not current_thread():
                thread.join()


def _work(stream: Stream, jobs: Any) -> None:
    if stream.cores:
        os.sched_setaffinity(0, stream.cores)
    while (job := _next(stream, jobs)) is not None:
        job(stream)
        del job  # and what it holds, while the stream waits


def _next(stream: Stream, jobs: Any) -> Job | None:
    """The next job, None at the end; others are told what came of the last one before it waits."""
    try:
        job = jobs.get_nowait()
    except Empty:
        stream.tell()
        return jobs.get()
    if job is None:
        stream.tell()
    return job
