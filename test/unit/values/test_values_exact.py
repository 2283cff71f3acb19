"""The ops whose docstring promises exact values, against Python's exact numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.dialects.builtin import (
    BFloat16Type,
    DenseIntOrFPElementsAttr,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    Signedness,
    StringAttr,
    TensorType,
    i1,
)

from snippets_mlir.dialects.dtypes import element_type_of, numpy_dtype, round_to
from snippets_mlir.dialects.snippets import Snippets
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.shapes import DYNAMIC
from snippets_mlir.dialects.values import constant_array, dense_attr, value_table
from snippets_mlir.errors import CompileError

Array = NDArray[Any]
ValueOf = Callable[..., Array]
Same = Callable[[Array, Array], bool]
Special = Callable[[np.dtype[Any]], Array]
f16, f32, f64 = Float16Type(), Float32Type(), Float64Type()
i8, i32, i64 = IntegerType(8), IntegerType(32), IntegerType(64)
ui8 = IntegerType(8, Signedness.UNSIGNED)
INTS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
INF, NAN = math.inf, math.nan


def wrap(value: int, dtype: Any) -> int:
    info = np.iinfo(dtype)
    return (value - int(info.min)) % (1 << info.bits) + int(info.min)


def test_every_computing_op_has_a_value() -> None:
    computing = {op.name for op in Snippets.operations if issubclass(op, ComputeOp)}
    assert computing == set(value_table())


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


@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "divide"])
@pytest.mark.parametrize("narrow", ["float16", "bfloat16"])
def test_narrow_arithmetic_is_rounded_once(
    name: str, narrow: str, value_of: ValueOf, same: Same, special: Special, bf16: np.dtype[Any]
) -> None:
    dtype = bf16 if narrow == "bfloat16" else np.dtype(narrow)
    rng = np.random.default_rng(7)
    bits = rng.integers(0, 1 << 16, (2, 4000), np.uint16)
    x, y = (np.concatenate([special(dtype), b.view(dtype)]) for b in bits)
    y[: len(special(dtype))] = special(dtype)[::-1]
    operation = {"add": np.add, "subtract": np.subtract, "multiply": np.multiply}
    with np.errstate(all="ignore"):
        wide = operation.get(name, np.divide)(x.astype(np.longdouble), y.astype(np.longdouble))
        # Rounding to 53 bits of odd keeps the second rounding harmless.
        expected = round_to(wide.astype(np.float64), dtype)
    assert same(value_of(name, x, y), expected)


def test_rounding_to_bf16_is_not_rounded_through_f32(bf16: np.dtype[Any]) -> None:
    # Halfway between two bf16 after rounding to f32, just above before.
    x = np.array([1 + 2.0**-8 + 2.0**-40, 1 + 2.0**-8, 1 + 2.0**-8 - 2.0**-40, 1e300, -1e-300])
    expected = np.array([1 + 2.0**-7, 1.0, 1.0, INF, -0.0])
    found = round_to(x, bf16).astype(np.float64)
    np.testing.assert_array_equal(found, expected)
    assert np.signbit(found[-1])


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_maximum_and_minimum_are_those_of_ieee_754_2019(
    dtype: str, value_of: ValueOf, same: Same
) -> None:
    x = np.array([0.0, -0.0, 0.0, NAN, 1.0, NAN, -INF, 2.0], dtype)
    y = np.array([-0.0, 0.0, 0.0, 1.0, NAN, NAN, INF, 1.0], dtype)
    largest = np.array([0.0, 0.0, 0.0, NAN, NAN, NAN, INF, 2.0], dtype)
    smallest = np.array([-0.0, -0.0, 0.0, NAN, NAN, NAN, -INF, 1.0], dtype)
    assert same(value_of("maximum", x, y), largest)
    assert same(value_of("minimum", x, y), smallest)


def test_signs_of_zero_and_nan(value_of: ValueOf, same: Same) -> None:
    x = np.array([-0.0, 0.0, NAN, -2.5, 2.5, -INF], np.float32)
    table = {
        "relu": [0.0, 0.0, NAN, 0.0, 2.5, 0.0],
        "sign": [0.0, 0.0, NAN, -1.0, 1.0, -1.0],
        "abs": [0.0, 0.0, NAN, 2.5, 2.5, INF],
        "negative": [0.0, -0.0, NAN, 2.5, -2.5, INF],
        "floor": [-0.0, 0.0, NAN, -3.0, 2.0, -INF],
        "ceiling": [-0.0, 0.0, NAN, -2.0, 3.0, -INF],
        "trunc": [-0.0, 0.0, NAN, -2.0, 2.0, -INF],
        "round": [-0.0, 0.0, NAN, -2.0, 2.0, -INF],
    }
    for name, expected in table.items():
        assert same(value_of(name, x), np.array(expected, np.float32)), name
    for name in ("abs", "negative"):
        sign = np.signbit(value_of(name, np.array([NAN, -NAN], np.float64)))
        assert sign.tolist() == ([False, False] if name == "abs" else [True, False])


def test_round_half_away(value_of: ValueOf, same: Same) -> None:
    x = np.array([0.5, -0.5, 0.49999999999999994, 2.5, -2.5, -0.2, 4503599627370497.5, INF])
    expected = np.array([1.0, -1.0, 0.0, 3.0, -3.0, -0.0, 4503599627370498.0, INF])
    assert same(value_of("round", x, mode=StringAttr("half_away")), expected)


def test_predicates_and_comparisons_with_nan(value_of: ValueOf) -> None:
    x = np.array([NAN, INF, -INF, 1.0, -0.0])
    assert value_of("is_nan", x).tolist() == [True, False, False, False, False]
    assert value_of("is_inf", x).tolist() == [False, True, True, False, False]
    assert value_of("is_finite", x).tolist() == [False, False, False, True, True]
    y = np.array([NAN, INF, INF, 2.0, 0.0])
    assert value_of("equal", x, y).tolist() == [False, True, False, False, True]
    assert value_of("not_equal", x, y).tolist() == [True, False, True, True, False]
    assert value_of("less", x, y).tolist() == [False, False, True, True, False]
    assert value_of("less_equal", x, y).tolist() == [False, True, True, True, True]
    assert value_of("greater", x, y).tolist() == [False] * 5
    assert value_of("greater_equal", x, y).tolist() == [False, True, False, False, True]


def test_logic_and_select(value_of: ValueOf, same: Same) -> None:
    a, b = np.array([True, True, False, False]), np.array([True, False, True, False])
    assert value_of("logical_and", a, b).tolist() == [True, False, False, False]
    assert value_of("logical_or", a, b).tolist() == [True, True, True, False]
    assert value_of("logical_xor", a, b).tolist() == [False, True, True, False]
    assert value_of("logical_not", a).tolist() == [False, False, True, True]
    x, y = np.float32(NAN).reshape(()), np.array([[1.0], [-0.0]], np.float32)
    expected = np.array([[NAN, NAN, 1.0, 1.0], [NAN, NAN, -0.0, -0.0]], np.float32)
    assert same(value_of("select", a, x, y), expected)


def test_clamp_keeps_zeros_and_nan_and_lets_max_win(value_of: ValueOf, same: Same) -> None:
    x = np.array([-0.0, NAN, -5.0, 5.0, INF], np.float32)
    bounds = {"min": FloatAttr(0.0, f64), "max": FloatAttr(2.0, f64)}
    expected = np.array([-0.0, NAN, 0.0, 2.0, 2.0], np.float32)
    assert same(value_of("clamp", x, **bounds), expected)
    crossed = {"min": FloatAttr(3.0, f32), "max": FloatAttr(1.0, f32)}
    expected = np.array([1.0, NAN, 1.0, 1.0, 1.0], np.float32)
    assert same(value_of("clamp", x, **crossed), expected)
    bounds = {"min": IntegerAttr(-1000, i64), "max": IntegerAttr(7, i64)}
    assert value_of("clamp", np.array([-128, 9], np.int8), **bounds).tolist() == [-128, 7]


def test_leaky_relu_and_prelu_keep_zero_and_nan(value_of: ValueOf, same: Same) -> None:
    x = np.array([-0.0, NAN, -2.0, 3.0], np.float32)
    expected = np.array([-0.0, NAN, np.float32(-2) * np.float32(0.1), 3.0], np.float32)
    assert same(value_of("leaky_relu", x, alpha=FloatAttr(0.1, f64)), expected)
    assert same(value_of("prelu", x, np.array(0.1, np.float32)), expected)


def test_float_mod_and_floor_mod(value_of: ValueOf, same: Same) -> None:
    x = np.array([5.5, -5.5, 5.5, -6.0, 1.0, INF, -1.0, -0.0, 1e308, -1e-20])
    y = np.array([3.0, 3.0, -3.0, 3.0, 0.0, 2.0, INF, 3.0, 1e-300, 1.0])
    fmod = [math.fmod(a, b) if b and a != INF else NAN for a, b in zip(x, y, strict=True)]
    floor = [float(a) % float(b) if b and a != INF else NAN for a, b in zip(x, y, strict=True)]
    assert same(value_of("mod", x, y), np.array(fmod))
    assert same(value_of("floor_mod", x, y), np.array(floor))


def test_power_follows_c(value_of: ValueOf, same: Same) -> None:
    x = np.array([NAN, 1.0, -8.0, -2.0, 0.0, -0.0, -0.0, INF, -INF, 2.0], np.float32)
    y = np.array([0.0, NAN, 1 / 3, 3.0, -1.0, -1.0, 0.5, -1.0, 0.5, 200.0], np.float32)
    expected = np.array([1.0, 1.0, NAN, -8.0, INF, -INF, 0.0, 0.0, INF, INF], np.float32)
    assert same(value_of("power", x, y), expected)


def fma_exact(a: float, b: float, c: float) -> float | Fraction:
    if not all(map(math.isfinite, (a, b, c))):
        return a * b + c if not (math.isfinite(a) and math.isfinite(b)) else c
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if exact == 0:
        return a * b + c if 0 in (a, b) else 0.0
    return exact


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_fma_is_rounded_once(dtype: str, value_of: ValueOf, same: Same, special: Special) -> None:
    rng = np.random.default_rng(11)
    edge = special(np.dtype(dtype))
    triples = [g.ravel() for g in np.meshgrid(edge, edge, edge)]
    bits = rng.integers(0, 2**63, (3, 500), np.uint64).astype(f"u{np.dtype(dtype).itemsize}")
    close = rng.standard_normal((3, 500)).astype(dtype)
    close[2] = -(close[0] * close[1])
    a, b, c = (np.concatenate([t, r.view(dtype), n]) for t, r, n in zip(triples, bits, close))
    found = value_of("fma", a, b, c)
    for x, y, z, r in zip(a.tolist(), b.tolist(), c.tolist(), found.tolist(), strict=True):
        exact = fma_exact(x, y, z)
        if isinstance(exact, float):
            assert same(np.array(exact), np.array(r)), (x, y, z, r)
            continue
        try:
            nearest = exact.numerator / exact.denominator
        except OverflowError:
            nearest = INF if exact > 0 else -INF
        if dtype == "float64":
            assert nearest == r, (x, y, z, r)
            continue
        # No neighbour in f32 is nearer to the exact value.
        with np.errstate(over="ignore"):
            guess = np.float32(nearest)
        if np.isfinite(r) and np.isfinite(guess):
            error = abs(Fraction(r) - exact)
            for other in (np.nextafter(np.float32(r), np.float32(s * INF)) for s in (1, -1)):
                if np.isfinite(other):
                    assert error <= abs(Fraction(float(other)) - exact), (x, y, z, r)
        else:
            assert same(np.array(guess), np.array(r, np.float32)), (x, y, z, r)


def test_fma_f32_resolves_what_double_rounding_gets_wrong(value_of: ValueOf) -> None:
    # a * b is a tie of f32 and c decides it, far below the last bit of float64.
    a = np.array([1 + 2.0**-12], np.float32)
    c = np.array([2.0**-80, -(2.0**-80)], np.float32)
    up = value_of("fma", a, np.array([1 + 2.0**-12], np.float32), c)
    assert up.tolist() == [1 + 2.0**-11 + 2.0**-23, 1 + 2.0**-11]


def test_truncating_conversion(value_of: ValueOf) -> None:
    x = np.array([NAN, INF, -INF, 300.7, -300.7, -0.9, 127.9, -128.9, 2.0**31])
    found = value_of("convert_truncation", x, element=i8)
    assert found.tolist() == [-128, -128, -128, -128, -128, 0, 127, -128, -128]
    assert value_of("convert_truncation", x, element=ui8).tolist() == [0, 0, 0, 0, 0, 0, 127, 0, 0]
    assert value_of("convert_truncation", x, element=i1).tolist() == [True] * 9
    assert value_of("convert_truncation", np.array([-0.0, 1e-320]), element=i1).tolist() == [
        False,
        True,
    ]
    wide = np.array([2**31, -(2**31) - 1, 511], np.int64)
    assert value_of("convert_truncation", wide, element=i32).tolist() == [-(2**31), 2**31 - 1, 511]
    limits = np.array([2.0**63, np.nextafter(2.0**63, 0), -(2.0**63)])
    low, high = -(2**63), 2**63 - 1024
    assert value_of("convert_truncation", limits, element=i64).tolist() == [low, high, low]


def test_saturating_conversion(value_of: ValueOf) -> None:
    x = np.array([NAN, INF, -INF, 0.5, 1.5, -0.5, 126.5, 127.5, -128.5])
    found = value_of("convert_saturation", x, element=i8)
    assert found.tolist() == [0, 127, -128, 0, 2, 0, 126, 127, -128]
    assert value_of("convert_saturation", x, element=ui8).tolist() == [
        *(0, 255, 0, 0, 2, 0, 126, 128, 0)
    ]
    wide = np.array([2**31, -(2**31) - 1, 511], np.int64)
    found = value_of("convert_saturation", wide, element=i32)
    assert found.tolist() == [2**31 - 1, -(2**31), 511]
    big = np.array([2**64 - 1, 5], np.uint64)
    assert value_of("convert_saturation", big, element=i64).tolist() == [2**63 - 1, 5]
    assert value_of("convert_saturation", np.array([-1], np.int8), element=ui8).tolist() == [0]


def test_conversion_to_floats_is_rounded_once(value_of: ValueOf, same: Same) -> None:
    # Just above a tie of bf16 and f32 by one part in 2^62.
    odd = np.array([2**62 + 2**54 + 1, 2**62 + 2**54, -(2**62) - 2**54 - 1], np.int64)
    found = value_of("convert_truncation", odd, element=BFloat16Type()).astype(np.float64)
    assert found.tolist() == [2.0**62 + 2.0**55, 2.0**62, -(2.0**62) - 2.0**55]
    odd = np.array([2**62 + 2**38 + 1, 2**62 + 2**38], np.int64)
    found = value_of("convert_truncation", odd, element=f32)
    assert found.tolist() == [2.0**62 + 2.0**39, 2.0**62]
    x = np.array([1e300, -0.0, NAN, 65519.9, 65520.0, 2.0**-25, 3 * 2.0**-26])
    expected = np.array([INF, -0.0, NAN, 65504.0, INF, 0.0, 2.0**-24], np.float16)
    assert same(value_of("convert_saturation", x, element=f16), expected)
    assert value_of("convert_truncation", np.array([True, False]), element=f64).tolist() == [1, 0]


def test_bitcast_lookup_and_shapes(value_of: ValueOf, same: Same) -> None:
    x = np.array([1.0, -0.0], np.float32)
    bits = value_of("bitcast", x, element=i32)
    assert bits.tolist() == [0x3F800000, -(2**31)]
    assert same(value_of("bitcast", bits, element=f32), x)
    table = DenseIntOrFPElementsAttr.from_list(TensorType(f32, [3]), [1.0, 2.0, 3.0])
    index = np.array([-(2**31), -1, 0, 1, 2, 3, 2**31 - 1], np.int32)
    found = value_of("lookup", index, element=f32, table=table)
    assert found.tolist() == [1.0, 1.0, 1.0, 2.0, 3.0, 3.0, 3.0]
    column = np.array([[1], [2]], np.int32)
    assert value_of("broadcast", column, shape=[2, 3]).tolist() == [[1, 1, 1], [2, 2, 2]]
    assert value_of("reshape", column, shape=[1, 2]).tolist() == [[1, 2]]
    assert value_of("reshape", column, shape=[1, DYNAMIC, 1]).shape == (1, 2, 1)
    with pytest.raises(CompileError, match="do not fill"):
        value_of("reshape", column, shape=[3, DYNAMIC])


@pytest.mark.parametrize("shape", [(), (0,), (1,), (3, 0, 2)])
def test_any_rank_and_empty_arrays(shape: tuple[int, ...], value_of: ValueOf) -> None:
    x = np.ones(shape)
    assert value_of("gelu", x).shape == shape
    assert value_of("fma", x, x, x).shape == shape
    assert value_of("erf", x).shape == shape
    assert value_of("power", np.ones(shape, np.int32), np.ones(shape, np.int32)).shape == shape
    assert value_of("add", x, np.ones((1,) * len(shape))).shape == shape
    assert value_of("convert_saturation", x, element=BFloat16Type()).shape == shape


@pytest.mark.parametrize("name", ["float16", "bfloat16", "float32", "float64", "bool", *INTS])
def test_dense_attributes_hold_every_bit(
    name: str, special: Special, same: Same, bf16: np.dtype[Any]
) -> None:
    dtype = bf16 if name == "bfloat16" else np.dtype(name)
    array = special(dtype)
    type_ = TensorType(element_type_of(dtype), array.shape)
    assert numpy_dtype(type_.element_type) == dtype
    assert same(constant_array(dense_attr(array, type_)), array)
    splat = dense_attr(np.full((2, 2), array[1]), TensorType(type_.element_type, [2, 2]))
    text = DenseIntOrFPElementsAttr.from_list(splat.type, [array[1].item()])
    assert splat == text
    assert constant_array(dense_attr(array[:0], TensorType(type_.element_type, [0]))).size == 0


def test_types_without_dtype_are_refused() -> None:
    with pytest.raises(CompileError, match="i4 has no NumPy dtype"):
        numpy_dtype(IntegerType(4))
    with pytest.raises(CompileError, match="complex128 has no element type"):
        element_type_of(np.dtype(np.complex128))
    with pytest.raises(ValueError, match="not of type"):
        dense_attr(np.zeros(2), TensorType(f32, [2]))
    with pytest.raises(CompileError, match="tensor<i1> has no NumPy dtype"):
        numpy_dtype(TensorType(i1, []))
