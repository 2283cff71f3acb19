"""The processes that help to compile the kernels of a program.

    20 kernels in 17 batches          a copy of this process and this process take them
    where no copy may be made:
    plan of an ONNX model: 36 kernels, of which 20 differ     a worker starts, loads the compiler
    passes on the whole module                                meanwhile
    20 kernels in 17 batches                                  this process and the worker take them

A worker takes about half a second to start. So it starts as soon as a plan, if there is one,
predicts enough kernels. A copy (`forks.py`) takes 10 ms, and already has the batches.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Protocol

from snippets_mlir.driver.workers.batches import need_copies, need_workers
from snippets_mlir.driver.workers.forks import can_fork, forks
from snippets_mlir.driver.workers.messages import Answer
from snippets_mlir.driver.workers.processes import workers
from snippets_mlir.passmanager.context import ToolContext
from snippets_mlir.support.outside import PARTS


class Helper(Protocol):
    """A process that compiles batches."""

    def ask(self, task: bytes, /) -> None:
        """Give it a task; OSError or ValueError when it has ended."""
        ...

    def answer(self) -> Answer | None:
        """The answer to the first task without one; None if the process refuses it."""
        ...

    def release(self) -> None:
        """Give it no more tasks of this program."""
        ...

    def end(self) -> None:
        """End the process."""
        ...


def expect(kernels: int, processes: int, ctx: ToolContext) -> None:
    """Start workers for a program with about this many kernels, if these are enough.

    Args:
        kernels: how many different ones a plan has.
        processes: how many compile the kernels, including this one.
        ctx: the context of the compilation.
    """
    if need_workers(kernels) and not _is_alone(ctx) and not can_fork():
        workers(processes - 1)


@contextmanager
def helpers_for(
    work: Sequence[int],
    batches: int,
    processes: int,
    ctx: ToolContext,
    compiles: Callable[[int], Answer],
) -> Generator[tuple[Sequence[Helper], bool]]:
    """The processes for the kernels of all batches, one less than `processes` or fewer.

    Args:
        work: of each kernel.
        batches: how many batches of them there are.
        processes: how many compile the batches, including this one.
        ctx: the context of the compilation.
        compiles: the work of a copy of this process for the number of a batch.

    Yields:
        Them, and whether they are copies, which end with the `with`. Workers stay.
    """
    count = min(processes, batches) - 1
    if count <= 0 or _is_alone(ctx) or not need_copies(work):
        yield (), False
    elif can_fork():
        made = forks(count, compiles)
        try:
            yield made, True
        finally:
            for one in made:
                one.end()
    else:
        yield workers(count) if need_workers(len(work)) else (), False


def _is_alone(ctx: ToolContext) -> bool:
    """Whether this process has plug-ins, which workers do not know."""
    return bool(ctx.plugins or PARTS)
