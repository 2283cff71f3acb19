"""Make one loop of two that use the same data, under upstream's name.

    affine.for %i = 0 to 64 {                       affine.for %i = 0 to 64 {
      affine.store %x, %T[%i] : memref<64xf32>        affine.store %x, %T[%i] : memref<64xf32>
    }                                                 %0 = affine.load %T[%i] : memref<64xf32>
    affine.for %j = 0 to 64 {                 becomes affine.store %0, %B[%i] : memref<64xf32>
      %0 = affine.load %T[%j] : memref<64xf32>      }
      affine.store %0, %B[%j] : memref<64xf32>
    }

Loops of one block are fused when they run the same iterations, when no iteration of the second
needs what a later one of the first does (or overwrites what it still reads), and when what stands
between them lets one of them pass. Greedy: of all pairs in a block the one of the greatest worth
first, which is the number of pairs of accesses that touch a common cell in one iteration. Pairs of
no worth stay apart, and pairs whose fused loop would carry a dependence, which could not be
vectorized; unless `maximal` is set. Then the bodies, so that nests are fused from the outside in.
`mode=producer` fuses only loops of which one writes what the other reads, `mode=sibling` only the
others, `greedy` both.

Unlike upstream's pass nothing is computed twice: iterations that differ are left alone. What a
fused loop stores and loads again is for `affine-scalrep`. Refuses loops that carry values, and
loops with ops whose effects are not known. Exact. Arguments are marked as by
`affine-super-vectorize`. Source: MLIR's LoopFusion.cpp.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from xdsl.context import Context
from xdsl.dialects import affine, func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from snippets_mlir.analysis.affine_access import iv_of
from snippets_mlir.analysis.loop_fusion import Fusion, plan_fusion
from snippets_mlir.passes.loops.affine.distinct_arguments import mark_distinct

Mode = Literal["greedy", "producer", "sibling"]


def _plans(block: Block) -> Iterator[Fusion]:
    """All fusions that are possible in a block."""
    loops = [op for op in block.ops if isinstance(op, affine.ForOp)]
    for place, first in enumerate(loops):
        for second in loops[place + 1 :]:
            plan = plan_fusion(first, second)
            if isinstance(plan, Fusion):
                yield plan


def _best(block: Block, mode: Mode, *, maximal: bool) -> Fusion | None:
    """The fusion to do next."""
    wanted = [
        plan
        for plan in _plans(block)
        if (maximal or (plan.worth and not plan.chained))
        and (mode == "greedy" or plan.feeds == (mode == "producer"))
    ]
    return max(wanted, key=lambda plan: plan.worth, default=None)


def _apply(plan: Fusion) -> None:
    """Move the body of the second loop into the first."""
    first, second = plan.first, plan.second
    if plan.at_second:
        first.detach()
        Rewriter.insert_op(first, InsertPoint.before(second))
    iv_of(second).replace_all_uses_with(iv_of(first))
    end = first.body.block.last_op
    assert end is not None
    moved = [op for op in second.body.block.ops if not isinstance(op, affine.YieldOp)]
    for op in moved:
        op.detach()
        Rewriter.insert_op(op, InsertPoint.before(end))
    Rewriter.erase_op(second)


@dataclass(frozen=True)
class AffineLoopFusionPass(ModulePass):
    """Make one loop of two that use the same data."""

    name = "affine-loop-fusion"

    mode: Mode = "greedy"
    maximal: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Fuse the loops of every block of every function."""
        for function in op.walk():
            if isinstance(function, func.FuncOp) and self._blocks(function):
                mark_distinct(function)

    def _blocks(self, op: Operation) -> bool:
        """Fuse in the blocks of an op and inside; whether anything was fused."""
        changed = False
        for region in op.regions:
            for block in region.blocks:
                while (plan := _best(block, self.mode, maximal=self.maximal)) is not None:
                    _apply(plan)
                    changed = True
                for inner in block.ops:
                    changed |= self._blocks(inner)
        return changed
