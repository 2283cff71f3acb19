"""Where a pipeline can be cut between kernels, and what is lowered together.

batches_of([10, 10, 40, 10, 10, 10, 30, 10], 4)     [range(0, 2), range(2, 3), range(3, 6), ...]
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from snippets_mlir.dialects.lir.kernels import kernels_of

MIN_KERNELS = 16
"""Kernels below which no other process helps: a worker takes about half a second to start. A copy
of this process takes 10 ms, and 20 ms for pages that both write; with fewer kernels one of them is
most of the work. LLVM compiles it beside the passes anyway. Both take 35 ms for a softmax."""

MAX_BATCHES = 32
"""Enough for four processes to end at about the same time."""

STAGES = 4
"""Batches of a program with fewer kernels, at most: LLVM compiles one while the passes lower the
next."""

STAGE_OPS = 16
"""Ops for each of these batches. A batch more takes 3 ms of the passes and 3 ms of LLVM; kernels of
16 ops take 30 to 60 ms and 15 to 20 ms, an attention 400 ms and 200 ms."""


def cut(passes: Sequence[ModulePass]) -> tuple[Sequence[ModulePass], Sequence[ModulePass]]:
    """The passes that need the whole module, and those after them that take kernels one by one."""
    at = len(passes)
    while at and getattr(passes[at - 1], "KERNELS_APART", False):
        at -= 1
    return passes[:at], passes[at:]


def batches_of(work: Sequence[int], most: int = MAX_BATCHES) -> list[range]:
    """Neighbours of about equal work in all: each batch ends where its share of it is nearest.

    Args:
        work: an estimate of the work of each kernel, in any unit.
        most: how many batches there may be.
    """
    count = min(most, len(work))
    total = max(1, sum(work))
    found: list[range] = []
    begin = 0
    for end, (done, following) in enumerate(zip(accumulate(work), [*work[1:], 0], strict=True), 1):
        is_near = (2 * done + following) * count >= 2 * total * (len(found) + 1)
        if end == len(work) or (is_near and len(found) < count - 1):
            found.append(range(begin, end))
            begin = end
    return found


def planned(module: ModuleOp) -> list[range]:
    """The batches of the kernels of `module`, none where one would do.

    The work of a kernel is the number of its ops.
    """
    work = [len(kernel.block.ops) for kernel in kernels_of(module)]
    if len(work) >= MIN_KERNELS:
        return batches_of(work)
    stages = min(STAGES, len(work), sum(work) // STAGE_OPS)
    return batches_of(work, stages) if stages > 1 else []


def enough(kernels: int) -> bool:
    """Whether so many kernels are enough for several processes."""
    return kernels >= MIN_KERNELS


def need_workers(batches: Sequence[range]) -> bool:
    """Whether the kernels of all batches are enough for several processes."""
    return enough(batches[-1].stop)
