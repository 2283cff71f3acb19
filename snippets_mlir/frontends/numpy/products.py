"""Products of vectors and matrices, and norms, of traced arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.builtin.dtypes import is_float
from snippets_mlir.dialects.snippets.product import MatMulOp
from snippets_mlir.frontends.numpy.arrays import TracedArray, fn, operand_of, trace_of
from snippets_mlir.frontends.numpy.trace import refuse


def matmul(x1: Any, x2: Any) -> TracedArray:
    """`np.matmul`: the product of matrices, batches of them, and vectors."""
    trace = trace_of(x1, x2)
    a, b = operand_of(x1), operand_of(x2)
    dtype = np.matmul.resolve_dtypes((a.promoted, b.promoted, None))[-1]
    if dtype.kind == "b":
        counts = matmul(
            *(fn.astype(TracedArray(trace, o.value(trace, dtype)), np.int32) for o in (a, b))
        )
        return counts > 0
    try:
        op = MatMulOp(a.value(trace, dtype), b.value(trace, dtype))
    except VerifyException as error:
        refuse(f"np.matmul: {error}")
    return TracedArray(trace, trace.add(op))


def _tensordot(a: Any, b: Any, axes: Any = 2) -> TracedArray:
    """The matrix product that sums over the last dims of `a` and the first dims of `b`."""
    ranks = np.ndim(a), np.ndim(b)
    given = (range(ranks[0] - axes, ranks[0]), range(axes)) if isinstance(axes, int) else axes
    summed = [[i % rank for i in np.atleast_1d(some)] for some, rank in zip(given, ranks)]
    shapes_of = np.shape(a), np.shape(b)
    sizes = [[shape[i] for i in some] for shape, some in zip(shapes_of, summed)]
    if sizes[0] != sizes[1]:
        refuse(f"np.tensordot: the dims that are summed have the sizes {sizes[0]} and {sizes[1]}")
    kept = [[i for i in range(rank) if i not in some] for rank, some in zip(ranks, summed)]
    left, right = ([shape[i] for i in some] for shape, some in zip(shapes_of, kept))
    count = int(np.prod(sizes[0]))
    x = fn.reshape(fn.transpose(a, kept[0] + summed[0]), (int(np.prod(left)), count))
    y = fn.reshape(fn.transpose(b, summed[1] + kept[1]), (count, int(np.prod(right))))
    return fn.reshape(matmul(x, y), left + right)


def _dot(a: Any, b: Any) -> Any:
    if np.ndim(b) > 2 or (np.ndim(a) > 2 and np.ndim(b) == 0):
        refuse("np.dot of more than two dims on the right is not compiled: write np.matmul")
    if 0 in (np.ndim(a), np.ndim(b)):
        return fn.multiply(a, b)
    found = matmul(a, b)
    types = {operand_of(x).promoted for x in (a, b)}
    # NumPy's dot keeps the type of bfloat16, its matmul gives float32.
    return found.astype(types.pop()) if len(types) == 1 else found


def _inner(a: Any, b: Any) -> TracedArray:
    if 0 in (np.ndim(a), np.ndim(b)):
        return fn.multiply(a, b)
    return _tensordot(a, b, (-1, -1))


def _outer(a: Any, b: Any) -> TracedArray:
    return fn.multiply(fn.reshape(a, (-1, 1)), fn.reshape(b, (1, -1)))


def _vdot(a: Any, b: Any) -> TracedArray:
    return _dot(fn.ravel(a), fn.ravel(b))


def _kron(a: Any, b: Any) -> TracedArray:
    rank = max(np.ndim(a), np.ndim(b))
    first, second = ((1,) * (rank - np.ndim(x)) + np.shape(x) for x in (a, b))
    left = fn.reshape(a, [size for n in first for size in (n, 1)])
    right = fn.reshape(b, [size for n in second for size in (1, n)])
    whole = [n * m for n, m in zip(first, second, strict=True)]
    return fn.reshape(fn.multiply(left, right), whole)


def _vector_norm(x: TracedArray, axis: Any, keepdims: bool, order: Any) -> TracedArray:
    if not is_float(x.dtype):
        x = x.astype(np.float64)
    options = {"axis": axis, "keepdims": keepdims}
    if axis is not None:
        normalize_axis_tuple(axis, x.ndim)
    if order in (None, 2):
        return fn.sqrt(fn.sum(fn.square(x), **options))
    if order in (np.inf, -np.inf):
        size = fn.abs(x)
        return fn.max(size, initial=0, **options) if order > 0 else fn.min(size, **options)
    if order == 0:
        return fn.sum(fn.not_equal(x, 0).astype(x.dtype), **options)
    if order == 1:
        return fn.sum(fn.abs(x), **options)
    if not isinstance(order, int | float):
        refuse(f"np.linalg.norm of order {order!r} is not compiled")
    return fn.sum(fn.abs(x) ** order, **options) ** (1 / order)


def _norm(x: TracedArray, ord: Any = None, axis: Any = None, keepdims: bool = False) -> TracedArray:
    """Of vectors; of matrices the Frobenius norm."""
    along = 1 if isinstance(axis, int) else x.ndim if axis is None else len(axis)
    if ord == "fro" and along == 2:
        ord = None
    if ord is not None and along != 1:
        refuse("np.linalg.norm of matrices is compiled for the Frobenius norm alone")
    return _vector_norm(x, axis, keepdims, ord)


def _norm_of_vectors(
    x: TracedArray, *, axis: Any = None, keepdims: bool = False, ord: Any = 2
) -> TracedArray:
    return _vector_norm(x, axis, keepdims, ord)


TABLE: dict[str, Callable[..., Any]] = {
    "dot": _dot,
    "inner": _inner,
    "kron": _kron,
    "linalg.matmul": matmul,
    "linalg.norm": _norm,
    "linalg.tensordot": _tensordot,
    "linalg.vector_norm": _norm_of_vectors,
    "outer": _outer,
    "tensordot": _tensordot,
    "vdot": _vdot,
}
"""Name in NumPy -> the function of traced values; names of `np.linalg` include the module."""
