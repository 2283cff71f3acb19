"""Fuse two loops that use the same data, under upstream's name.

    affine.for %i = 0 to 64 {                       affine.for %i = 0 to 64 {
      affine.store %x, %T[%i] : memref<64xf32>        affine.store %x, %T[%i] : memref<64xf32>
    }                                                 %0 = affine.load %T[%i] : memref<64xf32>
    affine.for %j = 0 to 64 {                 becomes affine.store %0, %B[%i] : memref<64xf32>
      %0 = affine.load %T[%j] : memref<64xf32>      }
      affine.store %0, %B[%j] : memref<64xf32>
    }

Two loops of one block are fused if they run the same iterations, if no iteration of the second
depends on a later one of the first (or overwrites what it still reads), and if one of them can move
past the ops between them. Greedy: the pair of the greatest worth in a block comes first. The worth
is the number of pairs of accesses that touch a common cell in one iteration. Unless `maximal` is
set, pairs of no worth stay apart, and so do pairs whose fused loop would carry a dependence and
could not be vectorized. Then the pass fuses loops in the bodies, so nests are fused from the
outside in. `mode=producer` fuses two loops only if one writes what the other reads, `mode=sibling`
fuses only the others, `greedy` both.

Unlike upstream's pass, this pass computes nothing twice: loops with different iterations stay.
`affine-scalrep` removes loads of values that a fused loop has stored. Refuses loops that carry
values, and loops with ops of unknown effects. Exact. Arguments are marked as by
`affine-super-vectorize`. Source: MLIR's LoopFusion.cpp.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from typing_extensions import override
from xdsl.dialects import affine, func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation
from xdsl.rewriter import InsertPoint, Rewriter

from snippets_mlir.analysis.loops.affine_access import iv_of
from snippets_mlir.analysis.loops.loop_fusion import Fusion, plan_fusion
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.loops.affine.distinct_arguments import mark_distinct
from snippets_mlir.passes.plans import PlanPass
from snippets_mlir.support.diagnostics import describe_value

Mode = Literal["greedy", "producer", "sibling"]


@dataclass(frozen=True)
class Fusions:
    """The pairs of loops of a function to fuse, one after another.

    A loop that stays is fused again under its own name.
    """

    steps: tuple[Fusion, ...]

    def __str__(self) -> str:
        return "\n".join(map(_line, self.steps)) or "all loops stay apart"


def _line(step: Fusion) -> str:
    first, second = (describe_value(iv_of(loop)) for loop in (step.first, step.second))
    place = "where the second stands" if step.at_second else "where the first stands"
    pairs = "1 pair" if step.worth == 1 else f"{step.worth} pairs"
    chained = "; it carries a dependence" if step.chained else ""
    return f"loops {first} and {second}, {place}: {pairs} of accesses meet{chained}"


def _possible(block: Block) -> Iterator[Fusion]:
    """All fusions that are possible in a block."""
    loops = [op for op in block.ops if isinstance(op, affine.ForOp)]
    for place, first in enumerate(loops):
        for second in loops[place + 1 :]:
            found = plan_fusion(first, second)
            if isinstance(found, Fusion):
                yield found


def _best(block: Block, mode: Mode, *, maximal: bool) -> Fusion | None:
    wanted = [
        found
        for found in _possible(block)
        if (maximal or (found.worth and not found.chained))
        and (mode == "greedy" or found.feeds == (mode == "producer"))
    ]
    return max(wanted, key=lambda found: found.worth, default=None)


def _fused(op: Operation, mode: Mode, *, maximal: bool) -> Iterator[Fusion]:
    """Fuse in the blocks of an op, then inside; yields each fusion after it is done."""
    for block in [block for region in op.regions for block in region.blocks]:
        while (found := _best(block, mode, maximal=maximal)) is not None:
            _fuse(found)
            yield found
        for inner in block.ops:
            yield from _fused(inner, mode, maximal=maximal)


def _fuse(step: Fusion) -> None:
    """Move the body of the second loop into the first."""
    first, second = step.first, step.second
    if step.at_second:
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
class AffineLoopFusionPass(PlanPass[func.FuncOp, Fusions]):
    """Fuse two loops that use the same data."""

    name = "affine-loop-fusion"
    STAGES: ClassVar[Stages] = Stages(("loops",))

    mode: Mode = "greedy"
    maximal: bool = False

    @override
    def units(self, module: ModuleOp) -> Iterable[func.FuncOp]:
        return [op for op in module.walk() if isinstance(op, func.FuncOp)]

    def plan(self, unit: func.FuncOp) -> Fusions:
        """The fusions in a copy, because a fusion changes the later possible ones."""
        copy = unit.clone()
        ours = dict(zip(copy.walk(), unit.walk(), strict=True))
        steps: list[Fusion] = []
        for step in _fused(copy, self.mode, maximal=self.maximal):
            first, second = ours[step.first], ours[step.second]
            assert isinstance(first, affine.ForOp)
            assert isinstance(second, affine.ForOp)
            steps.append(replace(step, first=first, second=second))
        return Fusions(tuple(steps))

    @override
    def carry_out(self, unit: func.FuncOp, plan: Fusions) -> None:
        for step in plan.steps:
            _fuse(step)
        if plan.steps:
            mark_distinct(unit)
