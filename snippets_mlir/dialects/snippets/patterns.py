"""The pattern kinds of the computing ops of the `snippets` dialect.

Relay has one kind an op (`RELAY_KINDS`; ops of one operand are elementwise, others broadcast).
Relax finds the kind from the accesses of the op's loops; for these ops they follow from the
shapes of the operands (`relax_kind`). Source: reference, sections 1 and 2.3.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from snippets_mlir.dialects.pattern_kinds import Flavor, PatternKind
from snippets_mlir.dialects.snippets.base import tensor_of

if TYPE_CHECKING:
    from snippets_mlir.dialects.snippets.base import ComputeOp

RELAY_KINDS: dict[str, PatternKind] = {
    "snippets.broadcast": PatternKind.BROADCAST,
    "snippets.broadcast_move": PatternKind.BROADCAST,
    "snippets.reshape": PatternKind.INJECTIVE,
}
"""The ops that their number of operands does not tell the kind of."""


def relay_kind(op: ComputeOp) -> PatternKind:
    """The kind by the table of ops."""
    by_operands = PatternKind.ELEMWISE if len(op.operands) == 1 else PatternKind.BROADCAST
    return RELAY_KINDS.get(op.name, by_operands)


def relax_kind(op: ComputeOp) -> PatternKind:
    """The kind by the accesses: one operand read where the result is written makes it elementwise.

    All operands read under a broadcast make it broadcast; a reshape computes its places.
    """
    if op.name == "snippets.reshape":
        return PatternKind.INJECTIVE
    result = tensor_of(op.results[0]).get_shape()
    if any(tensor_of(value).get_shape() == result for value in op.operands):
        return PatternKind.ELEMWISE
    return PatternKind.BROADCAST


def kind_of_compute(op: ComputeOp, flavor: Flavor) -> PatternKind:
    """The kind of a computing op under the rules of `flavor`."""
    return relay_kind(op) if flavor is Flavor.RELAY else relax_kind(op)
