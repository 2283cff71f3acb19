"""Law L24 of a `lir.kernel`: the lanes after a tail do not change the result of a reduction.

    %1 = lir.fill %0 {offset = 8 : i64, value = 0.0 : f32, ..}
    %2 = lir.accumulate %1 {kind = "sum", ..}                right
    %2 = lir.accumulate %1 {kind = "max", ..}                L24: 0.0 is above negative numbers
    %2 = lir.accumulate %0 {kind = "sum", ..}                L24: its last vector is short

Before `expanded` no tail exists yet: a fill begins after the lanes of its ports. Before `looped`
its value is the neutral element of the accumulators that read it; for float sums either zero is
allowed. An accumulator over a loop along the last dim that may have a tail reads a fill or another
accumulator.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import FloatAttr
from xdsl.ir import Attribute, Operation

from snippets_mlir.dialects.builtin.shaped import tensor_of
from snippets_mlir.dialects.lir.access import loop_ids, ports
from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.dialects.lir.reduction import AccumulateOp, FillOp, neutral

if TYPE_CHECKING:
    from snippets_mlir.dialects.lir.laws import Fail


def check_fills(ops: Iterable[Operation], table: dict[int, LoopInfo], fail: Fail) -> None:
    """Check the law for fills; `fail` is called with the law and a message."""
    last = {loop.id for loop in table.values() if loop.dim == 0 and loop.iteration == "last"}
    for op in ops:
        if not isinstance(op, FillOp):
            continue
        lanes, made = (port.lanes for port in ports(op))
        if made != lanes:
            fail("L24", f"expected lir.fill to make {lanes} lanes, as it reads, found {made}")
        if op.first_filled != lanes and last.isdisjoint(loop_ids(op)):
            what = f"lir.fill at offset {lanes}, all lanes, before there are tails"
            fail("L24", f"expected {what}, found {op.first_filled}")


def _is_zero(value: Attribute) -> bool:
    """Whether `value` is 0.0 or -0.0."""
    return isinstance(value, FloatAttr) and value.value.data == 0.0


def check_neutral(ops: Iterable[Operation], table: dict[int, LoopInfo], fail: Fail) -> None:
    """Check the law for accumulators; `fail` is called with the law and a message."""
    for op in ops:
        if not isinstance(op, AccumulateOp):
            continue
        source, loop = op.operand.owner, table[loop_ids(op)[-1]] if loop_ids(op) else None
        if isinstance(source, FillOp):
            kind = op.kind.data
            wanted = neutral(kind, tensor_of(op.operand).element_type)
            if source.value != wanted and not (kind == "sum" and _is_zero(source.value)):
                what = f"lir.fill with {wanted}, which is neutral for {kind},"
                fail("L24", f"expected {what} before lir.accumulate, found {source.value}")
        elif loop is None or (
            loop.dim == 0 and loop.may_have_tail and not isinstance(source, AccumulateOp)
        ):
            what = "a lir.fill, since the last vector of its loop may be short"
            fail("L24", f"expected lir.accumulate to read {what}")
