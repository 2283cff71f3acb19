"""Make a loop that runs once move its pointers once.

    #lir.loop<2, work 5, inc 5, ..., last of 0>    port: 2: dim 0 ptr 1 fin -37
                                        becomes          2: dim 0 ptr 0 fin -32

The increment of the only iteration and the finalization offset become one motion, `fin + ptr *
inc`. Parallel loops and loops whose work is known only at run time keep both. Source: the guide's
OptimizeLoopSingleEvaluation; it runs after lir-insert-specific-iterations, which makes such loops
of tails.
"""

from dataclasses import dataclass, replace
from typing import ClassVar

from typing_extensions import override
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.dialects.lir.memory import MemoryAccessOp
from snippets_mlir.dialects.lir.pointers import memory_port, set_memory_port
from snippets_mlir.dialects.lir.ports import LoopPort, PortDescriptor
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.lir.kernel_passes import LoopPattern, LoopPatternPass


def moved_once(motion: LoopPort, loop: LoopInfo) -> LoopPort:
    """The whole motion in the finalization offset, if `loop` has one iteration."""
    if not loop.evaluated_once or loop.parallel:
        return motion
    offset = motion.finalization_offset + motion.pointer_increment * loop.increment
    return replace(motion, pointer_increment=0, finalization_offset=offset)


class OneMotion(LoopPattern[MemoryAccessOp, PortDescriptor]):
    """A pointer in a loop that runs once moves by `fin + ptr * inc` after its end."""

    name = "one-motion"
    ops = (MemoryAccessOp,)

    def match(self, op: MemoryAccessOp) -> PortDescriptor | None:
        """The port with the motions of such loops; None if nothing changes."""
        old = memory_port(op)
        new = replace(old, loops=tuple(moved_once(m, self.table[m.loop]) for m in old.loops))
        return None if new == old else new

    @override
    def rewrite(self, op: MemoryAccessOp, match: PortDescriptor, rewriter: PatternRewriter) -> None:
        set_memory_port(op, match)


@dataclass(frozen=True)
class LirOptimizeLoopSingleEvaluationPass(LoopPatternPass):
    """Put the motion of loops that run once into their finalization offsets."""

    name = "lir-optimize-loop-single-evaluation"
    STAGES: ClassVar[Stages] = Stages(("expanded",))
    PATTERNS = (OneMotion,)
