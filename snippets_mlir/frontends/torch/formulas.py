"""Elementwise ATen ops that are a few ops.

    reciprocal(x)       1 / x
    sign(x)             snippets.sign, and 0 for NaN as in torch
    pow(x, 0.5)         snippets.sqrt
    clamp(x, 0, 6)      snippets.clamp; with one bound snippets.maximum or snippets.minimum
    selu(x)             elu with scale: select(x > 0, x * scale, expm1(x) * (alpha * scale))
    softplus(x, 3, 4)   select(x * 3 > 4, x, softplus(x * 3) / 3)
    round(x, 2)         round(x * 100) / 100
    angle(x)            0 or pi, and NaN for NaN

Numbers beside 16-bit floats are not rounded to 16 bits: such formulas are computed in float32.

Source: the definitions of the ops in ATen.
"""

from __future__ import annotations

import math

from xdsl.dialects.builtin import bf16, f16, f32, f64
from xdsl.ir import Attribute, SSAValue

from snippets_mlir.dialects.builtin.shaped import tensor_of
from snippets_mlir.dialects.snippets.activations import SoftplusOp
from snippets_mlir.dialects.snippets.arithmetic import AddOp, DivideOp, MultiplyOp, SubtractOp
from snippets_mlir.dialects.snippets.base import FLOAT, kind_of
from snippets_mlir.dialects.snippets.clamps import ClampOp
from snippets_mlir.dialects.snippets.comparison import (
    EqualOp,
    GreaterOp,
    IsNanOp,
    LessOp,
    NotEqualOp,
)
from snippets_mlir.dialects.snippets.elementary import SqrtOp
from snippets_mlir.dialects.snippets.exponentials import Expm1Op
from snippets_mlir.dialects.snippets.extrema import MaximumOp, MinimumOp
from snippets_mlir.dialects.snippets.float_bits import CopysignOp
from snippets_mlir.dialects.snippets.internal import TruncOp
from snippets_mlir.dialects.snippets.logic import LogicalAndOp, LogicalXorOp
from snippets_mlir.dialects.snippets.remainders import ModOp
from snippets_mlir.dialects.snippets.selection import SelectOp
from snippets_mlir.dialects.snippets.signs import FloorOp, RoundOp, SignOp
from snippets_mlir.frontends.torch.elementwise import elementwise
from snippets_mlir.frontends.torch.layout import Rule
from snippets_mlir.frontends.torch.node import NodeBuilder, Unheld

_DECIMALS = 22
"""10 to this power is exact in float64."""


def _reciprocal(b: NodeBuilder) -> SSAValue:
    return b.emit(DivideOp(b.scalar(1, b.element), b.operand("self", b.element)))


def _sign(b: NodeBuilder) -> SSAValue:
    x = b.tensor()
    sign = b.emit(SignOp(x))
    if kind_of(tensor_of(x).element_type) != FLOAT:
        return sign
    return b.emit(SelectOp(b.emit(IsNanOp(x)), b.scalar(0, b.element), sign))


def _clamped(b: NodeBuilder, low: str, high: str) -> SSAValue:
    x = b.operand("self", b.element)
    bounds = b.arguments[low], b.arguments[high]
    if all(isinstance(bound, int | float) and bound == bound for bound in bounds):
        return b.emit(ClampOp(x, *(b.number(bound, b.element) for bound in bounds)))
    if bounds[0] is not None:
        x = b.emit(MaximumOp(x, b.operand(low, b.element)))
    if bounds[1] is not None:
        x = b.emit(MinimumOp(x, b.operand(high, b.element)))
    return x


def _clamp(b: NodeBuilder) -> SSAValue:
    return _clamped(b, "min", "max")


def _hardtanh(b: NodeBuilder) -> SSAValue:
    return _clamped(b, "min_val", "max_val")


def _power(b: NodeBuilder) -> SSAValue:
    """A power; a root for exponents of 0.5 and -0.5, which is NaN of -inf and -0.0 of -0.0."""
    exponent = b.arguments["exponent"]
    if not isinstance(exponent, int | float) or abs(exponent) != 0.5 or b.element not in (f32, f64):
        return elementwise(b)
    root = b.emit(SqrtOp(b.operand("self", b.element)))
    return root if exponent > 0 else b.emit(DivideOp(b.scalar(1, b.element), root))


