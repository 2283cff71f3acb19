"""The pattern kinds of the computing ops of the `snippets` dialect.

Relay has one kind an op (`RELAY_KINDS`; ops of one operand are elementwise, others broadcast).
Relax finds the kind from the accesses of the op's loops; for these ops they follow from the
shapes of the operands (`relax_kind`). Source: reference, sections 1 and 2.3.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.snippets.channel_norms import BatchNormOp
from snippets_mlir.dialects.snippets.pattern_kinds import Flavor, PatternKind
from snippets_mlir.dialects.snippets.whole_tensor import WholeTensorOp

if TYPE_CHECKING:
    from snippets_mlir.dialects.snippets.base import ComputeOp

RELAY_KINDS: dict[str, PatternKind] = {
    "snippets.batch_norm": PatternKind.BROADCAST,
    "snippets.broadcast": PatternKind.BROADCAST,
    "snippets.broadcast_move": PatternKind.BROADCAST,
    "snippets.group_norm": PatternKind.OPAQUE,
    "snippets.instance_norm": PatternKind.OPAQUE,
    "snippets.layer_norm": PatternKind.OPAQUE,
    "snippets.log_softmax": PatternKind.OUT_ELEMWISE_FUSABLE,
    "snippets.mvn": PatternKind.OPAQUE,
    "snippets.reduce_max": PatternKind.COMM_REDUCE,
    "snippets.reduce_maxnum": PatternKind.COMM_REDUCE,
    "snippets.reduce_mean": PatternKind.COMM_REDUCE,
    "snippets.reduce_min": PatternKind.COMM_REDUCE,
    "snippets.reduce_prod": PatternKind.COMM_REDUCE,
    "snippets.reduce_sum": PatternKind.COMM_REDUCE,
    "snippets.reshape": PatternKind.INJECTIVE,
    "snippets.rms_norm": PatternKind.OPAQUE,
    "snippets.softmax": PatternKind.OUT_ELEMWISE_FUSABLE,
    "snippets.squeeze": PatternKind.INJECTIVE,
    "snippets.transpose": PatternKind.INJECTIVE,
    "snippets.unsqueeze": PatternKind.BROADCAST,
}
"""The ops that their number of operands does not tell the kind of.

Batch normalization is in inference form, which TVM simplifies to a broadcast; the normalizations
that TVM computes in one operator are opaque to Relay, softmax is complex.
"""

RELAX_KINDS: dict[str, PatternKind] = {
    "snippets.reduce_max": PatternKind.COMM_REDUCE,
    "snippets.reduce_maxnum": PatternKind.COMM_REDUCE,
    "snippets.reduce_min": PatternKind.COMM_REDUCE,
    "snippets.reduce_prod": PatternKind.COMM_REDUCE,
    "snippets.reduce_sum": PatternKind.COMM_REDUCE,
    "snippets.reshape": PatternKind.INJECTIVE,
    "snippets.squeeze": PatternKind.BROADCAST,
    "snippets.transpose": PatternKind.INJECTIVE,
    "snippets.unsqueeze": PatternKind.BROADCAST,
}
"""The ops whose kind the shapes of their operands do not tell.

Dims of size 1 do not change the order of the axes. What computes with reductions and then writes
its result in another loop (mean, softmax, the normalizations) is complex.
"""


def relay_kind(op: ComputeOp) -> PatternKind:
    """The kind by the table of ops."""
    by_operands = PatternKind.ELEMWISE if len(op.operands) == 1 else PatternKind.BROADCAST
    return RELAY_KINDS.get(op.name, by_operands)


def relax_kind(op: ComputeOp) -> PatternKind:
    """The kind by the accesses: one operand read where the result is written makes it elementwise.

    All operands read under a broadcast make it broadcast; `RELAX_KINDS` has the others.
    """
    if op.name in RELAX_KINDS:
        return RELAX_KINDS[op.name]
    if isinstance(op, WholeTensorOp) and not isinstance(op, BatchNormOp):
        return PatternKind.OUT_ELEMWISE_FUSABLE
    result = shape_of(op.results[0])
    if any(shape_of(value) == result for value in op.operands):
        return PatternKind.ELEMWISE
    return PatternKind.BROADCAST


def kind_of_compute(op: ComputeOp, flavor: Flavor) -> PatternKind:
    """The kind of a computing op under the rules of `flavor`."""
    return relay_kind(op) if flavor is Flavor.RELAY else relax_kind(op)
