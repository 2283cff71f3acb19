"""Iotas and cumulative sums against additions in a row, exceptional values included."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from value_types import INF, NAN, Array, Same
from xdsl.dialects.builtin import BFloat16Type, TensorType, f32, i8
from xdsl.ir import Attribute
from xdsl.utils.test_value import create_ssa_value

from snippets_mlir.dialects.builtin.dtypes import element_type_of
from snippets_mlir.dialects.snippets.cumulative import (
    CumMaxOp,
    CumMinOp,
    CumProdOp,
    CumSumOp,
    CumulativeOp,
)
from snippets_mlir.dialects.snippets.iota import IotaOp
from snippets_mlir.dialects.snippets.values.evaluate import evaluate


def sums(x: Array, axis: int, exclusive: bool = False, reverse: bool = False) -> Array:
    """The value of a cumulative sum, whose op has to be valid."""
    source = create_ssa_value(TensorType(element_type_of(x.dtype), x.shape))
    op = CumSumOp(source, axis, exclusive, reverse)
    op.verify()
    return evaluate(op, [x])


@pytest.mark.parametrize("dtype", ["float32", "float64", "int8", "uint8", "int64"])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_additions_in_a_row(dtype: str, axis: int, same: Same) -> None:
    rng = np.random.default_rng(3)
    x = (rng.standard_normal((3, 5, 4)) * 100).astype(dtype)
    for reverse in (False, True):
        for exclusive in (False, True):
            found = np.moveaxis(sums(x, axis, exclusive, reverse), axis, 0)
            along = np.moveaxis(x, axis, 0)
            found, along = (found[::-1], along[::-1]) if reverse else (found, along)
            assert found.dtype == x.dtype
            total = np.zeros_like(along[0])
            for place, element in enumerate(along):
                before, total = total, (total + element).astype(dtype)
                assert same(found[place], before if exclusive else total)


def test_exceptional_sums(same: Same) -> None:
    x = np.array([-0.0, -0.0, 1, INF, 2, -INF, 3, NAN, 4], np.float32)
    expected = np.array([-0.0, -0.0, 1, INF, INF, NAN, NAN, NAN, NAN], np.float32)
    assert same(sums(x, 0), expected)
    assert sums(x[:0], 0, exclusive=True).shape == (0,)
    assert sums(np.zeros((2, 0, 3), np.int32), 1, exclusive=True).shape == (2, 0, 3)


OTHERS: dict[type[CumulativeOp], tuple[np.ufunc, float]] = {
    CumProdOp: (np.multiply, 1),
    CumMaxOp: (np.maximum, -INF),
    CumMinOp: (np.minimum, INF),
}


@pytest.mark.parametrize("dtype", ["float32", "float64", "int8", "uint8", "int64"])
@pytest.mark.parametrize("make", OTHERS)
def test_products_and_extremes_in_a_row(make: type[CumulativeOp], dtype: str, same: Same) -> None:
    ufunc, nothing = OTHERS[make]
    x = (np.random.default_rng(3).standard_normal((3, 5, 4)) * 9).astype(dtype)
    if x.dtype.kind in "iu":
        limits = np.iinfo(x.dtype)
        nothing = max(limits.min, min(nothing, limits.max))
    source = create_ssa_value(TensorType(element_type_of(x.dtype), x.shape))
    for axis in (0, 1, 2):
        for reverse in (False, True):
            for exclusive in (False, True):
                op = make(source, axis, exclusive, reverse)
                op.verify()
                found, along = np.moveaxis(evaluate(op, [x]), axis, 0), np.moveaxis(x, axis, 0)
                found, along = (found[::-1], along[::-1]) if reverse else (found, along)
                total = np.full_like(along[0], nothing)
                for place, element in enumerate(along):
                    before, total = total, ufunc(total, element, dtype=x.dtype)
                    assert same(found[place], before if exclusive else total)


def test_exceptional_products_and_extremes(bf16: np.dtype[Any], same: Same) -> None:
    x = np.array([-0.0, 0.0, -0.0, 2, NAN, INF], np.float32)
    source = create_ssa_value(TensorType(f32, [6]))
    largest = evaluate(CumMaxOp(source, 0), [x])
    assert same(largest, np.array([-0.0, 0.0, 0.0, 2, NAN, NAN], np.float32))
    smallest = evaluate(CumMinOp(source, 0), [-x])
    assert same(smallest, np.array([0.0, -0.0, -0.0, -2, NAN, NAN], np.float32))
    products = evaluate(CumProdOp(source, 0), [x])
    assert same(products, np.array([-0.0, -0.0, 0.0, 0.0, NAN, NAN], np.float32))
    halves = np.array([1.0078125, 1.0078125, 1.0078125], bf16)
    op = CumProdOp(create_ssa_value(TensorType(BFloat16Type(), [3])), 0)
    wide = np.cumprod(halves.astype(np.float32))
    assert same(evaluate(op, [halves]), wide.astype(bf16))
    for shape in ((0,), (2, 0, 3)):
        empty = np.zeros(shape, np.float32)
        op = CumMaxOp(create_ssa_value(TensorType(f32, shape)), len(shape) // 2, exclusive=True)
        assert evaluate(op, [empty]).shape == shape


def test_narrow_floats_are_added_in_float32(bf16: np.dtype[Any], same: Same) -> None:
    x = np.array([256, 1, 1], bf16)
    assert same(sums(x, 0), np.array([256, 256, 258], bf16))


@pytest.mark.parametrize(
    ("element", "count", "last"), [(f32, 9, 8.0), (i8, 130, -127), (BFloat16Type(), 260, 260.0)]
)
def test_iotas(element: Attribute, count: int, last: float) -> None:
    found = evaluate(IotaOp(TensorType(element, [2, count]), 1), [])
    assert found.shape == (2, count)
    assert float(found[0, 3]) == 3
    assert float(found[1, count - 1]) == last
    across = evaluate(IotaOp(TensorType(element, [3, 2]), 0), [])
    np.testing.assert_array_equal(across.astype(np.float32), [[0, 0], [1, 1], [2, 2]])
