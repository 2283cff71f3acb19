"""Functions of NumPy that are not universal, on traced values: shapes, sums, products, choices.

`TABLE` has a function for each that is compiled, with the signature of NumPy's. Options that it
does not take are refused by name, and so are functions that it does not have.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.snippets.conversion import SelectOp
from snippets_mlir.dialects.snippets.product import MatMulOp
from snippets_mlir.frontends.numpy import padding, reductions, shapes
from snippets_mlir.frontends.numpy.arrays import TracedArray, fn, operand_of, trace_of
from snippets_mlir.frontends.numpy.trace import refuse
from snippets_mlir.support.errors import CompileError

_NO_VALUE: Any = getattr(np, "_NoValue")


def call(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call the function of `TABLE` that stands for a function of NumPy.

    Raises:
        CompileError: there is none, or it does not take these options; with the user's line.
    """
    name = getattr(function, "__name__", str(function))
    if (found := TABLE.get(name)) is None:
        refuse(f"np.{name} is not compiled; docs/numpy.md lists what is")
    try:
        return found(*args, **{k: v for k, v in kwargs.items() if v is not _NO_VALUE})
    except TypeError as error:
        if "argument" not in str(error):
            raise
        refuse(f"np.{name} with these arguments is not compiled: {error}")
    except CompileError:
        raise
    except (ValueError, VerifyException) as error:
        refuse(f"np.{name}: {error}")


def _where(condition: Any, x: Any = None, y: Any = None) -> TracedArray:
    if x is None or y is None:
        refuse("np.where with one argument finds places: their number depends on the elements")
    trace = trace_of(condition, x, y)
    which, a, b = (operand_of(v) for v in (condition, x, y))
    dtype = np.add.resolve_dtypes((a.promoted, b.promoted, None))[-1]
    values = which.value(trace, np.dtype(bool)), a.value(trace, dtype), b.value(trace, dtype)
    return TracedArray(trace, trace.add(SelectOp(*values)))


def _clip(a: Any, a_min: Any = None, a_max: Any = None, **options: Any) -> TracedArray:
    a_min, a_max = options.pop("min", a_min), options.pop("max", a_max)
    if options:
        refuse(f"np.clip with {', '.join(options)} is not compiled")
    result = a if a_min is None else fn.maximum(a, a_min)
    return result if a_max is None else fn.minimum(result, a_max)


def matmul(x1: Any, x2: Any) -> TracedArray:
    """`np.matmul`: the product of matrices, batches of them, and vectors."""
    trace = trace_of(x1, x2)
    a, b = operand_of(x1), operand_of(x2)
    dtype = np.matmul.resolve_dtypes((a.promoted, b.promoted, None))[-1]
    if dtype.kind == "b":
        refuse("np.matmul of bools is not compiled")
    try:
        op = MatMulOp(a.value(trace, dtype), b.value(trace, dtype))
    except VerifyException as error:
        refuse(f"np.matmul: {error}")
    return TracedArray(trace, trace.add(op))


def _tensordot(a: Any, b: Any, axes: Any = 2) -> TracedArray:
    """The product of matrices: dims that are summed are the last ones of `a`, the first of `b`."""
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
    return fn.multiply(a, b) if 0 in (np.ndim(a), np.ndim(b)) else matmul(a, b)


def _full_like(a: TracedArray, fill_value: Any, dtype: Any = None) -> Any:
    return np.full(a.shape, fill_value, dtype or a.dtype)


def _zeros_like(a: TracedArray, dtype: Any = None) -> Any:
    return np.zeros(a.shape, dtype or a.dtype)


def _ones_like(a: TracedArray, dtype: Any = None) -> Any:
    return np.ones(a.shape, dtype or a.dtype)


def _round(a: TracedArray, decimals: int = 0) -> TracedArray:
    if a.dtype.kind != "f":
        return a
    return fn.rint(a) if decimals == 0 else fn.rint(a * 10.0**decimals) / 10.0**decimals


_FACTS: dict[str, Callable[[TracedArray], Any]] = {
    "ndim": lambda a: a.ndim,
    "shape": lambda a: a.shape,
    "size": lambda a: a.size,
}
TABLE: dict[str, Callable[..., Any]] = {
    **_FACTS,
    **shapes.TABLE,
    "pad": padding.pad,
    **reductions.TABLE,
    "clip": _clip,
    "dot": _dot,
    "full_like": _full_like,
    "ones_like": _ones_like,
    "round": _round,
    "tensordot": _tensordot,
    "where": _where,
    "zeros_like": _zeros_like,
}
"""Name in NumPy -> the function of traced values."""


GENERALIZED: dict[np.ufunc, Callable[..., Any]] = {
    np.matmul: matmul,
    np.vecdot: reductions.vecdot,
}
"""Universal functions of matrices and vectors."""


def _method_reshape(a: TracedArray, *shape: Any) -> TracedArray:
    return fn.reshape(a, shape[0] if len(shape) == 1 else shape)


def _method_transpose(a: TracedArray, *axes: Any) -> TracedArray:
    given = cast(Any, axes[0] if len(axes) == 1 and isinstance(axes[0], tuple | list) else axes)
    return fn.transpose(a, given or None)


def _method(name: str) -> Any:
    def method(a: TracedArray, *args: Any, **kwargs: Any) -> Any:
        return getattr(np, name)(a, *args, **kwargs)

    return method


_SAME = (
    "all any argmax argmin clip cumprod cumsum dot max mean min prod repeat round squeeze std sum "
    "swapaxes take var"
).split()
METHODS: dict[str, Any] = {
    **{name: _method(name) for name in _SAME},
    "astype": shapes.TABLE["astype"],
    "copy": shapes.same,
    "flatten": shapes.TABLE["ravel"],
    "ravel": shapes.TABLE["ravel"],
    "reshape": _method_reshape,
    "transpose": _method_transpose,
}
"""Methods of arrays."""
