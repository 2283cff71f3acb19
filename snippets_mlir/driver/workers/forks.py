"""Copies of this process that compile kernels: they already have the IR and the compiler.

    this process   [ passes on the whole module ] fork [ batch 0 ][ batch 2 ] [ the answers ]
    a copy                                             [ batch 1 ][ batch 3 ]

A copy reads the numbers of batches and writes answers (`messages.py`). It starts in about 10 ms,
prints and reads no kernel, runs nothing of the caller's program, has only its pipes open, and ends
on request, or when this process ends. `os.fork` waits until no thread is within the compiler, LLVM
or a session of onnxruntime (`codegen/locks.py`).

No copy is made while another thread runs a session of ours, which would wait for it; after JAX has
started, because it warns at each fork; and on systems other than Linux. `processes.py` has the
replacement for these cases.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import NoReturn

from snippets_mlir.codegen.locks import ENGINE
from snippets_mlir.driver.workers.messages import (
    Answer,
    receive,
    receive_answer,
    send,
    send_answer,
)

WARNS = "jax._src.xla_bridge"
"""A module whose users see a warning when their process forks."""

OPEN = "/proc/self/fd"


def can_fork() -> bool:
    """Whether copies of this process may be made without harm."""
    return sys.platform == "linux" and WARNS not in sys.modules and not ENGINE.is_busy()


class Fork:
    """One copy of this process.

    Attributes:
        process: its number, 0 once it has ended.
        made: how many batches it has compiled.
    """

    def __init__(self, work: Callable[[int], Answer]) -> None:
        """Make it; OSError or RuntimeError if this is not possible.

        `work` compiles the batch with a number. This process raises its exception again.
        """
        self.made = 0
        tasks, self._tasks = os.pipe()
        self._answers, answers = os.pipe()
        try:
            self.process = _forked()
            if self.process == 0:
                _serve(work, tasks, answers)
        except BaseException:
            os.close(self._tasks)
            os.close(self._answers)
            raise
        finally:
            os.close(tasks)
            os.close(answers)
        self._to, self._from = os.fdopen(self._tasks, "wb"), os.fdopen(self._answers, "rb")

    def ask(self, task: bytes) -> None:
        """Give it the number of a batch; OSError or ValueError when it has ended."""
        send(task, self._to)

    def answer(self) -> Answer | None:
        """The answer to the first task without one; None if `work` has failed.

        Raises:
            EOFError: the copy has ended.
            ValueError: `end` has been called.
        """
        answer = receive_answer(self._from)
        self.made += answer is not None
        return answer

    def release(self) -> None:
        """Let it end, which takes 8 ms of another processor: its memory is freed."""
        with suppress(OSError):
            self._to.close()

    def end(self) -> None:
        """End the copy, which has nothing to write, once."""
        process, self.process = self.process, 0
        if not process:
            return
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
        with suppress(ChildProcessError):  # the caller's program waits for all children
            os.waitpid(process, 0)
        for pipe in (self._to, self._from):
            with suppress(OSError):  # what was not sent
                pipe.close()


def _forked() -> int:
    """`os.fork`, without the warning of Python 3.12 for all processes with threads.

    Our locks are then free (`codegen/locks.py`), and a copy uses no library with threads. If
    warnings were errors, the id of an existing process would be lost.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


def number_of(task: int) -> bytes:
    """The message that requests a batch."""
    return task.to_bytes(4, "little")


def forks(count: int, work: Callable[[int], Answer]) -> list[Fork]:
    """`count` copies of this process, fewer if they cannot be made."""
    found: list[Fork] = []
    while len(found) < count:
        try:
            found.append(Fork(work))
        except (OSError, RuntimeError):  # no process is left, or the interpreter is ending
            break
    return found


def _serve(work: Callable[[int], Answer], tasks: int, answers: int) -> NoReturn:
    """Answer until there is no task any more. Interrupts are for the requesting process.

    Nothing is collected: finalizers of the caller's objects run only in the caller's process.
    """
    try:
        gc.disable()
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        _close_all_but(tasks, answers)
        with os.fdopen(tasks, "rb") as source, os.fdopen(answers, "wb") as sink:
            while True:
                number = int.from_bytes(receive(source), "little")
                try:
                    answer = work(number)
                except Exception:  # the other side meets it again, and says it
                    answer = None
                send_answer(answer, sink)
    finally:
        os._exit(0)


def _close_all_but(*kept: int) -> None:
    """Close files of this process; output to the standard files is lost."""
    for name in os.listdir(OPEN):
        with suppress(OSError):  # the one of the folder
            if (file := int(name)) not in kept:
                os.close(file)
    for standard in range(3):
        if standard not in kept:
            os.open(os.devnull, os.O_RDWR)  # takes the first number that is free
