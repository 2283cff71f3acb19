"""Exact functions of signed integers; the builder's `f32` is i32 here, its `f64` is i64."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from snippets_mlir.dialects.snippets.expansions.builder import MathBuilder, V

Attrs = Mapping[str, float | str]


def power(b: MathBuilder[V], operands: Sequence[V], _attrs: Attrs) -> V:
    """base^exponent modulo 2^width by squaring; a negative exponent truncates the real value.

    The real value is 0 unless the base is 1 or -1. Powers of these depend only on the lowest bit of
    the exponent, so only this bit is kept for them.
    """
    base, exponent = operands
    zero, one = b.integer(0), b.integer(1)
    negative = b.ilt(exponent, zero)
    unit = b.mask_or(b.ieq(base, one), b.ieq(base, b.integer(-1)))
    bits = b.select(negative, b.iand(exponent, one), exponent)
    result = one
    square = base
    width = 32 if b.element == "f32" else 64
    for k in range(width - 1):
        taken = b.ieq(b.iand(bits, b.integer(1 << k)), zero)
        result = b.select(taken, result, b.imul(result, square))
        if k < width - 2:
            square = b.imul(square, square)
    return b.select(b.mask_and(negative, b.mask_not(unit)), zero, result)


def power_static(b: MathBuilder[V], operands: Sequence[V], attrs: Attrs) -> V:
    """x^exponent modulo 2^width by squaring, exponent >= 0."""
    exponent = int(attrs["exponent"])
    (square,) = operands
    result: V | None = None
    while exponent:
        if exponent & 1:
            result = square if result is None else b.imul(result, square)
        if exponent := exponent >> 1:
            square = b.imul(square, square)
    if result is None:  # the constant 1, with the operand's lanes
        return b.ior(b.imul(operands[0], b.integer(0)), b.integer(1))
    return result


def squared_difference(b: MathBuilder[V], operands: Sequence[V], _attrs: Attrs) -> V:
    """(lhs - rhs)^2, wrapping."""
    d = b.isub(operands[0], operands[1])
    return b.imul(d, d)


def relu(b: MathBuilder[V], operands: Sequence[V], _attrs: Attrs) -> V:
    """max(x, 0)."""
    (x,) = operands
    zero = b.integer(0)
    return b.select(b.igt(x, zero), x, zero)


def sign(b: MathBuilder[V], operands: Sequence[V], _attrs: Attrs) -> V:
    """-1, 0 or 1."""
    (x,) = operands
    zero = b.integer(0)
    rest = b.select(b.ilt(x, zero), b.integer(-1), zero)
    return b.select(b.igt(x, zero), b.integer(1), rest)


def prelu(b: MathBuilder[V], operands: Sequence[V], _attrs: Attrs) -> V:
    """lhs, or lhs * rhs below 0."""
    x, slope = operands
    return b.select(b.ilt(x, b.integer(0)), b.imul(x, slope), x)


def clamp(b: MathBuilder[V], operands: Sequence[V], attrs: Attrs) -> V:
    """Raised to `min`, then lowered to `max`."""
    (x,) = operands
    low, high = b.integer(int(attrs["min"])), b.integer(int(attrs["max"]))
    x = b.select(b.ilt(x, low), low, x)
    return b.select(b.igt(x, high), high, x)


def absolute(b: MathBuilder[V], operands: Sequence[V], _attrs: Attrs) -> V:
    """|x|, wrapping at the smallest integer."""
    (x,) = operands
    zero = b.integer(0)
    return b.select(b.ilt(x, zero), b.isub(zero, x), x)


def bitwise_not(b: MathBuilder[V], operands: Sequence[V], _attrs: Attrs) -> V:
    """~x."""
    return b.ixor(operands[0], b.integer(-1))
