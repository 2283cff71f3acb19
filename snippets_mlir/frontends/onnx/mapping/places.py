"""Operators that process an axis in order: the places of extrema, and cumulative sums.

    i = 0, 1, 2, ...                                          along the axis
    ArgMax     reduce_min(x == reduce_max(x) or x is NaN ? i : size of the axis)
    CumSum     cum_sum(x) {axis, exclusive, reverse}
    Hardmax    i == reduce_min(x == reduce_max(x) ? i : size of the axis)
    Range      start + i
    Trilu      i + k <= j ? x : 0                             (i + k >= j for the lower triangle)

The last place of equal elements is the maximum of `x == reduce_max(x) ? i : -1`. ArgMax and ArgMin
find a NaN as NumPy does, while onnxruntime skips it. A row with a NaN has no largest element for
Hardmax. The size of the axis has to be known, because `i` is a constant. Before opset 13 all dims
from `axis` of Hardmax on are merged. The axis of CumSum has to be a constant; sums of integers
wrap. Range counts integers by 1 from a known size on, and Trilu has a known diagonal, for kernels
alone: causal masks compare places, and are triangles.
Source: the operators' definitions in ONNX.
"""

from __future__ import annotations

from math import prod

import numpy as np
from xdsl.dialects.builtin import i32, i64
from xdsl.ir import SSAValue

from snippets_mlir.dialects.builtin.dims import Size
from snippets_mlir.dialects.builtin.shaped import is_tensor, shape_of, tensor_of
from snippets_mlir.dialects.builtin.size_facts import has_symbols, sum_of
from snippets_mlir.dialects.snippets.arithmetic import AddOp
from snippets_mlir.dialects.snippets.base import FLOAT, kind_of
from snippets_mlir.dialects.snippets.comparison import EqualOp, IsNanOp, LessEqualOp
from snippets_mlir.dialects.snippets.cumulative import CumSumOp
from snippets_mlir.dialects.snippets.layout import SqueezeOp
from snippets_mlir.dialects.snippets.logic import LogicalOrOp
from snippets_mlir.dialects.snippets.reduction import ReduceMaxOp, ReduceMinOp, ReduceOp
from snippets_mlir.dialects.snippets.selection import SelectOp
from snippets_mlir.dialects.snippets.shapes import DYNAMIC, is_static
from snippets_mlir.frontends.onnx.mapping.attention_places import places as counted_from
from snippets_mlir.frontends.onnx.mapping.layout import reshaped
from snippets_mlir.frontends.onnx.mapping.norms import axis_of
from snippets_mlir.frontends.onnx.node import Build, NodeBuilder, Opaque, Row


def _size(b: NodeBuilder, x: SSAValue, axis: int) -> int:
    size = shape_of(x)[axis]
    if size == DYNAMIC or isinstance(size, Size):
        raise Opaque(f"the size of the axis of {b.node.op_type} is not known")
    return size


def _places(b: NodeBuilder, x: SSAValue, axis: int) -> SSAValue:
    """0, 1, 2, ... along the axis, as an array that broadcasts to `x`."""
    size, inner = _size(b, x, axis), len(shape_of(x)) - axis - 1
    return b.constant(np.arange(size, dtype=np.int32).reshape(size, *(1,) * inner))


def _found(
    b: NodeBuilder, found: SSAValue, places: SSAValue, axis: int, *, last: bool = False
) -> SSAValue:
    """The first or last place where `found` holds; the axis stays with size 1."""
    other = -1 if last else _size(b, found, axis)
    candidates = b.emit(SelectOp(found, places, b.like(other, places)))
    return b.emit((ReduceMaxOp if last else ReduceMinOp)(candidates, [axis], keep_dims=True))


def _is_extreme(b: NodeBuilder, x: SSAValue, axis: int, op: type[ReduceOp]) -> SSAValue:
    return b.emit(EqualOp(x, b.emit(op(x, [axis], keep_dims=True))))


