"""Integer ops, against Python's unbounded integers wrapped to the width."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from value_types import INTS, Special, ValueOf


def wrap(value: int, dtype: Any) -> int:
    info = np.iinfo(dtype)
    return (value - int(info.min)) % (1 << info.bits) + int(info.min)


@pytest.mark.parametrize("dtype", INTS)
def test_integer_arithmetic_is_python_arithmetic_wrapped(
    dtype: str, value_of: ValueOf, special: Special
) -> None:
    values = special(np.dtype(dtype))
    x, y = values[:, None], values[None, :]

    def quotient(a: int, b: int) -> int:
        return 0 if b == 0 else (abs(a) // abs(b)) * (1 if (a < 0) == (b < 0) else -1)

    def power(a: int, b: int) -> int:
        if b >= 0:
            return pow(a, b, 1 << np.iinfo(dtype).bits)
        return int(Fraction(a) ** b) if a in (1, -1) else 0

    bits = np.iinfo(dtype).bits

    def amount(b: int) -> int:
        return b % (1 << bits)

    def left(a: int, b: int) -> int:
        return a << amount(b) if amount(b) < bits else 0

    cases: dict[str, Callable[[int, int], int]] = {
        "add": lambda a, b: a + b,
        "subtract": lambda a, b: a - b,
        "multiply": lambda a, b: a * b,
        "divide": quotient,
        "mod": lambda a, b: 0 if b == 0 else a - b * quotient(a, b),
        "floor_mod": lambda a, b: 0 if b == 0 else a % b,
        "power": power,
        "squared_difference": lambda a, b: wrap(a - b, dtype) ** 2,
        "maximum": max,
        "minimum": min,
        "prelu": lambda a, b: a if a >= 0 else a * b,
        "bitwise_left_shift": left,
        "bitwise_right_shift": lambda a, b: a >> min(amount(b), bits),
        "bitwise_and": lambda a, b: a & b,
        "bitwise_or": lambda a, b: a | b,
        "bitwise_xor": lambda a, b: a ^ b,
    }
    for name, function in cases.items():
        expected = [[wrap(function(a, b), dtype) for b in values.tolist()] for a in values.tolist()]
        found = value_of(name, x, y)
        np.testing.assert_array_equal(found, np.array(expected, dtype), err_msg=f"{name} {dtype}")


@pytest.mark.parametrize("dtype", INTS)
def test_integer_unary_ops_wrap(dtype: str, value_of: ValueOf, special: Special) -> None:
    x = special(np.dtype(dtype))
    cases: dict[str, Callable[[int], int]] = {
        "abs": abs,
        "negative": lambda a: -a,
        "relu": lambda a: max(a, 0),
        "sign": lambda a: (a > 0) - (a < 0),
        "bitwise_not": lambda a: ~a,
    }
    for name, function in cases.items():
        expected = np.array([wrap(function(a), dtype) for a in x.tolist()], dtype)
        np.testing.assert_array_equal(value_of(name, x), expected, err_msg=name)
