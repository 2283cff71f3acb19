"""Tensors of places: numbers that grow by one along a dim.

    %1 = snippets.broadcast %one : (tensor<i32>) -> tensor<?xi32>
    %n = snippets.cum_sum %1 {axis = 0}            1, 2, ..
    %s = snippets.slice %n, from ?1                ?1 + 1, ?1 + 2, ..
    %p = snippets.add %s, -1                       ?1, ?1 + 1, ..

A causal mask compares the places of keys with those of queries. If a call decides how many there
are, they are no constants. The first place may be a formula of its sizes, too: how many keys are in
a cache.
"""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import SSAValue

from snippets_mlir.dialects.builtin.dims import Dim, known_less
from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.snippets.arithmetic import AddOp
from snippets_mlir.dialects.snippets.comparison import GreaterEqualOp, LessEqualOp
from snippets_mlir.dialects.snippets.constants import ScalarOp
from snippets_mlir.dialects.snippets.conversion import BroadcastOp, ReshapeOp
from snippets_mlir.dialects.snippets.cumulative import CumSumOp
from snippets_mlir.dialects.snippets.layout import UnsqueezeOp
from snippets_mlir.dialects.snippets.shapes import DYNAMIC
from snippets_mlir.dialects.snippets.slicing import SliceOp


def first_place(value: SSAValue) -> Dim | None:
    """The first number of `value`, if its numbers grow by one along its only dim that is not 1."""
    op = value.owner
    if isinstance(op, CumSumOp) and op.exclusive is None and op.reverse is None:
        ones = op.operand.owner
        alone = all(size == 1 for dim, size in enumerate(shape_of(value)) if dim != op.axis)
        is_ones = isinstance(ones, BroadcastOp) and _number(ones.operand) == 1
        return 1 if alone and is_ones else None
    if isinstance(op, ReshapeOp | UnsqueezeOp):
        same = [[size for size in shape_of(v) if size != 1] for v in (value, op.operand)]
        return first_place(op.operand) if same[0] == same[1] else None
    if isinstance(op, AddOp):
        for numbers, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
            if (more := _number(other)) is not None and shape_of(numbers) == shape_of(value):
                first = first_place(numbers)
                return None if first is None else first + more
    if isinstance(op, SliceOp) and set(op.steps) == {1}:
        before = [start for start in op.starts if start != 0]
        first = first_place(op.operand)
        if first is None or len(before) > 1 or DYNAMIC in before:
            return None
        return sum(before, start=first)
    return None


def diagonal_of_places(mask: SSAValue) -> Dim | None:
    """The diagonal beyond which `mask`, which compares places of keys and rows, keeps nothing.

    None for another mask, and if it keeps no key for the first row.
    """
    op = mask.owner
    if isinstance(op, LessEqualOp):
        keys, rows = op.lhs, op.rhs
    elif isinstance(op, GreaterEqualOp):
        keys, rows = op.rhs, op.lhs
    else:
        return None
    along_keys, along_rows = _padded(keys), _padded(rows)
    if any(n != 1 for n in (*along_keys[:-1], *along_rows[:-2], along_rows[-1])):
        return None
    found = along_rows[-2], along_keys[-1]
    if DYNAMIC in found or found != shape_of(mask)[-2:]:
        return None
    row, key = first_place(rows), first_place(keys)
    if row is None or key is None or known_less(row, key) is not False:
        return None
    return row - key


def _padded(value: SSAValue) -> tuple[object, ...]:
    return (1, 1, *shape_of(value))


def _number(value: SSAValue) -> int | None:
    """The integer that `value` is, if it is one."""
    op = value.owner
    if isinstance(op, ScalarOp) and isinstance(op.value, IntegerAttr):
        return op.value.value.data
    return None
