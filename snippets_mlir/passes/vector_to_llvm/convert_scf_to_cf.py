"""Lower `scf` to blocks and branches of `cf`.

    %r = scf.while (%a = %x) : (f32) -> f32 {
      scf.condition(%c) %a : f32
    } do {
    ^bb0(%b: f32):
      scf.yield %b : f32
    }

becomes

      cf.br ^before(%x : f32)
    ^before(%a: f32):
      cf.cond_br %c, ^after(%a : f32), ^end(%a : f32)
    ^after(%b: f32):
      cf.br ^before(%b : f32)
    ^end(%r: f32):

`scf.for` and `scf.if` are lowered by upstream's patterns. Upstream's pass of this name leaves
`scf.while`, `scf.parallel` and `scf.execute_region` and cuts the index of an `scf.index_switch` to
32 bits. Here `scf.parallel` becomes a nest of loops in one thread whose reductions combine in the
order of the iterations. Left as it is: `scf.forall`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import arith as upstream_arith
from xdsl.dialects import cf, scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)
from xdsl.rewriter import BlockInsertPoint, InsertPoint
from xdsl.transforms.convert_scf_to_cf import ForLowering, IfLowering

from snippets_mlir.dialects.arith import CmpiOp
from snippets_mlir.dialects.scf import ParallelOp
from snippets_mlir.passes.building.affine_values import INDEX
from snippets_mlir.support.walking import ops_inside


def _terminator(region: Region) -> Operation:
    """The op that ends a region; inner control flow may have given it several blocks."""
    last = region.blocks[-1].last_op
    assert last is not None
    return last


def _split(op: Operation, rewriter: PatternRewriter) -> tuple[Block, Block]:
    """The block before `op` and the one that starts with it, with an argument for each result."""
    before = op.parent
    assert before is not None
    end = before.split_before(op)
    for result in op.results:
        result.replace_all_uses_with(
            rewriter.insert_block_argument(end, len(end.args), result.type)
        )
    return before, end


def _end_with(block: Block, rewriter: PatternRewriter, branch: Operation) -> None:
    rewriter.insert(branch, InsertPoint.at_end(block))


class LowerWhile(RewritePattern):
    """See the module."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.WhileOp, rewriter: PatternRewriter) -> None:
        """Put both regions between the halves of the block."""
        condition, last = _terminator(op.before_region), _terminator(op.after_region)
        assert isinstance(condition, scf.ConditionOp)
        before, end = _split(op, rewriter)
        check, body = op.before_region.blocks[0], op.after_region.blocks[0]
        for region in (op.before_region, op.after_region):
            rewriter.inline_region(region, BlockInsertPoint.before(end))
        _end_with(before, rewriter, cf.BranchOp(check, *op.arguments))
        choice = cf.ConditionalBranchOp(
            condition.condition, body, condition.args, end, condition.args
        )
        rewriter.replace(condition, choice, [])
        rewriter.replace(last, cf.BranchOp(check, *last.operands), [])
        rewriter.erase(op)


class LowerExecuteRegion(RewritePattern):
    """Put the region between the halves of the block."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.ExecuteRegionOp, rewriter: PatternRewriter) -> None:
        """Yields become branches to what follows."""
        yields = [
            block.last_op for block in op.region.blocks if isinstance(block.last_op, scf.YieldOp)
        ]
        before, end = _split(op, rewriter)
        first = op.region.blocks[0]
        rewriter.inline_region(op.region, BlockInsertPoint.before(end))
        _end_with(before, rewriter, cf.BranchOp(first))
        for last in yields:
            rewriter.replace(last, cf.BranchOp(end, *last.operands), [])
        rewriter.erase(op)


class LowerIndexSwitch(RewritePattern):
    """A chain of comparisons in the width of the index."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.IndexSwitchOp, rewriter: PatternRewriter) -> None:
        """One block of comparison for each case, the default last."""
        regions = [*op.case_regions, op.default_region]
        yields = [_terminator(region) for region in regions]
        starts = [region.blocks[0] for region in regions]
        before, end = _split(op, rewriter)
        for region in regions:
            rewriter.inline_region(region, BlockInsertPoint.before(end))
        for last in yields:
            rewriter.replace(last, cf.BranchOp(end, *last.operands), [])
        block = before
        values = [int(value) for value in op.cases.get_values()]
        for place, (value, start) in enumerate(zip(values, starts, strict=False)):
            other = starts[-1]
            if place + 1 < len(values):
                other = rewriter.create_block(BlockInsertPoint.before(starts[place + 1]))
            constant = upstream_arith.ConstantOp(IntegerAttr(value, INDEX))
            compare = CmpiOp(op.arg, constant.result, "eq")
            rewriter.insert([constant, compare], InsertPoint.at_end(block))
            choice = cf.ConditionalBranchOp(compare.result, start, (), other, ())
            _end_with(block, rewriter, choice)
            block = other
        if not values:
            _end_with(before, rewriter, cf.BranchOp(starts[-1]))
        rewriter.erase(op)


class SequenceParallel(RewritePattern):
    """`scf.parallel` as a nest of `scf.for`, the reductions as carried values."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ParallelOp, rewriter: PatternRewriter) -> None:
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


LOWERINGS: dict[type[Operation], RewritePattern] = {
    scf.IndexSwitchOp: LowerIndexSwitch(),
    scf.ExecuteRegionOp: LowerExecuteRegion(),
    scf.WhileOp: LowerWhile(),
    scf.IfOp: IfLowering(),
    scf.ForOp: ForLowering(),
}
"""What lowers an op, when the ops around it are lowered. None of these makes ops of `scf`."""


def _sweep(module: ModuleOp, patterns: Mapping[type[Operation], RewritePattern]) -> None:
    """Apply the pattern of each op that has one, outer ops first."""
    for op in [op for op in ops_inside(module) if op.__class__ in patterns]:
        patterns[op.__class__].match_and_rewrite(op, PatternRewriter(op))


@dataclass(frozen=True)
class ConvertScfToCfPass(ModulePass):
    """Lower scf to blocks and branches of cf."""

    name: ClassVar[str] = "convert-scf-to-cf"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Make loops of parallel loops, then lower everything in one sweep."""
        _sweep(op, {ParallelOp: SequenceParallel()})
        _sweep(op, LOWERINGS)
