"""ONNX operators on two tensors or more that are not one op each."""

from __future__ import annotations

from functools import reduce

import numpy as np
from xdsl.dialects.builtin import f64
from xdsl.ir import Attribute, SSAValue

from snippets_mlir.dialects.builtin.shaped import bit_width, tensor_of
from snippets_mlir.dialects.snippets.arithmetic import AddOp, DivideOp
from snippets_mlir.dialects.snippets.base import (
    FLOAT,
    kind_of,
)
from snippets_mlir.dialects.snippets.bitwise import BitwiseLeftShiftOp, BitwiseRightShiftOp
from snippets_mlir.dialects.snippets.powers import PowerOp
from snippets_mlir.dialects.snippets.remainders import FloorModOp, ModOp
from snippets_mlir.frontends.onnx.node import NodeBuilder, Opaque, Row


def _mean(b: NodeBuilder) -> SSAValue:
    total = _sum(b)
    return b.emit(DivideOp(total, b.like(float(len(b)), total)))


def _mod(b: NodeBuilder) -> SSAValue:
    """The sign of the dividend with `fmod=1`, of the divisor otherwise.

    Before version 28 `fmod=0` was an error for floats.
    """
    x, y = b.value(0), b.value(1)
    if b.flag("fmod"):
        return b.emit(ModOp(x, y))
    if kind_of(tensor_of(x).element_type) == FLOAT and (b.node.since or 0) < 28:
        raise Opaque("Mod of floats needs fmod=1 before opset 28")
    return b.emit(FloorModOp(x, y))


def _shift(b: NodeBuilder) -> SSAValue:
    direction = b.text("direction", "")
    if direction == "LEFT":
        return b.emit(BitwiseLeftShiftOp(b.value(0), b.value(1)))
    if direction == "RIGHT":
        return b.emit(BitwiseRightShiftOp(b.value(0), b.value(1)))
    raise Opaque(f"BitShift knows no direction '{direction}'")


def _power_type(b: NodeBuilder, x: Attribute, y: Attribute) -> Attribute:
    """The element type in which x^y is computed; the result is x's."""
    if x == y:
        return x
    if kind_of(x) != FLOAT and kind_of(y) != FLOAT:
        return x if bit_width(x) >= bit_width(y) else y
    exponent = b.array(1)
    if kind_of(x) == FLOAT and exponent is not None:
        dtype = np.float64 if x == f64 else np.float32
        with np.errstate(over="ignore"):
            if np.array_equal(exponent.astype(dtype).astype(exponent.dtype), exponent):
                return x
    return f64


def _pow(b: NodeBuilder) -> SSAValue:
    """x^y with the element type of x; operands of two types are widened to compute it."""
    x, y = b.value(0), b.value(1)
    element = tensor_of(x).element_type
    wide = _power_type(b, element, tensor_of(y).element_type)
    result = b.emit(PowerOp(b.convert(x, wide), b.convert(y, wide)))
    return b.convert(result, element)


def _sum(b: NodeBuilder) -> SSAValue:
    return reduce(lambda a, x: b.emit(AddOp(a, x)), b.values())


ROWS: dict[str, Row] = {
    "BitShift": Row((11, 28), _shift, narrow=True),
    "Mean": Row((6, 8, 13), _mean),
    "Mod": Row((10, 13, 28), _mod, narrow=True),
    "Pow": Row((7, 12, 13, 15), _pow),
    "Sum": Row((6, 8, 13), _sum),
}
