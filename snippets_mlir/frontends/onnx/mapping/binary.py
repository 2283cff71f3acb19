"""ONNX operators on two tensors or more, and `Where`."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

import numpy as np
from xdsl.dialects.builtin import f64
from xdsl.ir import Attribute, SSAValue

from snippets_mlir.dialects.builtin.shaped import tensor_of
from snippets_mlir.dialects.snippets import binary as s
from snippets_mlir.dialects.snippets import comparison as c
from snippets_mlir.dialects.snippets.base import FLOAT, BinaryOp, kind_of
from snippets_mlir.dialects.snippets.conversion import SelectOp
from snippets_mlir.frontends.onnx.node import Build, NodeBuilder, Opaque, Row, bit_width

MakeBinary = Callable[[SSAValue, SSAValue], BinaryOp]


def simple(op: MakeBinary) -> Build:
    """The builder for one binary op on the first two inputs."""

    def build(b: NodeBuilder) -> SSAValue:
        return b.emit(op(b.value(0), b.value(1)))

    return build


def variadic(op: MakeBinary) -> Build:
    """The builder for a chain of one op over all inputs, from left to right."""

    def build(b: NodeBuilder) -> SSAValue:
        return reduce(lambda a, x: b.emit(op(a, x)), b.values())

    return build


def _mean(b: NodeBuilder) -> SSAValue:
    total = reduce(lambda a, x: b.emit(s.AddOp(a, x)), b.values())
    return b.emit(s.DivideOp(total, b.like(float(len(b)), total)))


def _mod(b: NodeBuilder) -> SSAValue:
    """The sign of the dividend with `fmod=1`, of the divisor otherwise.

    Before version 28 `fmod=0` was an error for floats.
    """
    x, y = b.value(0), b.value(1)
    if b.flag("fmod"):
        return b.emit(s.ModOp(x, y))
    if kind_of(tensor_of(x).element_type) == FLOAT and (b.node.since or 0) < 28:
        raise Opaque("Mod of floats needs fmod=1 before opset 28")
    return b.emit(s.FloorModOp(x, y))


def _shift(b: NodeBuilder) -> SSAValue:
    """BitShift by `direction`."""
    direction = b.text("direction", "")
    if direction == "LEFT":
        return b.emit(s.BitwiseLeftShiftOp(b.value(0), b.value(1)))
    if direction == "RIGHT":
        return b.emit(s.BitwiseRightShiftOp(b.value(0), b.value(1)))
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
    result = b.emit(s.PowerOp(b.convert(x, wide), b.convert(y, wide)))
    return b.convert(result, element)


def _where(b: NodeBuilder) -> SSAValue:
    return b.emit(SelectOp(b.value(0), b.value(1), b.value(2)))


ROWS: dict[str, Row] = {
    "Add": Row((7, 13, 14), simple(s.AddOp)),
    "And": Row((7,), simple(s.LogicalAndOp)),
    "BitShift": Row((11, 28), _shift),
    "BitwiseAnd": Row((18,), simple(s.BitwiseAndOp)),
    "BitwiseOr": Row((18,), simple(s.BitwiseOrOp)),
    "BitwiseXor": Row((18,), simple(s.BitwiseXorOp)),
    "Div": Row((7, 13, 14), simple(s.DivideOp)),
    "Equal": Row((7, 11, 13, 19), simple(c.EqualOp)),
    "Greater": Row((7, 9, 13), simple(c.GreaterOp)),
    "GreaterOrEqual": Row((12, 16), simple(c.GreaterEqualOp)),
    "Less": Row((7, 9, 13), simple(c.LessOp)),
    "LessOrEqual": Row((12, 16), simple(c.LessEqualOp)),
    "Max": Row((6, 8, 12, 13), variadic(s.MaximumOp)),
    "Mean": Row((6, 8, 13), _mean),
    "Min": Row((6, 8, 12, 13), variadic(s.MinimumOp)),
    "Mod": Row((10, 13, 28), _mod),
    "Mul": Row((7, 13, 14), simple(s.MultiplyOp)),
    "Or": Row((7,), simple(s.LogicalOrOp)),
    "Pow": Row((7, 12, 13, 15), _pow),
    "Sub": Row((7, 13, 14), simple(s.SubtractOp)),
    "Sum": Row((6, 8, 13), variadic(s.AddOp)),
    "Where": Row((9, 16), _where),
    "Xor": Row((7,), simple(s.LogicalXorOp)),
}
