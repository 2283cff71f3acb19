"""The pattern kinds of the computing ops of the `snippets` dialect.

Relay has one kind per op. The record of the op states it; without a statement, ops of one operand
are elementwise, others broadcast. Batch normalization is in inference form, which TVM simplifies to
a broadcast. The normalizations that TVM computes in one operator are opaque to Relay, and softmax
is complex. Relax derives the kind from the accesses of the op's loops; for these ops it follows
from the shapes of the operands (`relax_kind`). Source: the kinds of operators of TVM's FuseOps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.snippets.channel_norms import BatchNormOp
from snippets_mlir.dialects.snippets.pattern_kinds import Flavor, PatternKind
from snippets_mlir.dialects.snippets.registry import record_of
from snippets_mlir.dialects.snippets.whole_tensor import WholeTensorOp

if TYPE_CHECKING:
    from snippets_mlir.dialects.snippets.base import ComputeOp


def relay_kind(op: ComputeOp) -> PatternKind:
    """The kind in the op's record, else the kind by the number of operands."""
    record = record_of(op.name)
    if record is not None and record.relay is not None:
        return record.relay
    return PatternKind.ELEMWISE if len(op.operands) == 1 else PatternKind.BROADCAST


def relax_kind(op: ComputeOp) -> PatternKind:
    """The kind by the accesses: if an operand is read at the index of the result, it is
    elementwise.

    If all operands are read under a broadcast, it is broadcast; the records have the other kinds.
    Dims of size 1 do not change the order of the axes. Ops that compute with reductions and then
    write their result in another loop (mean, softmax, the normalizations) are complex.
    """
    record = record_of(op.name)
    if record is not None and record.relax is not None:
        return record.relax
    if isinstance(op, WholeTensorOp) and not isinstance(op, BatchNormOp):
        return PatternKind.OUT_ELEMWISE_FUSABLE
    result = shape_of(op.results[0])
    if any(shape_of(value) == result for value in op.operands):
        return PatternKind.ELEMWISE
    return PatternKind.BROADCAST


def kind_of_compute(op: ComputeOp, flavor: Flavor) -> PatternKind:
    """The kind of a computing op under the rules of `flavor`."""
    return relay_kind(op) if flavor is Flavor.RELAY else relax_kind(op)
