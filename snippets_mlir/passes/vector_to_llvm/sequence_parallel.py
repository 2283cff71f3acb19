"""Turn `scf.parallel` into a nest of loops in one thread, a pattern of convert-scf-to-cf.

    %r = scf.parallel (%i, %j) = (%a, %b) to (%c, %d) step (%e, %f) init (%x) -> f32 {..}

becomes

    %r = scf.for %i = %a to %c step %e iter_args(%p = %x) -> (f32) {
      %q = scf.for %j = %b to %d step %f iter_args(%s = %p) -> (f32) {..}
      scf.yield %q : f32
    }

A reduction combines the carried value with an iteration's value, in the order of iterations.
"""

from collections.abc import Sequence

from typing_extensions import override
from xdsl.dialects import scf
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from snippets_mlir.dialects.scf import ParallelOp
from snippets_mlir.passes.building.affine_values import INDEX
from snippets_mlir.passes.patterns import Pattern


class SequenceParallel(Pattern[ParallelOp, Operation]):
    """`scf.parallel` as a nest of `scf.for`, the reductions as carried values."""

    name = "scf-parallel"
    ops = (ParallelOp,)

    @override
    def match(self, op: ParallelOp) -> Operation:
        return op

    def rewrite(self, op: ParallelOp, match: Operation, rewriter: PatternRewriter) -> None:
        """Move the body into the innermost loop."""
        inits: Sequence[SSAValue] = op.initVals
        bounds = list(zip(op.lowerBound, op.upperBound, op.step, strict=True))
        loops: list[scf.ForOp] = []
        for lower, upper, step in bounds:
            block = Block(arg_types=[INDEX, *(init.type for init in inits)])
            loop = scf.ForOp(lower, upper, step, inits, Region(block))
            if loops:
                outer = loops[-1].body.block
                outer.add_ops([loop, scf.YieldOp(*loop.results)])
            loops.append(loop)
            inits = block.args[1:]
        rewriter.insert(loops[0], InsertPoint.before(op))
        reduce = op.body.block.last_op
        assert isinstance(reduce, scf.ReduceOp)
        inner = loops[-1].body.block
        rewriter.inline_block(
            op.body.block, InsertPoint.at_end(inner), [loop.body.block.args[0] for loop in loops]
        )
        combined: list[SSAValue] = []
        carried = tuple(inner.args[1:])
        for region, old, value in zip(reduce.reductions, carried, reduce.args, strict=True):
            last = region.block.last_op
            assert isinstance(last, scf.ReduceReturnOp)
            result = last.operands[0]
            rewriter.erase(last)
            if result is region.block.args[0]:
                result = old
            elif result is region.block.args[1]:
                result = value
            rewriter.inline_block(region.block, InsertPoint.before(reduce), [old, value])
            combined.append(result)
        rewriter.replace(reduce, scf.YieldOp(*combined), [])
        rewriter.replace(op, [], loops[0].results)
