"""Where a pipeline can be divided by kernels, and which kernels are lowered together.

batches_of([10, 10, 40, 10, 10, 10, 30, 10], 4)     [range(0, 2), range(2, 3), range(3, 6), ...]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from snippets_mlir.dialects.lir.brgemm import BrgemmCopyBOp, BrgemmOp
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.kernels import kernels_of

WORK: Mapping[str, int] = {BrgemmOp.name: 64, BrgemmCopyBOp.name: 96}
"""The work of a kernel for each of its ops, where it is not 1, which is 1.1 ms: a product becomes
loops for each tail of its rows and columns. Copied operands belong to attentions, whose blocks have
more tails. Kernels of 11 to 36 ops took 17 to 45 ms, those of one product 90 to 126, of three
products 122 to 191, and attentions 325 to 405 (an Intel core, sizes known at the call).
"""

MIN_KERNELS = 16
"""With fewer kernels no worker helps, because it takes about half a second to start."""

MIN_WORK = 600
"""With less work no copy of this process helps, unless there are `MIN_KERNELS`: a copy takes 10 ms,
and 20 ms for pages that both write, and without a copy LLVM has its own processor.

With a copy, models with work of 656, 729 and 738 compile in 0.74, 0.91 and 0.72 of the time, and
products with work of 154 to 462 in 0.83 to 1.10, about 1 (Zen 3, two processors).
"""

MAX_BATCHES = 32
"""Enough for four processes to end at about the same time."""

STAGES = 4
"""Batches of a program with less work, at most: LLVM compiles one while the passes lower the
next."""

STAGE_WORK = 16
"""Work for each of these batches. An additional batch takes 3 ms of the passes and 3 ms of LLVM;
kernels of 16 ops without a product take 30 to 60 ms and 15 to 20 ms.
"""


def cut(passes: Sequence[ModulePass]) -> tuple[Sequence[ModulePass], Sequence[ModulePass]]:
    """The passes on the whole module, and the passes after them on single kernels."""
    at = len(passes)
    while at and getattr(passes[at - 1], "KERNELS_APART", False):
        at -= 1
    return passes[:at], passes[at:]


def batches_of(work: Sequence[int], most: int = MAX_BATCHES) -> list[range]:
    """Batches of neighbours with about equal total work: each ends where its share is nearest.

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


def work_of(kernel: KernelOp) -> int:
    """About how much there is to do for a kernel, by its ops."""
    return sum(WORK.get(op.name, 1) for op in kernel.block.ops)


def planned(module: ModuleOp) -> list[range]:
    """The batches of the kernels of `module`, none if one would be enough."""
    work = list(map(work_of, kernels_of(module)))
    if need_copies(work):
        return batches_of(work)
    stages = min(STAGES, len(work), sum(work) // STAGE_WORK)
    return batches_of(work, stages) if stages > 1 else []


def need_workers(kernels: int) -> bool:
    """Whether this many kernels are enough for processes that have to be started first."""
    return kernels >= MIN_KERNELS


def need_copies(work: Sequence[int]) -> bool:
    """Whether kernels of so much work each are enough for copies of this process."""
    return need_workers(len(work)) or (len(work) > 1 and sum(work) >= MIN_WORK)
