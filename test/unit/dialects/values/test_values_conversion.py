"""Conversions, lookups, shapes and dense attributes: exact to the bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from value_types import INF, INTS, NAN, Same, Special, ValueOf, f16, f32, f64, i8, i32, i64, ui8
from xdsl.dialects.builtin import (
    BFloat16Type,
    DenseIntOrFPElementsAttr,
    IntegerType,
    TensorType,
    UnitAttr,
    i1,
)

from snippets_mlir.dialects.builtin.dtypes import element_type_of, numpy_dtype, round_to
from snippets_mlir.dialects.snippets.shapes import DYNAMIC
from snippets_mlir.dialects.snippets.values.evaluate import constant_array, dense_attr
from snippets_mlir.support.errors import CompileError


def test_rounding_to_bf16_is_not_rounded_through_f32(bf16: np.dtype[Any]) -> None:
    # Halfway between two bf16 after rounding to f32, just above before.
    x = np.array([1 + 2.0**-8 + 2.0**-40, 1 + 2.0**-8, 1 + 2.0**-8 - 2.0**-40, 1e300, -1e-300])
    expected = np.array([1 + 2.0**-7, 1.0, 1.0, INF, -0.0])
    found = round_to(x, bf16).astype(np.float64)
    np.testing.assert_array_equal(found, expected)
    assert np.signbit(found[-1])


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
    four = DenseIntOrFPElementsAttr.from_list(TensorType(f32, [4]), [1.0, 2.0, 3.0, 4.0])
    found = value_of("lookup", index, element=f32, table=four, wraps=UnitAttr())
    assert found.tolist() == [1.0, 4.0, 1.0, 2.0, 3.0, 4.0, 4.0]
    flags = DenseIntOrFPElementsAttr.from_list(TensorType(i1, [2]), [0, 1])
    found = value_of("lookup", index, element=i1, table=flags)
    assert found.tolist() == [False, False, False, True, True, True, True]
    column = np.array([[1], [2]], np.int32)
    assert value_of("broadcast", column, shape=[2, 3]).tolist() == [[1, 1, 1], [2, 2, 2]]
    assert value_of("reshape", column, shape=[1, 2]).tolist() == [[1, 2]]
    assert value_of("reshape", column, shape=[1, DYNAMIC, 1]).shape == (1, 2, 1)
    with pytest.raises(CompileError, match="do not fill"):
        value_of("reshape", column, shape=[3, DYNAMIC])


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
