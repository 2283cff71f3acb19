"""Which worker processes help with the kernels of a program.

    plan of an ONNX model: 36 kernels, of which 20 differ     a worker starts, loads the compiler
    passes on the whole module                                meanwhile
    20 kernels in 17 batches                                  this process and the worker take them

A process takes about half a second to start. So it starts as soon as a plan says that there will be
enough kernels, where there is one.
"""

from __future__ import annotations

from collections.abc import Sequence

from snippets_mlir.driver.workers.batches import enough, need_workers
from snippets_mlir.driver.workers.processes import Worker, workers
from snippets_mlir.passmanager.context import ToolContext
from snippets_mlir.support.outside import PARTS


def expect(kernels: int, processes: int, ctx: ToolContext) -> None:
    """Start workers for a program that will have about so many kernels, if these are enough.

    Args:
        kernels: how many different ones a plan has.
        processes: how many compile the kernels, this one included.
        ctx: the context of the compilation.
    """
    if enough(kernels) and not _is_alone(ctx):
        workers(processes - 1)


def helpers_for(batches: Sequence[range], processes: int, ctx: ToolContext) -> list[Worker]:
    """The workers for the kernels of all batches: one less than `processes`, or fewer."""
    if _is_alone(ctx) or not need_workers(batches):
        return []
    return workers(min(processes, len(batches)) - 1)


def _is_alone(ctx: ToolContext) -> bool:
    """Whether this process has plug-ins, which workers do not know."""
    return bool(ctx.plugins or PARTS)
