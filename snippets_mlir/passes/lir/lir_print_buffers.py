"""Print loops, buffers and scratchpad of each kernel; the module does not change.

    kernel @softmax: 4 loops, 2 buffers, 4096 bytes of scratchpad a thread, 4096 at least
    loop 0: work 64 step 1 dim 1 parallel
    loop 1: work 1024 step 16 dim 0, in 0
    buffer 0: 4096 bytes at 0, cluster 0, register group 0, in loops 0, alive 18 to 27
    buffer 1: 4096 bytes in output 0, in loops 0, alive 18 to 36

The last number of the first line is the most bytes alive at one time: no placement of the clusters
takes less. Times are places in the kernel's list of ops. Needs the loops' markers; an undecided
value is printed as `?`.
"""

import sys
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import IntegerAttr

from snippets_mlir.dialects.builtin.dims import format_size
from snippets_mlir.dialects.lir.access import loop_ids
from snippets_mlir.dialects.lir.buffer import SCRATCH_BOUND
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.dialects.lir.markers import LoopBeginOp
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.lir.buffer_facts import BufferFacts, facts_of
from snippets_mlir.passes.lir.kernel_passes import KernelReportPass


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


def _loop(info: LoopInfo, around: list[int]) -> str:
    work, step = format_size(info.work_amount), format_size(info.increment)
    text = f"loop {info.id}: work {work} step {step} dim {info.dim}"
    text += " parallel" if info.parallel else ""
    text += "" if info.iteration == "unified" else f" {info.iteration} of {info.origin}"
    return text + (f", in {' '.join(map(str, around))}" if around else "")


def _buffer(facts: BufferFacts) -> str:
    op = facts.buffer
    size, offset, cluster, group = (
        "?" if value is None else format_size(value)
        for value in (
            op.decided_size("size"),
            op.decided_size("offset"),
            op.decided("cluster"),
            op.decided("reg_group"),
        )
    )
    place = f"at {offset}, cluster {cluster}, register group {group}"
    if (output := op.decided("output")) is not None:
        place = f"in output {output}"
    loops = " ".join(map(str, loop_ids(op))) or "none"
    return (
        f"buffer {facts.number}: {size} bytes {place}, in loops {loops}, "
        f"alive {facts.start} to {facts.end}"
    )


def describe_kernel(kernel: KernelOp) -> list[str]:
    """The lines of the report on one kernel: its loops and its buffers."""
    table, facts = kernel.loop_table, facts_of(kernel)
    loops: list[str] = []
    path: list[int] = []
    for op in kernel.block.ops:
        if isinstance(op, LoopBeginOp):
            loops.append(_loop(table[op.id], path))
            path.append(op.id)
        elif op.name == "lir.loop_end":
            path.pop()
    bound = kernel.attributes.get(SCRATCH_BOUND)
    least = f", {bound.value.data} at least" if isinstance(bound, IntegerAttr) else ""
    title = (
        f"kernel @{kernel.sym_name.data}: {_count(len(loops), 'loop')}, "
        f"{_count(len(facts), 'buffer')}, {format_size(kernel.scratch)} bytes of scratchpad a "
        f"thread{least}"
    )
    return [title, *loops, *map(_buffer, facts)]


@dataclass(frozen=True)
class LirPrintBuffersPass(KernelReportPass):
    """Print how kernels use loops and memory."""

    name = "lir-print-buffers"
    STAGES: ClassVar[Stages] = Stages(("looped", "expanded", "assigned"))

    def report(self, kernel: KernelOp) -> None:
        """Print the loops and buffers of the kernel."""
        sys.stdout.write("\n".join([*describe_kernel(kernel), ""]))
