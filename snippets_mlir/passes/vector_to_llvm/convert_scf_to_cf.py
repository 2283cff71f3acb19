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

`scf.for` is lowered as in upstream's pattern, and `scf.if` by that pattern. Upstream's pass of this
name leaves `scf.while`, `scf.parallel` and `scf.execute_region`, and truncates the index of an
`scf.index_switch` to 32 bits. Here `scf.parallel` becomes a nest of loops in one thread, and its
reductions combine in the order of the iterations. Leaves `scf.forall`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from typing_extensions import override
from xdsl.dialects import arith as upstream_arith
from xdsl.dialects import cf, scf
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, ModuleOp, i32
from xdsl.ir import Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import BlockInsertPoint, InsertPoint
from xdsl.transforms.convert_scf_to_cf import IfLowering

from snippets_mlir.dialects.arith import CmpiOp
from snippets_mlir.dialects.llvm.loop_annotations import ON_LOOPS
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.building.affine_values import INDEX
from snippets_mlir.passes.patterns import AnyPattern, OpT, Pattern, PatternPass
from snippets_mlir.passes.vector_to_llvm.block_halves import (
    end_with,
    halves,
    halves_with_results,
    terminator_of,
)
from snippets_mlir.passes.vector_to_llvm.sequence_parallel import SequenceParallel


class Lower(Pattern[OpT, Operation]):
    """Every op of one class, after its outer ops are lowered."""

    @override
    def match(self, op: OpT) -> Operation:
        return op


class LowerWhile(Lower[scf.WhileOp]):
    """A block that checks the condition, and a body that branches back to it."""

    name = "scf-while"
    ops = (scf.WhileOp,)

    def rewrite(self, op: scf.WhileOp, match: Operation, rewriter: PatternRewriter) -> None:
        """Put both regions between the halves of the block."""
        condition, last = terminator_of(op.before_region), terminator_of(op.after_region)
        assert isinstance(condition, scf.ConditionOp)
        before, end = halves_with_results(op, rewriter)
        check, body = op.before_region.blocks[0], op.after_region.blocks[0]
        for region in (op.before_region, op.after_region):
            rewriter.inline_region(region, BlockInsertPoint.before(end))
        end_with(before, rewriter, cf.BranchOp(check, *op.arguments))
        choice = cf.ConditionalBranchOp(
            condition.condition, body, condition.args, end, condition.args
        )
        rewriter.replace(condition, choice, [])
        rewriter.replace(last, cf.BranchOp(check, *last.operands), [])
        rewriter.erase(op)


class LowerExecuteRegion(Lower[scf.ExecuteRegionOp]):
    """Put the region between the halves of the block."""

    name = "scf-execute-region"
    ops = (scf.ExecuteRegionOp,)

    def rewrite(self, op: scf.ExecuteRegionOp, match: Operation, rewriter: PatternRewriter) -> None:
        """Yields become branches to the next block."""
        yields = [
            block.last_op for block in op.region.blocks if isinstance(block.last_op, scf.YieldOp)
        ]
        before, end = halves_with_results(op, rewriter)
        first = op.region.blocks[0]
        rewriter.inline_region(op.region, BlockInsertPoint.before(end))
        end_with(before, rewriter, cf.BranchOp(first))
        for last in yields:
            rewriter.replace(last, cf.BranchOp(end, *last.operands), [])
        rewriter.erase(op)


class LowerIndexSwitch(Lower[scf.IndexSwitchOp]):
    """A chain of comparisons in the width of the index."""

    name = "scf-index-switch"
    ops = (scf.IndexSwitchOp,)

    def rewrite(self, op: scf.IndexSwitchOp, match: Operation, rewriter: PatternRewriter) -> None:
        """One block of comparison for each case, the default last."""
        regions = [*op.case_regions, op.default_region]
        yields = [terminator_of(region) for region in regions]
        starts = [region.blocks[0] for region in regions]
        before, end = halves_with_results(op, rewriter)
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
            end_with(block, rewriter, choice)
            block = other
        if not values:
            end_with(before, rewriter, cf.BranchOp(starts[-1]))
        rewriter.erase(op)


class LowerIf(Lower[scf.IfOp]):
    """A branch around the regions, by upstream's pattern."""

    name = "scf-if"
    ops = (scf.IfOp,)

    def rewrite(self, op: scf.IfOp, match: Operation, rewriter: PatternRewriter) -> None:
        """Put the regions between the halves of the block."""
        IfLowering().match_and_rewrite(op, rewriter)


class LowerFor(Lower[scf.ForOp]):
    """A block that compares the counter, and a body that branches back to it, as upstream.

    The branch has the loop's annotation for LLVM, as in MLIR.
    """

    name = "scf-for"
    ops = (scf.ForOp,)

    def rewrite(self, op: scf.ForOp, match: Operation, rewriter: PatternRewriter) -> None:
        """Put the region between the halves of the block; its first block compares."""
        before, end = halves(op)
        check, last = op.body.first_block, op.body.last_block
        assert check is not None
        assert last is not None
        first = check.first_op
        assert first is not None
        _, body = halves(first)
        last = body if last is check else last
        rewriter.inline_region(op.body, BlockInsertPoint.before(end))
        counter, terminator = check.args[0], last.last_op
        assert terminator is not None
        stepped = upstream_arith.AddiOp(counter, op.step)
        last.insert_op_before(stepped, terminator)
        back = _branch(check, stepped.result, *terminator.operands)
        if (told := op.attributes.get(ON_LOOPS)) is not None:
            back.attributes[ON_LOOPS] = told
        rewriter.replace(terminator, back)
        before.add_op(_branch(check, op.lb, *op.iter_args))
        compare = CmpiOp(counter, op.ub, "slt")
        check.add_ops((compare, _choice(compare.result, body, end)))
        rewriter.replace(op, [], check.args[1:])


def _branch(target: Block, *values: SSAValue) -> cf.BranchOp:
    return cf.BranchOp.create(operands=values, successors=[target])


_NO_ARGUMENTS = DenseArrayBase.from_list(i32, [1, 0, 0])


def _choice(condition: SSAValue, body: Block, end: Block) -> cf.ConditionalBranchOp:
    """A branch to blocks without arguments."""
    return cf.ConditionalBranchOp.create(
        operands=[condition],
        successors=[body, end],
        properties={"operandSegmentSizes": _NO_ARGUMENTS},
    )


@dataclass(frozen=True)
class ConvertScfToCfPass(PatternPass):
    """Lower scf to blocks and branches of cf."""

    name: ClassVar[str] = "convert-scf-to-cf"
    STAGES: ClassVar[Stages] = Stages(("vector", "loops"), "llvm")
    KERNELS_APART: ClassVar[bool] = True
    PATTERNS = (
        SequenceParallel,
        LowerIndexSwitch,
        LowerExecuteRegion,
        LowerWhile,
        LowerIf,
        LowerFor,
    )

    def sweeps(self, module: ModuleOp) -> Iterator[tuple[Operation, list[AnyPattern]]]:
        """Make loops of parallel loops, then lower everything, outer ops first."""
        patterns = self.patterns(module)
        yield module, [p for p in patterns if isinstance(p, SequenceParallel)]
        yield module, [p for p in patterns if not isinstance(p, SequenceParallel)]
