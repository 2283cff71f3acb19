"""Reductions against NumPy in a wider type, and their exceptional values."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from op_families import REDUCTION_OPS
from value_types import INF, INTS, NAN, Array, Same, Special
from xdsl.dialects.builtin import TensorType, f32, i32
from xdsl.utils.test_value import create_ssa_value

from snippets_mlir.dialects.builtin.dtypes import element_type_of
from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.snippets.arg_reduction import ArgMaxOp, ArgMinOp
from snippets_mlir.dialects.snippets.reduction import (
    ReduceMaxOp,
    ReduceMeanOp,
    ReduceMinOp,
    ReduceOp,
    ReduceProdOp,
    ReduceSumOp,
)
from snippets_mlir.dialects.snippets.values.evaluate import evaluate
from snippets_mlir.support.errors import CompileError

FLOATS = ("float16", "float32", "float64")
F32 = np.float32
NUMPY: dict[type[ReduceOp], Any] = {
    ReduceMaxOp: np.max,
    ReduceMeanOp: np.mean,
    ReduceMinOp: np.min,
    ReduceProdOp: np.prod,
    ReduceSumOp: np.sum,
}


def reduced(cls: type[ReduceOp], x: Array, axes: Sequence[int], keep_dims: bool = False) -> Array:
    """The value of a reduction, whose op has to be valid."""
    op = cls(create_ssa_value(TensorType(element_type_of(x.dtype), x.shape)), axes, keep_dims)
    op.verify()
    result = evaluate(op, [x])
    assert result.shape == shape_of(op.result)
    assert result.dtype == x.dtype
    return result


def row(cls: type[ReduceOp], *values: float, dtype: Any = F32) -> Any:
    """The reduction of one row of numbers, as a Python number."""
    return reduced(cls, np.array(values, dtype), [0]).item()


def is_same(a: float, b: float) -> bool:
    """Equal numbers with equal signs; NaN is NaN."""
    return (a != a and b != b) or (a == b and math.copysign(1, a) == math.copysign(1, b))


@pytest.mark.parametrize("cls", REDUCTION_OPS)
@pytest.mark.parametrize("dtype", FLOATS)
def test_floats_over_every_set_of_axes(cls: type[ReduceOp], dtype: str) -> None:
    rng = np.random.default_rng(5)
    x = rng.uniform(0.5, 1.5, (2, 3, 1, 5)).astype(dtype)
    tolerance = 8 * float(np.finfo(dtype).eps)
    for count in range(5):
        for axes in itertools.combinations(range(4), count):
            wide = NUMPY[cls](x.astype(np.longdouble), axis=axes, keepdims=True)
            found = reduced(cls, x, axes, keep_dims=True)
            np.testing.assert_allclose(found, wide.astype(np.float64), tolerance)
            alone = reduced(cls, x, axes)
            np.testing.assert_array_equal(alone, found.reshape(alone.shape))


@pytest.mark.parametrize("dtype", INTS)
def test_integers(dtype: str, special: Special) -> None:
    numbers = special(np.dtype(dtype)).tolist()
    bits = 8 * np.dtype(dtype).itemsize
    lowest = np.iinfo(dtype).min

    def wrapped(value: int) -> int:
        return (value - lowest) % (1 << bits) + lowest

    for values in (numbers, numbers[:3], [numbers[0]], [3, 4, 6]):
        total, product = sum(values), math.prod(values)
        assert row(ReduceSumOp, *values, dtype=dtype) == wrapped(total)
        assert row(ReduceProdOp, *values, dtype=dtype) == wrapped(product)
        assert row(ReduceMaxOp, *values, dtype=dtype) == max(values)
        assert row(ReduceMinOp, *values, dtype=dtype) == min(values)
    assert row(ReduceMeanOp, 3, 4, dtype=dtype) == 3
    if lowest < 0:
        assert row(ReduceMeanOp, -3, -4, dtype=dtype) == -3
        assert row(ReduceMeanOp, -1, 0, dtype=dtype) == 0


@pytest.mark.parametrize(
    ("cls", "values", "expected"),
    [
        (ReduceSumOp, (-0.0, -0.0), 0.0),
        (ReduceSumOp, (-0.0,), 0.0),
        (ReduceSumOp, (INF, 1.0), INF),
        (ReduceSumOp, (INF, -INF), NAN),
        (ReduceSumOp, (NAN, 1.0), NAN),
        (ReduceSumOp, (), 0.0),
        (ReduceMeanOp, (-0.0,), 0.0),
        (ReduceMeanOp, (3e38, 3e38), INF),
        (ReduceMeanOp, (-INF, 1.0), -INF),
        (ReduceMeanOp, (), NAN),
        (ReduceProdOp, (-0.0, 2.0), -0.0),
        (ReduceProdOp, (-0.0,), -0.0),
        (ReduceProdOp, (0.0, INF), NAN),
        (ReduceProdOp, (NAN, 0.0), NAN),
        (ReduceProdOp, (), 1.0),
        (ReduceMaxOp, (-INF, -INF), -INF),
        (ReduceMaxOp, (-0.0, 0.0, -0.0), 0.0),
        (ReduceMaxOp, (0.0, -0.0), 0.0),
        (ReduceMaxOp, (-0.0, -0.0), -0.0),
        (ReduceMaxOp, (-0.0, -1.0), -0.0),
        (ReduceMaxOp, (INF, NAN, 1.0), NAN),
        (ReduceMaxOp, (), -INF),
        (ReduceMinOp, (INF, INF), INF),
        (ReduceMinOp, (0.0, -0.0, 0.0), -0.0),
        (ReduceMinOp, (-0.0, 0.0), -0.0),
        (ReduceMinOp, (0.0, 0.0), 0.0),
        (ReduceMinOp, (-INF, NAN), NAN),
        (ReduceMinOp, (), INF),
    ],
)
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_exceptional_values(
    cls: type[ReduceOp],
    values: Sequence[float],
    expected: float,
    dtype: str,
    bf16: np.dtype[Any],
) -> None:
    if max(values, default=0) == 3e38 and dtype in ("float16", "float64"):
        return
    kind = bf16 if dtype == "bfloat16" else np.dtype(dtype)
    assert is_same(row(cls, *values, dtype=kind), expected)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize(
    ("values", "largest", "smallest"),
    [
        ([1, 3, 3, 0, 0], 1, 3),
        ([-0.0, 0.0, -0.0], 0, 0),
        ([INF, NAN, -INF, NAN], 1, 1),
        ([-INF, -INF, INF, INF], 2, 0),
        ([5], 0, 0),
    ],
)
def test_places_of_extremes(
    dtype: str, values: list[float], largest: int, smallest: int, bf16: np.dtype[Any]
) -> None:
    x = np.array([values], bf16 if dtype == "bfloat16" else dtype)
    source = create_ssa_value(TensorType(element_type_of(x.dtype), x.shape))
    for cls, place in ((ArgMaxOp, largest), (ArgMinOp, smallest)):
        np.testing.assert_array_equal(evaluate(cls(source, 1), [x]), [place])
        kept = evaluate(cls(source, 0, True, i32), [x])
        assert kept.dtype == np.int32
        np.testing.assert_array_equal(kept, np.zeros_like(x, np.int32))


@pytest.mark.parametrize("dtype", INTS)
def test_integers_of_nothing(dtype: str) -> None:
    limits = np.iinfo(dtype)
    assert row(ReduceSumOp, dtype=dtype) == 0
    assert row(ReduceMeanOp, dtype=dtype) == 0
    assert row(ReduceProdOp, dtype=dtype) == 1
    assert row(ReduceMaxOp, dtype=dtype) == limits.min
    assert row(ReduceMinOp, dtype=dtype) == limits.max


@pytest.mark.parametrize("size", [0, 3])
def test_a_mean_of_nothing_may_be_zero(size: int) -> None:
    x = np.full((2, size), 5, F32)
    op = ReduceMeanOp(create_ssa_value(TensorType(f32, x.shape)), [1], or_zero=True)
    assert evaluate(op, [x]).tolist() == ([5.0, 5.0] if size else [0.0, 0.0])


def test_shapes_around_empty_dims() -> None:
    x = np.zeros((2, 0, 3), F32)
    assert reduced(ReduceSumOp, x, [1]).tolist() == [[0.0] * 3] * 2
    assert reduced(ReduceSumOp, x, [0]).shape == (0, 3)
    assert reduced(ReduceMaxOp, x, [0, 2], keep_dims=True).shape == (1, 0, 1)
    assert reduced(ReduceMaxOp, x, []).shape == (2, 0, 3)


def test_rank_0_and_no_axes(same: Same, special: Special) -> None:
    x = special(np.dtype(F32))
    for cls in (ReduceMaxOp, ReduceMinOp, ReduceProdOp):
        assert same(reduced(cls, x, []), x)
    for cls in (ReduceSumOp, ReduceMeanOp):
        assert same(reduced(cls, x, []), x + F32(0.0))
    assert reduced(ReduceSumOp, np.array(2.5, F32), [], keep_dims=True).item() == 2.5


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("axis", [0, 1])
def test_long_sums_stay_accurate(seed: int, axis: int) -> None:
    """|error| <= 4 * 2^-24 * sum|x|, also where the summed elements do not lie side by side."""
    rng = np.random.default_rng(seed)
    x = (rng.standard_normal((2, 1 << 17)) * np.exp(rng.uniform(-9, 9, (2, 1)))).astype(F32)
    x = x.T if axis == 0 else x
    found = reduced(ReduceSumOp, x, [axis]).astype(np.float64)
    exact = x.astype(np.float64).sum(axis)
    bound = 4 * 2.0**-24 * np.abs(x.astype(np.float64)).sum(axis)
    assert np.all(np.abs(found - exact) <= bound)


@pytest.mark.parametrize("narrow", ["float16", "bfloat16"])
def test_narrow_sums_are_rounded_once(narrow: str, bf16: np.dtype[Any]) -> None:
    dtype = bf16 if narrow == "bfloat16" else np.dtype(narrow)
    x = np.full(3000, 1.0).astype(dtype)
    assert float(row(ReduceSumOp, *x.astype(F32).tolist(), dtype=dtype)) == float(
        np.array(3000.0).astype(dtype)
    )


def test_an_operand_of_another_shape_is_an_error() -> None:
    op = ReduceSumOp(create_ssa_value(TensorType(element_type_of(np.dtype(F32)), [2, 3])), [1])
    with pytest.raises(CompileError, match="operand 0 is of shape 3x2, its type says 2x3"):
        evaluate(op, [np.zeros((3, 2), F32)])
