"""Integer operations that NumPy lacks: C's division, shifts of any amount, power modulo 2^n.

Nothing here is undefined: x / 0 = 0, INT_MIN / -1 = INT_MIN, x mod 0 = 0. A shift amount is
unsigned; an amount of the width or more shifts everything out.
"""

from __future__ import annotations

import numpy as np

from snippets_mlir.dialects.builtin.dtypes import Array


def _unsigned(x: Array) -> Array:
    return np.asarray(x, order="C").view(f"u{x.dtype.itemsize}")


def _minus_one(x: Array) -> Array:
    """Where x is -1 (nowhere for unsigned types)."""
    return x == -1 if x.dtype.kind == "i" else np.zeros(x.shape, np.bool_)


def _safe(y: Array) -> Array:
    """The divisor with 0 and -1, which trap in hardware, replaced by 1."""
    return np.where((y == 0) | _minus_one(y), np.ones((), y.dtype), y)


def divide(x: Array, y: Array) -> Array:
    """Quotient rounded toward zero; x / 0 = 0, INT_MIN / -1 = INT_MIN."""
    safe = _safe(y)
    quotient = np.floor_divide(x, safe)
    if x.dtype.kind == "i":
        inexact = quotient * safe != x
        quotient = quotient + (inexact & ((x < 0) != (safe < 0))).astype(x.dtype)
    quotient = np.where(_minus_one(y), np.subtract(x.dtype.type(0), x), quotient)
    return np.where(y == 0, x.dtype.type(0), quotient)


def mod(x: Array, y: Array) -> Array:
    """Remainder of the division toward zero, with the sign of x."""
    return np.where(y == 0, x.dtype.type(0), np.fmod(x, _safe(y)))


def floor_mod(x: Array, y: Array) -> Array:
    """Remainder of the division toward minus infinity, with the sign of y."""
    return np.where(y == 0, x.dtype.type(0), np.remainder(x, _safe(y)))


def power(x: Array, y: Array) -> Array:
    """Power modulo 2^n by repeated squaring; x ^ negative is 1 / x^-y toward zero, 0 for x = 0."""
    x, y = np.broadcast_arrays(x, y)
    result = np.ones(x.shape, _unsigned(x).dtype)
    base, exponent = _unsigned(x).copy(), np.where(y < 0, 0, y).astype(result.dtype)
    while exponent.any():
        result = np.where(exponent & 1, result * base, result)
        base, exponent = np.asarray(base * base), exponent >> 1
    positive = np.asarray(result).view(x.dtype)
    unit = np.where(y & 1, x, np.ones((), x.dtype))
    is_unit = (x == 1) | _minus_one(x)
    inverse = np.where(is_unit, unit, np.zeros((), x.dtype))
    return np.where(y < 0, inverse, positive)


def left_shift(x: Array, y: Array) -> Array:
    """Left shift; 0 for an amount of the width or more."""
    width = 8 * x.dtype.itemsize
    amount = _unsigned(y)
    shifted = np.left_shift(_unsigned(x), np.minimum(amount, width - 1))
    return np.asarray(np.where(amount < width, shifted, 0).astype(shifted.dtype)).view(x.dtype)


def right_shift(x: Array, y: Array) -> Array:
    """Right shift, arithmetic for signed types; an amount of the width leaves the sign."""
    width = 8 * x.dtype.itemsize
    amount = _unsigned(y)
    shifted = np.right_shift(x, np.minimum(amount, width - 1).astype(x.dtype))
    if x.dtype.kind == "i":
        return shifted
    return np.where(amount < width, shifted, x.dtype.type(0))