def _arg_reduction(op: type[ReduceOp]) -> Build:
    def build(b: NodeBuilder) -> SSAValue:
        x = b.value(0)
        axis = axis_of(b, x, 0)
        if _size(b, x, axis) == 0:
            raise Opaque(f"the axis of {b.node.op_type} has no elements")
        found = _is_extreme(b, x, axis, op)
        if kind_of(tensor_of(x).element_type) == FLOAT:
            found = b.emit(LogicalOrOp(found, b.emit(IsNanOp(x))))
        last = bool(b.flag("select_last_index"))
        place = b.convert(_found(b, found, _places(b, x, axis), axis, last=last), i64)
        return place if b.flag("keepdims", 1) else b.emit(SqueezeOp(place, [axis]))

    return build


def _along(b: NodeBuilder, x: SSAValue, axis: int) -> SSAValue:
    if _size(b, x, axis) == 0:
        return x
    places = _places(b, x, axis)
    first = _found(b, _is_extreme(b, x, axis, ReduceMaxOp), places, axis)
    return b.convert(b.emit(EqualOp(places, first)), tensor_of(x).element_type)


def _hardmax(b: NodeBuilder) -> SSAValue:
    x = b.value(0)
    if (b.node.since or 0) >= 13:
        return _along(b, x, axis_of(b, x, -1))
    axis, shape = axis_of(b, x, 1), shape_of(x)
    tail = shape[axis:]
    if len(tail) == 1:
        return _along(b, x, axis)
    if not is_static(tail) or has_symbols(tail) or shape.count(DYNAMIC) > 1:
        raise Opaque("the sizes of the dims of Hardmax are not known")
    rows = reshaped(b, x, (*shape[:axis], prod(tail)))
    return reshaped(b, _along(b, rows, axis), shape)


def _cumulative_sum(b: NodeBuilder) -> SSAValue:
    x, axis = b.value(0), b.array(1)
    if axis is None or axis.size != 1:
        raise Opaque("the axis of CumSum is no constant")
    ways = bool(b.flag("exclusive")), bool(b.flag("reverse"))
    if any(ways):
        _size(b, x, int(axis.item()) % max(1, len(shape_of(x))))
    return b.emit(CumSumOp(x, int(axis.item()), *ways))


def _range(b: NodeBuilder) -> SSAValue:
    type_, start = b.result_type(), b.size(0)
    if not is_tensor(type_) or len(shape_of(type_)) != 1 or start is None:
        raise Opaque("the first number of Range, or how many there are, is not known")
    own = tensor_of(b.value(0)).element_type
    element = next((it for it in (i32, i64) if it == own), None)
    if element is None or b.size(2) != 1:
        raise Opaque("Range does not count integers by 1")
    if not b.result_is_for_kernels():
        raise Opaque("not only kernels read these numbers")
    # Counted from 1 on: the first number may be 0.
    counted = counted_from(b, shape_of(type_)[0], element, sum_of((start, 1)))
    return b.emit(AddOp(counted, b.like(-1, counted)))


def _triangle(b: NodeBuilder) -> SSAValue:
    x, diagonal = b.value(0), b.size(1) if b.has(1) else 0
    if not isinstance(diagonal, int) or abs(diagonal) >= 2**31 or len(shape_of(x)) < 2:
        raise Opaque("the diagonal of Trilu is not known")
    if not b.result_is_for_kernels():
        raise Opaque("not only kernels read these numbers")
    # Counted from 1 on: the first number may be 0.
    rows, columns = shape_of(x)[-2:]
    row = counted_from(b, rows, i64, sum_of((diagonal, 1)), column=True)
    column = counted_from(b, columns, i64, 1)
    bounds = (row, column) if b.flag("upper", 1) else (column, row)
    return b.emit(SelectOp(b.emit(LessEqualOp(*bounds)), x, b.like(0, x)))


ROWS: dict[str, Row] = {
    "ArgMax": Row((1, 11, 12, 13), _arg_reduction(ReduceMaxOp)),
    "ArgMin": Row((1, 11, 12, 13), _arg_reduction(ReduceMinOp)),
    "CumSum": Row((11, 14), _cumulative_sum),
    "Hardmax": Row((1, 11, 13), _hardmax),
    "Range": Row((11, 27), _range),
    "Trilu": Row((14,), _triangle),
}
