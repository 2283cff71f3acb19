"""Tensors of places: numbers that grow by one along a dim.

    %1 = snippets.broadcast %one : (tensor<i32>) -> tensor<?xi32>
    %n = snippets.cum_sum %1 {axis = 0}            1, 2, ..
    %s = snippets.slice %n, from ?1                ?1 + 1, ?1 + 2, ..
    %p = snippets.add %s, -1                       ?1, ?1 + 1, ..

A causal mask compares the places of keys with those of queries, by any of <, <=, > and >=. If a
call decides how many there are, they are no constants. The first place may be a formula of its
sizes, too: how many keys are in a cache.
"""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import SSAValue

from snippets_mlir.dialects.builtin.dims import Dim, known_less
from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.snippets.arithmetic import AddOp, SubtractOp
from snippets_mlir.dialects.snippets.comparison import (
    GreaterEqualOp,
    GreaterOp,
    LessEqualOp,
    LessOp,
)
from snippets_mlir.dialects.snippets.constants import ScalarOp
from snippets_mlir.dialects.snippets.conversion import BroadcastOp, ReshapeOp
from snippets_mlir.dialects.snippets.cumulative import CumSumOp
from snippets_mlir.dialects.snippets.layout import UnsqueezeOp
from snippets_mlir.dialects.snippets.rules.match import dense_constant, splat_value
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
    if isinstance(op, SubtractOp) and (less := _number(op.rhs)) is not None:
        first = first_place(op.lhs) if shape_of(op.lhs) == shape_of(value) else None
        return None if first is None else first - less
    if isinstance(op, SliceOp) and set(op.steps) == {1}:
        before = [start for start in op.starts if start != 0]
        first = first_place(op.operand)
        if first is None or len(before) > 1 or DYNAMIC in before:
            return None
        return sum(before, start=first)
    return None


def diagonal_of_places(mask: SSAValue) -> tuple[bool, Dim] | None:
    """What `mask`, which compares places of keys and rows, is beyond a diagonal; the diagonal.

    None for another mask, and if it is this for the first key of the first row.
    """
    op = mask.owner
    if not isinstance(op, GreaterEqualOp | GreaterOp | LessEqualOp | LessOp):
        return None
    found = _diagonal(op.lhs, op.rhs, shape_of(mask)[-2:])
    keys_first = found is not None
    if found is None and (found := _diagonal(op.rhs, op.lhs, shape_of(mask)[-2:])) is None:
        return None
    # Beyond it, `key <= row` and `key < row` are false, `key > row` and `key >= row` true.
    beyond = isinstance(op, LessEqualOp | LessOp) != keys_first
    is_strict = isinstance(op, GreaterOp | LessOp)
    diagonal = found if is_strict == beyond else found - 1
    return (beyond, diagonal) if known_less(diagonal, 0) is False else None


def _diagonal(keys: SSAValue, rows: SSAValue, shape: tuple[object, ...]) -> Dim | None:
    """The distance from the first key to the first row, if they are these."""
    along_keys, along_rows = _padded(keys), _padded(rows)
    if any(n != 1 for n in (*along_keys[:-1], *along_rows[:-2], along_rows[-1])):
        return None
    found = along_rows[-2], along_keys[-1]
    if DYNAMIC in found or found != shape:
        return None
    row, key = first_place(rows), first_place(keys)
    return None if row is None or key is None else row - key


def _padded(value: SSAValue) -> tuple[object, ...]:
    return (1, 1, *shape_of(value))


def _number(value: SSAValue) -> int | None:
    """The integer that all elements of `value` are, if it is one."""
    op = value.owner
    if isinstance(op, ScalarOp) and isinstance(op.value, IntegerAttr):
        return op.value.value.data
    found = None if (dense := dense_constant(value)) is None else splat_value(dense)
    return found if isinstance(found, int) else None
