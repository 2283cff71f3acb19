"""Softmax and normalizations against their formulas in float64, and their exceptional values."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from value_types import INF, NAN, Array
from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.test_value import create_ssa_value

from snippets_mlir.dialects.builtin.dtypes import element_type_of
from snippets_mlir.dialects.snippets.channel_norms import (
    OUTSIDE,
    BatchNormOp,
    GroupNormOp,
    InstanceNormOp,
    MvnOp,
)
from snippets_mlir.dialects.snippets.layout import SqueezeOp, TransposeOp, UnsqueezeOp
from snippets_mlir.dialects.snippets.normalization import (
    LayerNormOp,
    LogSoftmaxOp,
    NormalizationOp,
    RmsNormOp,
    SoftmaxOp,
)
from snippets_mlir.dialects.snippets.values.evaluate import evaluate
from snippets_mlir.support.errors import CompileError

Make = Callable[[list[SSAValue]], NormalizationOp]
F32, F64 = np.float32, np.float64
TOLERANCE = {"float16": 2e-3, "bfloat16": 2e-2, "float32": 2e-6, "float64": 1e-14}


def value_like(x: Array) -> SSAValue:
    """A value of the type of an array."""
    return create_ssa_value(TensorType(element_type_of(x.dtype), x.shape))


def run(make: Make, *arrays: Array) -> Array:
    """The value of the op that `make` builds on values like the arrays."""
    op = make(list(map(value_like, arrays)))
    op.verify()
    return evaluate(op, arrays)


def numbers(shape: Sequence[int], dtype: Any, seed: int = 0) -> Array:
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def normalized(x: Array, axes: tuple[int, ...], epsilon: float) -> Array:
    """(x - mean) / sqrt(variance + epsilon) in float64."""
    x = x.astype(F64)
    deviation = np.sqrt(x.var(axes, keepdims=True) + epsilon)
    return (x - x.mean(axes, keepdims=True)) / deviation


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_softmax(dtype: str, axis: int, bf16: np.dtype[Any]) -> None:
    kind = bf16 if dtype == "bfloat16" else np.dtype(dtype)
    x = (8 * numbers((2, 3, 5), F64)).astype(kind)
    wide = x.astype(F64)
    powers = np.exp(wide - wide.max(axis, keepdims=True))
    expected = powers / powers.sum(axis, keepdims=True)
    found = run(lambda v: SoftmaxOp(v[0], axis), x)
    np.testing.assert_allclose(found.astype(F64), expected, TOLERANCE[dtype], 1e-6)
    logarithm = run(lambda v: LogSoftmaxOp(v[0], axis), x)
    np.testing.assert_allclose(
        logarithm.astype(F64), np.log(expected), TOLERANCE[dtype], TOLERANCE[dtype]
    )


@pytest.mark.parametrize(
    ("row", "softmax", "log_softmax"),
    [
        ((-INF, 0.0, 0.0), (0.0, 0.5, 0.5), (-INF, -math.log(2), -math.log(2))),
        ((-INF, -INF), (NAN, NAN), (NAN, NAN)),
        ((INF, 0.0), (NAN, NAN), (NAN, NAN)),
        ((NAN, 0.0), (NAN, NAN), (NAN, NAN)),
        ((1000.0, 0.0), (1.0, 0.0), (0.0, -1000.0)),
        ((-7.5,), (1.0,), (0.0,)),
        ((), (), ()),
    ],
)
def test_softmax_of_exceptional_values(
    row: Sequence[float], softmax: Sequence[float], log_softmax: Sequence[float]
) -> None:
    x = np.array([row], F32)
    np.testing.assert_allclose(run(lambda v: SoftmaxOp(v[0], 1), x), np.array([softmax], F32), 1e-7)
    np.testing.assert_allclose(
        run(lambda v: LogSoftmaxOp(v[0], 1), x), np.array([log_softmax], F32), 1e-7
    )


def layer_norm(axis: int, count: int) -> Make:
    """Builds a layer_norm with `count` parameters and an epsilon of 0.5."""

    def make(values: list[SSAValue]) -> NormalizationOp:
        scale = values[1] if count > 0 else None
        bias = values[2] if count > 1 else None
        return LayerNormOp(values[0], scale, bias, axis, 0.5)

    return make


@pytest.mark.parametrize("dtype", TOLERANCE)
def test_layer_norm(dtype: str, bf16: np.dtype[Any]) -> None:
    kind = bf16 if dtype == "bfloat16" else np.dtype(dtype)
    x, scale, bias = (numbers(s, kind, i) for i, s in enumerate([(2, 3, 5), (5,), (3, 1)]))
    for axis, axes in ((0, (0, 1, 2)), (1, (1, 2)), (-1, (2,))):
        plain = normalized(x, axes, 0.5)
        scaled = plain * scale.astype(F64)
        cases: list[tuple[list[Array], Array]] = [
            ([], plain),
            ([scale], scaled),
            ([scale, bias], scaled + bias.astype(F64)),
        ]
        for parameters, expected in cases:
            found = run(layer_norm(axis, len(parameters)), x, *parameters)
            assert found.dtype == kind
            np.testing.assert_allclose(
                found.astype(F64), expected, TOLERANCE[dtype], TOLERANCE[dtype]
            )


def test_rms_norm() -> None:
    x, scale = numbers((3, 4), F32), numbers((4,), F32, 1)
    expected = x / np.sqrt((x.astype(F64) ** 2).mean(1, keepdims=True) + 0.25)
    np.testing.assert_allclose(run(lambda v: RmsNormOp(v[0], None, 1, 0.25), x), expected, 2e-6)
    found = run(lambda v: RmsNormOp(v[0], v[1], 1, 0.25), x, scale)
    np.testing.assert_allclose(found, expected * scale, 2e-6)


def test_group_and_instance_norm() -> None:
    x = numbers((2, 6, 3, 2), F32)
    scale, bias = numbers((6,), F32, 1), numbers((6,), F32, 2)
    columns = [p.reshape(6, 1, 1).astype(F64) for p in (scale, bias)]
    for groups in (1, 2, 3, 6):
        grouped = normalized(x.reshape(2, groups, -1), (2,), 0.1).reshape(x.shape)
        found = run(lambda v, g=groups: GroupNormOp(v[0], v[1], v[2], g, 0.1), x, scale, bias)
        np.testing.assert_allclose(found, grouped * columns[0] + columns[1], 1e-5, 1e-6)
    expected = normalized(x, (2, 3), 0.1) * columns[0] + columns[1]
    found = run(lambda v: InstanceNormOp(v[0], v[1], v[2], 0.1), x, scale, bias)
    np.testing.assert_allclose(found, expected, 1e-5, 1e-6)


def test_batch_norm() -> None:
    x = numbers((2, 3, 4), F32)
    scale, bias, mean = (numbers((3,), F32, i) for i in range(1, 4))
    variance = abs(numbers((3,), F32, 4))
    wide = [p.reshape(3, 1).astype(F64) for p in (scale, bias, mean, variance)]
    expected = (x - wide[2]) / np.sqrt(wide[3] + 1e-3) * wide[0] + wide[1]
    found = run(lambda v: BatchNormOp(*v, epsilon=1e-3), x, scale, bias, mean, variance)
    np.testing.assert_allclose(found, expected, 1e-5, 1e-6)


def test_mvn() -> None:
    x = numbers((2, 3, 4), F64)
    centred = x - x.mean((0, 2), keepdims=True)
    deviation = x.std((0, 2), keepdims=True)
    cases: list[tuple[Make, Array]] = [
        (lambda v: MvnOp(v[0], [0, -1], 0.5), centred / np.sqrt(deviation**2 + 0.5)),
        (lambda v: MvnOp(v[0], [0, 2], 0.5, eps_mode=OUTSIDE), centred / (deviation + 0.5)),
        (lambda v: MvnOp(v[0], [0, 2], 0.5, normalize_variance=False), centred),
    ]
    for make, expected in cases:
        np.testing.assert_allclose(run(make, x), expected, 1e-12)


def test_norms_of_exceptional_values() -> None:
    rows = np.array([[1.0, INF], [NAN, 1.0], [-0.0, -0.0], [3e38, 3e38], [2.0, 2.0]], F32)
    found = run(lambda v: LayerNormOp(v[0], None, None, 1, 1e-5), rows)
    # 3e38 + 3e38 is inf in float32, and so are the differences from it; inf / inf is NaN.
    expected = [[NAN, NAN], [NAN, NAN], [0.0, 0.0], [NAN, NAN], [0.0, 0.0]]
    np.testing.assert_array_equal(found, np.array(expected, F32))
    assert np.isnan(run(lambda v: LayerNormOp(v[0], None, None, 1, 0.0), rows[4:])).all()
    empty = np.zeros((2, 0), F32)
    assert run(lambda v: LayerNormOp(v[0], None, None, 1, 1e-5), empty).shape == (2, 0)
    one = run(lambda v: LayerNormOp(v[0], None, None, 1, 1e-5), rows[4:, :1])
    assert one.tolist() == [[0.0]]


def test_constructors_check_what_they_are_given() -> None:
    x = create_ssa_value(TensorType(element_type_of(np.dtype(F32)), [2, 3]))
    for make, message in (
        (lambda: SoftmaxOp(x, 2), "C7: snippets.softmax"),
        (lambda: SoftmaxOp(x, -3), "C7: snippets.softmax"),
        (lambda: LayerNormOp(x, None, x, 1, 0.1), "C8: snippets.layer_norm expects a scale"),
        (lambda: MvnOp(x, [0, -2], 0.1), "C7: snippets.mvn expects rising axes, each once"),
        (lambda: TransposeOp(x, [0]), "C7: snippets.transpose expects a permutation"),
    ):
        with pytest.raises(VerifyException, match=message):
            make()


def test_layouts_move_every_element_once() -> None:
    for dtype in (F32, np.bool_, np.int64):
        x = np.arange(24).reshape(2, 3, 4).astype(dtype)
        found = evaluate(TransposeOp(value_like(x), [2, 0, 1]), [x])
        np.testing.assert_array_equal(found, x.transpose(2, 0, 1))
        assert found.flags.c_contiguous
        wide = evaluate(UnsqueezeOp(value_like(x), [0, -1]), [x])
        assert wide.shape == (1, 2, 3, 4, 1)
        np.testing.assert_array_equal(evaluate(SqueezeOp(value_like(wide), [-1, 0]), [wide]), x)
    scalar = np.array(7.0, F32)
    assert evaluate(TransposeOp(value_like(scalar), []), [scalar]).item() == 7.0


def test_squeeze_of_a_size_that_turns_out_larger() -> None:
    type_ = TensorType(element_type_of(np.dtype(F32)), [DYNAMIC_INDEX, 3])
    op = SqueezeOp(create_ssa_value(type_), [0])
    op.verify()
    assert evaluate(op, [np.zeros((1, 3), F32)]).shape == (3,)
    with pytest.raises(CompileError, match="expects axes of size 1, found 2x3"):
        evaluate(op, [np.zeros((2, 3), F32)])
