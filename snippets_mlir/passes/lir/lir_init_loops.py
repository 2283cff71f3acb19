"""Write how each loop moves the pointer of each memory port.

    #lir.port<[4, 300], sub [8]>    becomes
    #lir.port<[4, 300], sub [8], loops [0: dim 1 ptr 300 fin -1200, 1: dim 0 ptr 1 fin -300]>

The increment is the stride of the dim in memory, in elements for one unit of the loop's counter. It
is 0 if the port broadcasts (its dim has size 1 and the loop's work is larger), and for the loops
that a buffer lives in, because each iteration fills the buffer anew. The finalization offset resets
the whole motion. Source: the guide's InitLoops; law L8 of the kernel.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from typing_extensions import override
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.dialects.builtin.dims import Dim
from snippets_mlir.dialects.lir.access import loop_ids
from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.dialects.lir.memory import MemoryAccessOp
from snippets_mlir.dialects.lir.pointers import buffer_of, memory_port, set_memory_port
from snippets_mlir.dialects.lir.ports import LoopPort, PortDescriptor
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.lir.kernel_passes import LoopPattern, LoopPatternPass


def loop_port(
    port: PortDescriptor, loop: LoopInfo, *, fixed: bool = False, walked: Dim | None = None
) -> LoopPort:
    """The pointer motion of `port` under `loop`.

    Args:
        port: shape and order in memory.
        loop: the loop.
        fixed: whether the loop does not move the pointer, whatever it walks.
        walked: the work amount of the whole dim, if `loop` runs a block of it.
    """
    place = len(port.shape) - 1 - loop.dim
    stride: Dim = port.step(loop)
    whole = loop.work_amount if walked is None else walked
    if fixed or (port.shape[place] == 1 and whole != 1):
        stride = 0
    return LoopPort(loop.id, loop.dim, stride, -stride * loop.work_amount)


def moved(
    port: PortDescriptor, loops: Sequence[LoopInfo], fixed: Collection[int] = ()
) -> PortDescriptor:
    """`port` with its motion in its outer `loops`; loops in `fixed` do not move it."""
    whole: dict[int, Dim] = {}
    for loop in loops:
        whole.setdefault(loop.dim, loop.work_amount)
    motions = [
        loop_port(port, loop, fixed=loop.id in fixed, walked=whole[loop.dim]) for loop in loops
    ]
    return replace(port, loops=tuple(motions))


class Motion(LoopPattern[MemoryAccessOp, PortDescriptor]):
    """An access steps by the strides of the dims that its loops walk."""

    name = "motion"
    ops = (MemoryAccessOp,)

    def match(self, op: MemoryAccessOp) -> PortDescriptor | None:
        """The port with its motion, if that changes it."""
        buffer, port = buffer_of(op), memory_port(op)
        fixed = loop_ids(buffer) if buffer is not None else ()
        wanted = moved(port, [self.table[id_] for id_ in loop_ids(op)], fixed)
        return None if wanted == port else wanted

    @override
    def rewrite(self, op: MemoryAccessOp, match: PortDescriptor, rewriter: PatternRewriter) -> None:
        set_memory_port(op, match)


@dataclass(frozen=True)
class LirInitLoopsPass(LoopPatternPass):
    """Compute pointer increments and finalization offsets."""

    name = "lir-init-loops"
    STAGES: ClassVar[Stages] = Stages(("accessed",))
    PATTERNS = (Motion,)
