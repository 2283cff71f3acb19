"""The worker processes of this process: they start on demand, and stay for a while.

A worker is a separate program (`worker.py`), not a fork of this process, and does not import its
`__main__`. It loads the compiler while this process works. A later compilation finds it ready. It
ends after a minute without work, and with this process, even if that is killed.

No process is started if `sys.executable` is not an interpreter: in frozen applications, and in
programs that embed Python. A child made by `os.fork` starts its own workers. All of this happens
under the compilation lock, which forks wait for.
"""

from __future__ import annotations

import atexit
import os
import sys
from contextlib import suppress
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen

from snippets_mlir.driver.workers.messages import (
    Answer,
    greeting,
    receive,
    receive_answer,
    send,
)

SERVE = (
    "import sys; sys.path[:] = sys.argv[1:]; "
    "from snippets_mlir.driver.workers.worker import serve; serve()"
)


class Worker:
    """One process.

    Attributes:
        made: how many batches it has compiled.
    """

    def __init__(self) -> None:
        """Start it; OSError or RuntimeError if this is not possible."""
        ours = str(Path(__file__).resolve().parents[3])
        command = [sys.executable, "-I", "-S", "-c", SERVE, *filter(None, sys.path), ours]
        self.process = Popen(command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL)
        self.made = 0
        self._greeted = False

    def ask(self, task: bytes) -> None:
        """Give it an `encoded` task; OSError or ValueError when it has ended."""
        assert self.process.stdin is not None
        send(task, self.process.stdin)

    def answer(self) -> Answer | None:
        """The answer to the first task without one; None if the process refuses it.

        Raises:
            EOFError: the process has ended, or is one of another version.
            ValueError: it says something else, or `end` has been called.
        """
        answers = self.process.stdout
        assert answers is not None
        if not self._greeted and receive(answers) != greeting():
            raise EOFError
        self._greeted = True
        answer = receive_answer(answers)
        self.made += answer is not None
        return answer

    def release(self) -> None:
        """Keep it for other programs."""

    @property
    def lives(self) -> bool:
        """Whether the process has not ended."""
        return self.process.poll() is None

    def end(self) -> None:
        """End the process, which has nothing to write, and forget it."""
        if self in _workers:
            _workers.remove(self)
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            with suppress(OSError):  # what was not sent
                pipe.close()


_workers: list[Worker] = []
"""Those that were started and not found dead."""


def started() -> tuple[Worker, ...]:
    """The workers of this process, including workers that have died since their use."""
    return tuple(_workers)


def can_start() -> bool:
    """Whether `sys.executable` is an interpreter."""
    name = os.path.basename(sys.executable or "")
    return name.startswith(("python", "pypy")) and not getattr(sys, "frozen", False)


def workers(count: int) -> list[Worker]:
    """`count` live processes, fewer if they cannot be started."""
    for worker in [worker for worker in _workers if not worker.lives]:
        worker.end()
    while len(_workers) < count and can_start():
        try:
            _workers.append(Worker())
        except (OSError, RuntimeError):  # no process is left, or the interpreter is ending
            break
    return _workers[:count]


def end_all() -> None:
    """End the worker processes of this process; the next compilation starts new ones."""
    while _workers:
        _workers[-1].end()


def _forget() -> None:
    """In a child made by `os.fork`: the workers belong to its parent."""
    for worker in _workers:
        worker.process.returncode = 0
    _workers.clear()


atexit.register(end_all)
os.register_at_fork(after_in_child=_forget)
