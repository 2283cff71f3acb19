"""Let a loop that runs once move its pointers once.

    #lir.loop<2, work 5, inc 5, ..., last of 0>    port: 2: dim 0 ptr 1 fin -37
                                        becomes          2: dim 0 ptr 0 fin -32

The increment of the only iteration and the finalization offset are one motion, `fin + ptr * inc`.
Loops whose work only a call knows keep theirs. Source: the guide's OptimizeLoopSingleEvaluation
(reference 2.34); it runs behind lir-insert-specific-iterations, which makes such loops of tails.
"""

from dataclasses import dataclass, replace

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from snippets_mlir.dialects.lir.access import ports, set_ports
from snippets_mlir.dialects.lir.attributes import LoopInfo, LoopPort
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.kernels import for_each_kernel
from snippets_mlir.dialects.lir.markers import LoopMarkerOp


def moved_once(motion: LoopPort, loop: LoopInfo) -> LoopPort:
    """The motion with all of it in the finalization offset, if `loop` has one iteration."""
    if not loop.evaluated_once or loop.parallel:
        return motion
    offset = motion.finalization_offset + motion.pointer_increment * loop.increment
    return replace(motion, pointer_increment=0, finalization_offset=offset)


def _apply(kernel: KernelOp) -> None:
    table = kernel.loop_table
    for op in kernel.block.ops:
        if isinstance(op, LoopMarkerOp):
            continue
        old = ports(op)
        new = [
            replace(port, loops=tuple(moved_once(m, table[m.loop]) for m in port.loops))
            for port in old
        ]
        if new != list(old):
            set_ports(op, new)


@dataclass(frozen=True)
class LirOptimizeLoopSingleEvaluationPass(ModulePass):
    """Put the motion of loops that run once into their finalization offsets."""

    name = "lir-optimize-loop-single-evaluation"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Change the ports of every kernel at stage `expanded`."""
        for_each_kernel(op, ("expanded",), _apply)
