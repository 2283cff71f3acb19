"""ONNX operators that clip, convert, repeat or return their input, and constants."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping

import numpy as np
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, bf16, f16, f32, f64
from xdsl.ir import Attribute, SSAValue

from snippets_mlir.dialects.builtin.dims import known_less, product, static_shape
from snippets_mlir.dialects.builtin.dtypes import element_type_of
from snippets_mlir.dialects.builtin.integers import integers_of
from snippets_mlir.dialects.builtin.shaped import bit_width, is_tensor, shape_of, tensor_of
from snippets_mlir.dialects.onnx.types import ELEMENT_TYPES
from snippets_mlir.dialects.snippets.clamps import ClampOp
from snippets_mlir.dialects.snippets.constants import ConstantOp
from snippets_mlir.dialects.snippets.conversion import BroadcastOp
from snippets_mlir.dialects.snippets.extrema import MaximumOp, MinimumOp
from snippets_mlir.dialects.snippets.internal import BitcastOp
from snippets_mlir.dialects.snippets.shapes import broadcast_shapes, is_static
from snippets_mlir.frontends.onnx.narrow_integers import NARROW, wide_type
from snippets_mlir.frontends.onnx.node import COMPILED_TYPES, LARGE, Built, NodeBuilder, Opaque, Row

LARGEST: Mapping[Attribute, float] = {
    bf16: 3.3895313892515355e38,
    f16: 65504.0,
    f32: 3.4028234663852886e38,
    f64: sys.float_info.max,
}
"""The largest finite number of each type of floats."""

HALVES: frozenset[Attribute] = frozenset({bf16, f16})


def _bound(number: float, element: Attribute) -> FloatAttr | IntegerAttr:
    if (integers := integers_of(element)) is not None:
        limited = max(integers.smallest, min(integers.largest, number))
        return IntegerAttr(int(limited), bit_width(wide_type(element)))
    return FloatAttr(number, f64)


def _clip(b: NodeBuilder) -> SSAValue:
    """min(max(x, low), high), each bound optional; before version 11 the bounds are attributes.

    An omitted bound is the least or the largest finite number of the type, as the operator defines:
    infinities become finite. Constant bounds become a clamp, other bounds maximum and minimum.
    """
    x = b.value(0)
    element = tensor_of(x).element_type
    if b.node.since == 6:
        low, high = b.number("min", -LARGEST[f32]), b.number("max", LARGEST[f32])
        return b.emit(ClampOp(x, _bound(low, element), _bound(high, element)))
    largest = LARGEST.get(element, math.inf)
    limits = [-largest, largest]
    for index in (1, 2):
        array = b.array(index) if b.has(index) else None
        if array is not None and array.size == 1 and array.item() == array.item():
            limits[index - 1] = array.item()
        elif b.has(index):
            return _clip_by_values(b, x, largest)
    if largest == math.inf and not b.has(1) and not b.has(2):
        return x
    return b.emit(ClampOp(x, _bound(limits[0], element), _bound(limits[1], element)))


def _clip_by_values(b: NodeBuilder, x: SSAValue, largest: float) -> SSAValue:
    element = tensor_of(x).element_type
    for index, op, ends in (
        (1, MaximumOp, (-largest, math.inf)),
        (2, MinimumOp, (-math.inf, largest)),
    ):
        if b.has(index):
            x = b.emit(op(x, b.value(index)))
        elif largest < math.inf:
            x = b.emit(ClampOp(x, *(_bound(end, element) for end in ends)))
    return x


def _converted(b: NodeBuilder, target: Attribute | None) -> SSAValue:
    b.check_type(target)
    assert target is not None
    if (constant := b.widened(target)) is not None:
        return constant
    x = b.value(0)
    element = tensor_of(x).element_type
    stored = {element, target} & (HALVES | NARROW)
    if stored and isinstance(x.owner, ConstantOp) and b.array(0) is None:
        raise Opaque("a large constant that onnxruntime converts when it loads the session")
    return b.convert(x, target)


def _cast(b: NodeBuilder) -> SSAValue:
    return _converted(b, ELEMENT_TYPES.get(b.flag("to")))


def _cast_like(b: NodeBuilder) -> SSAValue:
    return _converted(b, tensor_of(b.value(1)).element_type)


def _bit_cast(b: NodeBuilder) -> SSAValue:
    x, target = b.value(0), ELEMENT_TYPES.get(b.flag("to"))
    element = tensor_of(x).element_type
    if element == target:
        return x
    if target not in COMPILED_TYPES or bit_width(element) != bit_width(target):
        raise Opaque(f"bits of {element} as {target} are not compiled yet")
    return b.emit(BitcastOp(x, target))


def _identity(b: NodeBuilder) -> SSAValue:
    return b.any_value(0)


def _dropout(b: NodeBuilder) -> Built:
    """Inference form: the input, and a mask of true."""
    since = b.node.since or 0
    if since >= 12 and b.has(2):
        training = b.array(2)
        if training is None or training.any():
            raise Opaque("Dropout in training mode draws random numbers")
    x = b.value(0)
    if not b.wants(1):
        return x
    shape = shape_of(x)
    if since < 12 or not is_static(shape):  # before, the mask is false in onnxruntime
        raise Opaque("the mask of Dropout is used")
    mask = b.constant(np.ones((), np.bool_))
    return x, b.emit(BroadcastOp(mask, shape))


def _expand(b: NodeBuilder) -> SSAValue:
    x, result = b.value(0), b.result_type()
    wanted = b.array(1)
    if wanted is not None:
        shape = broadcast_shapes(wanted.tolist(), shape_of(x)) if (wanted >= 0).all() else None
        if shape is not None and is_static(shape_of(x)):
            return b.emit(BroadcastOp(x, shape))
    if not is_tensor(result) or not is_static(shape_of(result)):
        raise Opaque("the shape that Expand gives is not known")
    return b.emit(BroadcastOp(x, shape_of(result)))


def _constant_of_shape(b: NodeBuilder) -> SSAValue:
    """A small constant is written out; a large one is repeated where a kernel reads it."""
    tensor = b.node.attributes.get("value")
    element_value = np.zeros(1, np.float32) if tensor is None else b.tensor(tensor)
    if element_value is None:
        raise Opaque("elements of this type are not compiled yet")
    element = element_type_of(element_value.dtype)
    if element not in COMPILED_TYPES:
        raise Opaque(f"elements of type {element} are not compiled yet")
    wanted, type_ = b.array(0), b.result_type()
    if wanted is not None:
        shape = tuple(int(n) for n in wanted.reshape(-1))
    elif is_tensor(type_) and is_static(shape_of(type_)):
        shape = shape_of(type_)
    else:
        raise Opaque("the shape that ConstantOfShape gives is not known")
    if known_less(product(shape) * element_value.itemsize, LARGE + 1):
        return b.constant(np.full(static_shape(shape), element_value.reshape(-1)[0]))
    if b.result_is_for_opaque_nodes():
        raise Opaque("a large constant that only opaque nodes read")
    return b.emit(BroadcastOp(b.constant(element_value.reshape(())), shape))


def _constant(b: NodeBuilder) -> SSAValue:
    """Any of the forms of Constant that hold numbers."""
    array = b.constant_attribute()
    if array is None:
        raise Opaque("a constant of a type that is not compiled yet")
    return b.constant(array)


ROWS: dict[str, Row] = {
    "BitCast": Row((26,), _bit_cast),
    "Cast": Row((6, 9, 13, 19, 21, 23, 24, 25, 28), _cast, narrow=True),
    "CastLike": Row((15, 19, 21, 23, 24, 25), _cast_like, narrow=True),
    "Clip": Row((6, 11, 12, 13), _clip, narrow=True),
    "Constant": Row((1, 9, 11, 12, 13, 19, 21, 23, 24, 25), _constant),
    "ConstantOfShape": Row((9, 20, 21, 23, 24, 25), _constant_of_shape),
    "Dropout": Row((7, 10, 12, 13, 22), _dropout),
    "Expand": Row((8, 13), _expand),
    "Identity": Row((1, 13, 14, 16, 19, 21, 23, 24, 25), _identity),
}
