"""Spread single elements over a vector before ops combine them with whole vectors.

    %2 = snippets.add %0, %1              %m = snippets.broadcast_move %1
                               becomes    %2 = snippets.add %0, %m

if the last dim of `%1` has size 1 and the last dim of `%0` does not. Scalars stay: an immediate
fills its vector by itself. Broadcasts stay: they spread by definition. One move serves all readers
in the same loops. Source: the guide's InsertBroadcastMove.
"""

from dataclasses import dataclass, replace
from typing import ClassVar

from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.lir.access import input_ports, loop_ids, output_ports
from snippets_mlir.dialects.lir.brgemm import BrgemmOp
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.constants import ScalarOp
from snippets_mlir.dialects.snippets.conversion import BroadcastLikeOp
from snippets_mlir.dialects.snippets.internal import BroadcastMoveOp
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.lir.editing import insert_before, replace_operand
from snippets_mlir.passes.lir.kernel_passes import KernelPatternPass
from snippets_mlir.passes.patterns import Pattern
from snippets_mlir.support.walking import ops_inside


def is_no_broadcast(op: ComputeOp | BrgemmOp) -> bool:
    """The op does not spread elements by definition."""
    return not isinstance(op, BroadcastLikeOp)


class SpreadElement(Pattern[ComputeOp | BrgemmOp, tuple[int, ...]]):
    """An op on vectors reads the broadcast of a single element."""

    name = "spread-element"
    ops = (ComputeOp, BrgemmOp)
    conditions = (is_no_broadcast,)

    def __init__(self, given: frozenset[Operation]) -> None:
        self.given = given
        """The moves of the input program: they may be after the op."""

    def match(self, op: ComputeOp | BrgemmOp) -> tuple[int, ...] | None:
        """The operands of one element, if the op works on vectors."""
        (result,) = output_ports(op)
        narrow = tuple(
            index
            for index, port in enumerate(input_ports(op))
            if port.lanes < result.lanes and not isinstance(op.operands[index].owner, ScalarOp)
        )
        return narrow or None

    def rewrite(
        self, op: ComputeOp | BrgemmOp, match: tuple[int, ...], rewriter: PatternRewriter
    ) -> None:
        """Read the move of an earlier reader in these loops, or a new one."""
        for index in match:
            value = op.operands[index]
            move = self._known(value, loop_ids(op)) or self._insert(op, index, rewriter)
            replace_operand(op, index, move.results[0], output_ports(move)[0])

    def _known(self, value: SSAValue, loops: tuple[int, ...]) -> Operation | None:
        for user in (use.operation for use in value.uses):
            if isinstance(user, BroadcastMoveOp) and user not in self.given:
                if loop_ids(user) == loops:
                    return user
        return None

    def _insert(self, op: Operation, index: int, rewriter: PatternRewriter) -> Operation:
        value, port, (wide,) = op.operands[index], input_ports(op)[index], output_ports(op)
        move = BroadcastMoveOp(value, (*shape_of(value)[:-1], shape_of(op.results[0])[-1]))
        shape = (*port.shape[:-1], wide.shape[-1])
        spread = replace(port, shape=shape, subtensor=wide.subtensor)
        return insert_before(op, move, [port, spread], loop_ids(op), rewriter)


@dataclass(frozen=True)
class LirInsertBroadcastMovePass(KernelPatternPass):
    """Insert `snippets.broadcast_move` where an op combines one element with a vector."""

    name = "lir-insert-broadcast-move"
    STAGES: ClassVar[Stages] = Stages(("accessed",))
    PATTERNS = (SpreadElement,)

    def facts(self, root: Operation) -> tuple[frozenset[Operation]]:
        """The moves from before the pass."""
        return (frozenset(op for op in ops_inside(root) if isinstance(op, BroadcastMoveOp)),)
