"""Hardmax: 1 where the largest element of a row is for the first time, 0 elsewhere.

    i = 0, 1, 2, ...                                          along the axis
    y = i == reduce_min(x == reduce_max(x) ? i : size of the axis)

A row with a NaN has no largest element. The size of the axis has to be known: `i` is a constant.
Before opset 13 all dims from `axis` on are one. Source: the operator's definition in ONNX.
"""

from __future__ import annotations

from math import prod

import numpy as np
from xdsl.ir import SSAValue

from snippets_mlir.dialects.builtin.dims import Size, has_symbols
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.snippets.comparison import EqualOp
from snippets_mlir.dialects.snippets.conversion import SelectOp
from snippets_mlir.dialects.snippets.reduction import ReduceMaxOp, ReduceMinOp
from snippets_mlir.dialects.snippets.shapes import DYNAMIC, is_static
from snippets_mlir.frontends.onnx.mapping.layout import reshaped
from snippets_mlir.frontends.onnx.mapping.norms import axis_of
from snippets_mlir.frontends.onnx.node import NodeBuilder, Opaque, Row


def _along(b: NodeBuilder, x: SSAValue, axis: int) -> SSAValue:
    shape = shape_of(x)
    size = shape[axis]
    if size == DYNAMIC or isinstance(size, Size):
        raise Opaque("the size of the axis of Hardmax is not known")
    if size == 0:
        return x
    places = np.arange(size, dtype=np.int32).reshape(size, *(1,) * (len(shape) - axis - 1))
    index = b.constant(places)
    is_largest = b.emit(EqualOp(x, b.emit(ReduceMaxOp(x, [axis], keep_dims=True))))
    candidates = b.emit(SelectOp(is_largest, index, b.like(size, index)))
    first = b.emit(ReduceMinOp(candidates, [axis], keep_dims=True))
    return b.convert(b.emit(EqualOp(index, first)), tensor_of(x).element_type)


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


ROWS: dict[str, Row] = {"Hardmax": Row((1, 11, 13), _hardmax)}
