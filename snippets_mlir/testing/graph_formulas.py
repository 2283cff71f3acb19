"""NumPy's formula for every op of random graphs, for any float type.

In float64 they give the values of a graph, in float32 NumPy's accuracy for them. The formulas of
elementwise ops are in their records; the formulas of reductions and normalizations here take the
operand arrays and the attributes of the op.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from snippets_mlir.dialects.snippets.base import BOOL, FLOAT, INTEGER, BinaryOp, ComputeOp, UnaryOp
from snippets_mlir.dialects.snippets.record import Formula, Variant
from snippets_mlir.dialects.snippets.registry import DerivedTable, record_of, records

Array = np.ndarray[Any, np.dtype[Any]]
Unary = Callable[[Array], Array]


def as_float(x: Array) -> Array:
    """Convert integers to floats: they are exact in both float types."""
    return x.astype(np.float64)


def _table(base: type[ComputeOp], kind: str, *, jumps: bool = False) -> Mapping[str, Formula]:
    """Op name -> formula, for the ops of a class whose result has the operands' type."""

    def make() -> Mapping[str, Formula]:
        found = (r for r in records() if issubclass(r.op, base) and not r.op.PREDICATE)
        floats = kind == FLOAT
        rows = {
            r.name: r.formulas[kind]
            for r in found
            if kind in r.formulas and not (floats and r.jumps is not jumps)
        }
        return dict(sorted(rows.items()))

    return DerivedTable(make)


def _predicates(base: type[ComputeOp]) -> Mapping[str, Formula]:
    """The same for ops whose results are truth values."""
    return DerivedTable(
        lambda: dict(
            sorted(
                (r.name, r.formulas[FLOAT])
                for r in records()
                if issubclass(r.op, base) and r.op.PREDICATE and FLOAT in r.formulas
            )
        )
    )


FLOAT_UNARY = _table(UnaryOp, FLOAT)
JUMPS = _table(UnaryOp, FLOAT, jumps=True)
"""Discontinuous functions of one float: only for values that are exact in both types."""

FLOAT_BINARY = _table(BinaryOp, FLOAT)
JUMPS_OF_TWO = _table(BinaryOp, FLOAT, jumps=True)
INT_UNARY, INT_BINARY = _table(UnaryOp, INTEGER), _table(BinaryOp, INTEGER)
NEGATIONS, LOGICAL = _table(UnaryOp, BOOL), _table(BinaryOp, BOOL)
COMPARE, PREDICATES = _predicates(BinaryOp), _predicates(UnaryOp)

VARIANTS: Mapping[str, tuple[Variant, ...]] = DerivedTable(
    lambda: dict(sorted((r.name, r.variants) for r in records() if r.variants))
)
"""Ops with attributes that random graphs choose from."""


def keeps_exact(name: str) -> bool:
    """Whether the result of the op is exact in f32 if its operands are."""
    record = record_of(name)
    return record is not None and record.keeps_exact


REDUCE: dict[str, Callable[..., Any]] = {
    "reduce_max": np.max,
    "reduce_mean": np.mean,
    "reduce_min": np.min,
    "reduce_prod": np.prod,
    "reduce_sum": np.sum,
}


def _of_nothing(name: str, dtype: np.dtype[Any]) -> Any:
    """The result of a reduction over a dim of size 0."""
    if dtype.kind == "f":
        neutral = {"reduce_max": -np.inf, "reduce_mean": np.nan, "reduce_min": np.inf}
    else:
        neutral = {"reduce_max": np.iinfo(dtype).min, "reduce_min": np.iinfo(dtype).max}
    return neutral.get(name, int(name == "reduce_prod"))


def reduce(name: str, x: Array, axes: tuple[int, ...], keep_dims: bool) -> Array:
    """A reduction in the type of `x`."""
    if not x.size:
        shape = np.sum(x, axis=axes, keepdims=keep_dims).shape
        return np.full(shape, _of_nothing(name, x.dtype), x.dtype)
    result = REDUCE[name](x, axis=axes, keepdims=keep_dims)
    return np.asarray(result).astype(x.dtype)


def softmax(x: Array, axis: int) -> Array:
    """e / sum(e) with e = exp(x - max)."""
    if not x.size:
        return x
    e = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return e / np.sum(e, axis=axis, keepdims=True)


def log_softmax(x: Array, axis: int) -> Array:
    """d - log(sum(exp(d))) with d = x - max."""
    if not x.size:
        return x
    d = x - np.max(x, axis=axis, keepdims=True)
    return d - np.log(np.sum(np.exp(d), axis=axis, keepdims=True))


def normalized(x: Array, axes: tuple[int, ...], epsilon: float) -> Array:
    """(x - mean) / sqrt(variance + epsilon)."""
    if not x.size:
        return x
    d = x - np.mean(x, axis=axes, keepdims=True)
    variance = np.mean(d * d, axis=axes, keepdims=True)
    return d / np.sqrt(variance + x.dtype.type(np.float32(epsilon)))


def layer_norm(x: Array, *parameters: Array, axes: tuple[int, ...], epsilon: float) -> Array:
    """`normalized`, times a scale, plus a bias, if they are given."""
    y = normalized(x, axes, epsilon)
    y = y * parameters[0] if parameters else y
    return y + parameters[1] if len(parameters) > 1 else y


def rms_norm(x: Array, *scale: Array, axes: tuple[int, ...], epsilon: float) -> Array:
    """x / sqrt(mean(x^2) + epsilon), times a scale if it is given."""
    square = np.mean(x * x, axis=axes, keepdims=True) if x.size else x
    y = x / np.sqrt(square + x.dtype.type(np.float32(epsilon)))
    return y * scale[0] if scale else y


def by_channel(x: Array, parameter: Array) -> Array:
    """Reshape [C] so that it broadcasts to x [N, C, ...]."""
    return parameter.reshape((-1,) + (1,) * (x.ndim - 2))


def group_norm(x: Array, scale: Array, bias: Array, groups: int, epsilon: float) -> Array:
    """Normalized over each group of channels and all dims after them."""
    grouped = x.reshape(x.shape[0], groups, -1)
    y = normalized(grouped, (2,), epsilon).reshape(x.shape)
    return y * by_channel(x, scale) + by_channel(x, bias)


def batch_norm(x: Array, *parameters: Array, epsilon: float) -> Array:
    """(x - mean) / sqrt(variance + epsilon) * scale + bias."""
    scale, bias, mean, variance = (by_channel(x, p) for p in parameters)
    return (x - mean) / np.sqrt(variance + x.dtype.type(np.float32(epsilon))) * scale + bias
