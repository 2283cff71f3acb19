"""Values of softmax and the normalizations: the formulas of the ops' docstrings, step by step.

Every step is rounded to the element type, `values_reduction` computes sums, and exp and log are
rounded once from a wider type, as in the ops of the decompositions. 16-bit floats are computed in
float32 throughout and rounded at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from xdsl.ir import Operation

from snippets_mlir.dialects.builtin.dtypes import Array, round_to, widen
from snippets_mlir.dialects.snippets.channel_norms import (
    OUTSIDE,
    BatchNormOp,
    ChannelNormOp,
    GroupNormOp,
    MvnOp,
)
from snippets_mlir.dialects.snippets.normalization import (
    LayerNormOp,
    NormalizationOp,
    RmsNormOp,
)
from snippets_mlir.dialects.snippets.record import Value
from snippets_mlir.dialects.snippets.values.forms import float_value
from snippets_mlir.dialects.snippets.values.reduction import (
    computing_dtype,
    maximum_of,
    mean_of,
    reduce_dims,
    rounded,
    sum_of,
)


def _function(function: Callable[[Array], Array], x: Array) -> Array:
    return round_to(np.asarray(function(widen(x))), x.dtype)


def _epsilon(op: Operation, dtype: np.dtype[Any]) -> Array:
    return float_value(op.properties["epsilon"], dtype)


def _softmax(op: NormalizationOp, x: Array) -> Array:
    axes = op.normalized_dims()
    exponential = _function(np.exp, x - reduce_dims(x, axes, maximum_of))
    return exponential / reduce_dims(exponential, axes, sum_of)


def _log_softmax(op: NormalizationOp, x: Array) -> Array:
    axes = op.normalized_dims()
    distance = x - reduce_dims(x, axes, maximum_of)
    total = reduce_dims(_function(np.exp, distance), axes, sum_of)
    return distance - _function(np.log, total)


def _centred(x: Array, axes: Sequence[int]) -> Array:
    return x - reduce_dims(x, axes, mean_of)


def _mean_square(x: Array, axes: Sequence[int]) -> Array:
    return reduce_dims(x * x, axes, mean_of)


def _normalized(x: Array, axes: Sequence[int], epsilon: Array) -> Array:
    distance = _centred(x, axes)
    return distance / np.sqrt(_mean_square(distance, axes) + epsilon)


def _scaled(x: Array, parameters: Sequence[Array]) -> Array:
    for step, parameter in zip((np.multiply, np.add), parameters, strict=False):
        x = np.asarray(step(x, parameter))
    return x


def _layer_norm(op: NormalizationOp, x: Array, *parameters: Array) -> Array:
    assert isinstance(op, LayerNormOp)
    return _scaled(_normalized(x, op.normalized_dims(), _epsilon(op, x.dtype)), parameters)


def _rms_norm(op: NormalizationOp, x: Array, *parameters: Array) -> Array:
    assert isinstance(op, RmsNormOp)
    root = np.sqrt(_mean_square(x, op.normalized_dims()) + _epsilon(op, x.dtype))
    return _scaled(x / root, parameters)


def _per_channel(x: Array, parameters: Sequence[Array]) -> list[Array]:
    return [p.reshape((-1, *(1,) * (x.ndim - 2))) for p in parameters]


def _group_norm(op: NormalizationOp, x: Array, *parameters: Array) -> Array:
    assert isinstance(op, GroupNormOp)
    grouped = x.reshape((x.shape[0], op.num_groups, x.shape[1] // op.num_groups, *x.shape[2:]))
    dims = range(2, grouped.ndim)
    normalized = _normalized(grouped, tuple(dims), _epsilon(op, x.dtype))
    return _scaled(normalized.reshape(x.shape), _per_channel(x, parameters))


def _instance_norm(op: NormalizationOp, x: Array, *parameters: Array) -> Array:
    assert isinstance(op, ChannelNormOp)
    normalized = _normalized(x, op.normalized_dims(), _epsilon(op, x.dtype))
    return _scaled(normalized, _per_channel(x, parameters))


def _batch_norm(op: NormalizationOp, x: Array, *parameters: Array) -> Array:
    assert isinstance(op, BatchNormOp)
    scale, bias, mean, variance = _per_channel(x, parameters)
    return (x - mean) / np.sqrt(variance + _epsilon(op, x.dtype)) * scale + bias


def _mvn(op: NormalizationOp, x: Array) -> Array:
    assert isinstance(op, MvnOp)
    distance, epsilon = _centred(x, op.axes), _epsilon(op, x.dtype)
    if not op.normalizes_variance:
        return distance
    variance = _mean_square(distance, op.axes)
    if op.epsilon_mode == OUTSIDE:
        return distance / (np.sqrt(variance) + epsilon)
    return distance / np.sqrt(variance + epsilon)


def _value(function: Callable[..., Array]) -> Value:
    """`function` in the computing type, its result rounded to the element type."""

    def value(op: Operation, dtype: np.dtype[Any], *operands: Array) -> Array:
        wide = [x.astype(computing_dtype(dtype), copy=False) for x in operands]
        return rounded(np.asarray(function(op, *wide)), dtype)

    return value


batch_norm = _value(_batch_norm)
group_norm = _value(_group_norm)
instance_norm = _value(_instance_norm)
layer_norm = _value(_layer_norm)
log_softmax = _value(_log_softmax)
mvn = _value(_mvn)
rms_norm = _value(_rms_norm)
softmax = _value(_softmax)
