"""Compute operands that few vectors need in a branch, for each select that is marked as rare.

    %big = arith.cmpi sgt, %bits, %limit : vector<8xi32>
    %fast = ...                                              // of every vector
    %i = ... ; %w = llvm.intr.masked.gather ... ; %slow = ... // of any argument
    %r = arith.select %big, %slow, %fast {snippets.rare} : vector<8xi1>, vector<8xf32>

becomes

    %big = arith.cmpi sgt, %bits, %limit : vector<8xi32>
    %fast = ...
    %any = vector.reduction <or>, %big : vector<8xi1> into i1
    %r = scf.if %any -> (vector<8xf32>) {
      %i = ... ; %w = llvm.intr.masked.gather ... ; %slow = ...
      %s = arith.select %big, %slow, %fast : vector<8xi1>, vector<8xf32>
      scf.yield %s : vector<8xf32>
    } else {
      scf.yield %fast : vector<8xf32>
    }

The sine of a huge argument needs a table and twice the arithmetic. Math expansions
(`expansions/trig.py`) compute both forms and select by lane. Exact.

Fires on an `arith.select` of vectors with `snippets.rare`. An op of its block moves into the branch
if it has no effects, or gathers from a constant table, and only the select's second operand and
other moved ops read its results. If no op moves, the select stays, unmarked.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import ClassVar

from typing_extensions import override
from xdsl.dialects.llvm import AddressOfOp
from xdsl.dialects.scf import IfOp, YieldOp
from xdsl.dialects.vector import CombiningKindFlag
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint
from xdsl.traits import is_side_effect_free

from snippets_mlir.dialects.arith.ops import SelectOp
from snippets_mlir.dialects.snippets.emission.arithmetic import RARE
from snippets_mlir.dialects.vector.ops import ReductionOp
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.patterns import Pattern, PatternPass


def is_rare(op: SelectOp) -> bool:
    """An expansion has marked that few vectors need the second operand."""
    return RARE in op.attributes


def _may_move(op: Operation) -> bool:
    """No other op depends on whether the op runs, or when."""
    if is_side_effect_free(op):
        return True
    if op.name != "llvm.intr.masked.gather":
        return False
    pointers = op.operands[0].owner
    return isinstance(pointers, Operation) and isinstance(pointers.operands[0].owner, AddressOfOp)


def _in_order(found: Collection[Operation], last: Operation) -> list[Operation]:
    """Ops before `last` in its block, in order; a block of many selects is not read whole."""
    order: list[Operation] = []
    before = last.prev_op
    while len(order) < len(found) and before is not None:
        if before in found:
            order.append(before)
        before = before.prev_op
    return order[::-1]


class Sink(Pattern[SelectOp, list[Operation]]):
    """`any(c) ? select(c, a, b) : b` is `select(c, a, b)`."""

    name = "sink"
    ops = (SelectOp,)
    conditions = (is_rare,)

    @override
    def match(self, op: SelectOp) -> list[Operation]:
        """The ops that move, in the order of the block."""
        found: set[Operation] = set()
        pending: list[SSAValue] = [op.lhs]
        while pending:
            owner = pending.pop().owner
            if not isinstance(owner, Operation) or owner.parent is not op.parent:
                continue
            uses = [use for result in owner.results for use in result.uses]
            alone = all(
                use.operation in found or (use.operation is op and use.index == 1) for use in uses
            )
            if owner not in found and alone and not owner.regions and _may_move(owner):
                found.add(owner)
                pending.extend(owner.operands)
        return _in_order(found, op)

    def rewrite(self, op: SelectOp, match: list[Operation], rewriter: PatternRewriter) -> None:
        """Move them into a branch with the select."""
        del op.attributes[RARE]
        if not match:
            return
        block = Block()
        for other in match:
            other.detach()
            block.add_op(other)
        some = ReductionOp(CombiningKindFlag.OR, op.cond)
        select = SelectOp(op.cond, op.lhs, op.rhs)
        block.add_ops((select, YieldOp(select.result)))
        branch = IfOp(some.dest, [op.result.type], Region(block), [YieldOp(op.rhs)])
        rewriter.insert(some, InsertPoint.before(op))
        rewriter.replace(op, branch)


@dataclass(frozen=True)
class SinkRareOperandsPass(PatternPass):
    """Compute operands that few vectors need in branches."""

    name = "sink-rare-operands"
    STAGES: ClassVar[Stages] = Stages(("vector",))
    KERNELS_APART: ClassVar[bool] = True
    MIXES_CLASSES: ClassVar[bool] = False
    PATTERNS = (Sink,)
