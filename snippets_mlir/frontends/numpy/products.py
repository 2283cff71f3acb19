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
from snippets_mlir.frontends.numpy.ufuncs import resolved


def matmul(x1: Any, x2: Any, dtype: Any = None) -> TracedArray:
    """`np.matmul`: the product of matrices, batches of them, and vectors."""
    trace = trace_of(x1, x2)
    a, b = operand_of(x1), operand_of(x2)
    found = resolved(np.matmul, (a.promoted, b.promoted), dtype)[-1]
    if found.kind == "b":
        counts = matmul(
            *(fn.astype(TracedArray(trace, o.value(trace, found)), np.int32) for o in (a, b))
        )
        return counts > 0
    try:
        op = MatMulOp(a.value(trace, found), b.value(trace, found))
    except VerifyException as error:
        refuse(f"np.matmul: {error}")
    return TracedArray(trace, trace.add(op))


def _vecdot(x1: Any, x2: Any, dtype: Any = None) -> TracedArray:
    """`np.vecdot`: the sums of products along the last dim."""
    _check_terms("vecdot", x1, x2, (1, -1), (1, -1))
    products = fn.multiply(x1, x2, dtype=dtype)
    if products.dtype.kind == "b":
        return fn.any(products, axis=-1)
    return fn.sum(products, axis=-1, dtype=products.dtype)


def _matvec(x1: Any, x2: Any, dtype: Any = None) -> TracedArray:
    """`np.matvec`: matrices times vectors."""
    _check_terms("matvec", x1, x2, (2, -1), (1, -1))
    return fn.squeeze(matmul(x1, fn.expand_dims(x2, -1), dtype), -1)


def _vecmat(x1: Any, x2: Any, dtype: Any = None) -> TracedArray:
    """`np.vecmat`: vectors times matrices."""
    _check_terms("vecmat", x1, x2, (1, -1), (2, -2))
    return fn.squeeze(matmul(fn.expand_dims(x1, -2), x2, dtype), -2)


def _check_terms(name: str, x1: Any, x2: Any, *wanted: tuple[int, int]) -> None:
    """Refuse operands of fewer dims than `wanted`, or with other sizes in the dims summed over."""
    shapes = np.shape(x1), np.shape(x2)
    for shape, (rank, _) in zip(shapes, wanted, strict=True):
        if len(shape) < rank:
            refuse(f"np.{name}: expected {rank} dims or more, found an operand of shape {shape}")
    sizes = [shape[dim] for shape, (_, dim) in zip(shapes, wanted, strict=True)]
    if sizes[0] != sizes[1]:
        refuse(f"np.{name}: the dims that are summed have the sizes {sizes[0]} and {sizes[1]}")


def _tensordot(a: Any, b: Any, axes: Any = 2) -> TracedArray:
    """The matrix product that sums over the last dims of `a` and the first dims of `b`."""
    ranks = np.ndim(a), np.ndim(b)
    given = (range(-axes, 0), range(axes)) if isinstance(axes, int) else axes
    summed = [
        list(normalize_axis_tuple(tuple(np.atleast_1d(some).astype(int)), rank))
        for some, rank in zip(given, ranks, strict=True)
    ]
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


def _scaled(*factors: Any) -> TracedArray:
    """A product of which one factor has no dims; numbers of Python have their own types here."""
    return fn.multiply(
        *(
            TracedArray(x.within, x.value) if isinstance(x, TracedArray) else np.asarray(x)
            for x in factors
        )
    )


def _dot(a: Any, b: Any) -> Any:
    if 0 in (np.ndim(a), np.ndim(b)):
        return _scaled(a, b)
    found = matmul(a, b) if np.ndim(b) <= 2 else _tensordot(a, b, (-1, -2))
    types = {operand_of(x).promoted for x in (a, b)}
    # NumPy's dot keeps the type of bfloat16, its matmul gives float32.
    return found.astype(types.pop()) if len(types) == 1 else found


def _inner(a: Any, b: Any) -> TracedArray:
    if 0 in (np.ndim(a), np.ndim(b)):
        return _scaled(a, b)
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
    return fn.reshape(_scaled(left, right), whole)


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
    if axis is not None and along not in (1, 2):
        refuse(f"np.linalg.norm along {along} dims: expected 1 or 2")
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

GENERALIZED: dict[str, Callable[..., Any]] = {
    "matmul": matmul,
    "matvec": _matvec,
    "vecdot": _vecdot,
    "vecmat": _vecmat,
}
"""Name of a universal function of matrices and vectors -> the function of traced values."""