def _rounded_quotient(b: NodeBuilder) -> SSAValue:
    """`div` with a rounding mode, as ATen computes it; integers raise an error for 0."""
    mode, element = b.arguments.get("rounding_mode"), b.element
    if mode is None:
        return elementwise(b)
    if element not in (f32, f64):
        raise Unheld(f"rounding_mode is {mode}, and kernels have it of float32 and float64 only")
    x, y = b.operand("self", element), b.operand("other", element)
    ratio = b.emit(DivideOp(x, y))
    if mode == "trunc":
        return b.emit(TruncOp(ratio))
    zero, one = b.scalar(0, element), b.scalar(1, element)
    rest = b.emit(ModOp(x, y))
    exact = b.emit(DivideOp(b.emit(SubtractOp(x, rest)), y))
    signs = (b.emit(LessOp(value, zero)) for value in (y, rest))
    apart = b.emit(LogicalAndOp(b.emit(NotEqualOp(rest, zero)), b.emit(LogicalXorOp(*signs))))
    exact = b.emit(SelectOp(apart, b.emit(SubtractOp(exact, one)), exact))
    floor = b.emit(FloorOp(exact))
    is_below = b.emit(GreaterOp(b.emit(SubtractOp(exact, floor)), b.scalar(0.5, element)))
    floor = b.emit(SelectOp(is_below, b.emit(AddOp(floor, one)), floor))
    nothing = b.emit(CopysignOp(b.emit(MultiplyOp(exact, zero)), ratio))
    floor = b.emit(SelectOp(b.emit(EqualOp(exact, zero)), nothing, floor))
    return b.emit(SelectOp(b.emit(EqualOp(y, zero)), ratio, floor))


def _wide(b: NodeBuilder) -> Attribute:
    """The type that a formula with numbers in it is computed in."""
    return f32 if b.element in (f16, bf16) else b.element


def _elu(b: NodeBuilder) -> SSAValue:
    alpha, scale, inner = (b.arguments[name] for name in ("alpha", "scale", "input_scale"))
    if (scale, inner) == (1, 1):
        return elementwise(b)
    if not all(isinstance(number, int | float) for number in (alpha, scale, inner)):
        raise Unheld("its scales are known only when it is called")
    element = _wide(b)
    x = b.operand("self", element)
    above = b.emit(MultiplyOp(x, b.scalar(scale, element)))
    scaled = x if inner == 1 else b.emit(MultiplyOp(x, b.scalar(inner, element)))
    below = b.emit(MultiplyOp(b.emit(Expm1Op(scaled)), b.scalar(alpha * scale, element)))
    is_above = b.emit(GreaterOp(x, b.scalar(0, element)))
    return b.convert(b.emit(SelectOp(is_above, above, below)), b.element)


def _softplus(b: NodeBuilder) -> SSAValue:
    beta, threshold = b.arguments["beta"], b.arguments["threshold"]
    if (beta, threshold) == (1, 20):
        return elementwise(b)
    if not all(isinstance(number, int | float) for number in (beta, threshold)):
        raise Unheld("beta or threshold are known only when it is called")
    element = _wide(b)
    x, factor = b.operand("self", element), b.scalar(beta, element)
    scaled = b.emit(MultiplyOp(x, factor))
    soft = b.emit(DivideOp(b.emit(SoftplusOp(scaled)), factor))
    is_above = b.emit(GreaterOp(scaled, b.scalar(threshold, element)))
    return b.convert(b.emit(SelectOp(is_above, x, soft)), b.element)


def _round(b: NodeBuilder) -> SSAValue:
    """The nearest number with this many decimals, halves to even."""
    decimals = b.arguments.get("decimals", 0)
    if decimals == 0:
        return elementwise(b)
    if not isinstance(decimals, int) or abs(decimals) > _DECIMALS or kind_of(b.element) != FLOAT:
        raise Unheld(f"decimals is {decimals}, of {b.element} elements")
    element = _wide(b)
    x, power = b.operand("self", element), b.scalar(float(10 ** abs(decimals)), element)
    there, back = (MultiplyOp, DivideOp) if decimals > 0 else (DivideOp, MultiplyOp)
    return b.convert(b.emit(back(b.emit(RoundOp(b.emit(there(x, power)))), power)), b.element)


def _angle(b: NodeBuilder) -> SSAValue:
    x = b.operand("self", b.element)
    zero, half_turn = b.scalar(0, b.element), b.scalar(math.pi, b.element)
    angle = b.emit(SelectOp(b.emit(LessOp(x, zero)), half_turn, zero))
    return b.emit(SelectOp(b.emit(IsNanOp(x)), x, angle))


FORMULAS: dict[str, Rule] = {
    "angle": _angle,
    "clamp": _clamp,
    "div": _rounded_quotient,
    "elu": _elu,
    "hardtanh": _hardtanh,
    "pow": _power,
    "reciprocal": _reciprocal,
    "round": _round,
    "sgn": _sign,
    "sign": _sign,
    "softplus": _softplus,
}
