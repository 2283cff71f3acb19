"""NumPy functions that are not ufuncs, on traced values: shapes, sums, products, choices.

`TABLE` has a function with NumPy's signature for each NumPy function that is compiled. Unsupported
options and functions are refused by name.
"""

from __future__ import annotations

import inspect
import struct
from collections.abc import Callable
from typing import Any

import numpy as np
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.builtin.dtypes import is_float
from snippets_mlir.dialects.snippets.selection import SelectOp
from snippets_mlir.frontends.numpy import (
    interpolation,
    joins,
    nan_reductions,
    padding,
    predicates,
    products,
    reductions,
    searching,
    shapes,
)
from snippets_mlir.frontends.numpy.arrays import TracedArray, fn, operand_of, trace_of
from snippets_mlir.frontends.numpy.averages import average
from snippets_mlir.frontends.numpy.einsum import einsum
from snippets_mlir.frontends.numpy.trace import refuse
from snippets_mlir.support.errors import CompileError

_NO_VALUE: Any = getattr(np, "_NoValue")


def call(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call the function of `TABLE` that stands for a function of NumPy.

    Raises:
        CompileError: the function or one of its options is not supported; with the user's line.
    """
    name = getattr(function, "__name__", str(function))
    if getattr(function, "__module__", "") == "numpy.linalg":
        name = f"linalg.{name}"
    if (found := TABLE.get(name)) is None:
        hint = INSTEAD.get(name, "docs/numpy.md lists what is")
        refuse(f"np.{name} is not compiled; {hint}")
    return result_of(f"np.{name}", found, *_without_out(name, function, args, kwargs))


def _without_out(
    name: str, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a NumPy function without `out`; those after its place get their names."""
    try:
        found = inspect.signature(function).parameters.values()
    except ValueError:  # a function in C of an older NumPy
        found = ()
    names = [p.name for p in found if p.kind <= p.POSITIONAL_OR_KEYWORD]
    place = names.index("out") if "out" in names else len(args)
    kwargs = {**kwargs, **dict(zip(names[place:], args[place:], strict=False))}
    if kwargs.pop("out", None) is not None:
        refuse(f"np.{name} with out= writes to an array: use its result")
    return args[:place], kwargs


def result_of(
    name: str, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """The result of a traced function; wrong arguments are an error with the user's line."""
    try:
        return function(*args, **{k: v for k, v in kwargs.items() if v is not _NO_VALUE})
    except TypeError as error:
        _, call, reason = str(error).partition("() ")
        if call:
            refuse(f"{name} with these arguments is not compiled: it {reason}")
        refuse(f"{name}: {error}")
    except CompileError:
        raise
    except (IndexError, ValueError, OverflowError, VerifyException, struct.error) as error:
        refuse(f"{name}: {error}")


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
    if isinstance(a, TracedArray) and a.dtype.kind in "iu":
        # Numbers of Python that change nothing may be outside of the type.
        limits = np.iinfo(a.dtype)
        a_min = None if type(a_min) is int and a_min < limits.min else a_min
        a_max = None if type(a_max) is int and a_max > limits.max else a_max
    if a_min is None or a_max is None:
        result = a if a_min is None else fn.maximum(a, a_min)
        return result if a_max is None else fn.minimum(result, a_max)
    result = _bounded(a, a_min, fn.less, fn.maximum)
    return _bounded(result, a_max, fn.greater, fn.minimum)


def _bounded(a: Any, bound: Any, is_outside: Any, extreme: Any) -> TracedArray:
    """`a` with out-of-range elements replaced by `bound`.

    A zero of `a` keeps its sign, as in NumPy with two bounds; an extreme of zeros may have either.
    """
    if type(bound) in (int, float) and bound == 0 and isinstance(a, TracedArray):
        if is_float(a.dtype):
            return fn.where(is_outside(a, bound), a.dtype.type(bound), a)
    return extreme(a, bound)


def _full_like(a: TracedArray, fill_value: Any, dtype: Any = None) -> Any:
    return np.full(a.shape, fill_value, dtype or a.dtype)


def _zeros_like(a: TracedArray, dtype: Any = None) -> Any:
    return np.zeros(a.shape, dtype or a.dtype)


def _ones_like(a: TracedArray, dtype: Any = None) -> Any:
    return np.ones(a.shape, dtype or a.dtype)


def _round(a: TracedArray, decimals: int = 0) -> TracedArray:
    """To the nearest multiple of a power of ten, half to even; of integers in float64."""
    if decimals == 0:
        return a if a.dtype.kind in "iu" else fn.rint(a)
    if a.dtype.kind in "iu":
        return a if decimals > 0 else _round(a.astype(np.float64), decimals).astype(a.dtype)
    if a.dtype.kind == "b":
        refuse("np.round of bools to decimals is not compiled")
    scale = 10.0 ** abs(decimals)
    return fn.rint(a * scale) / scale if decimals > 0 else fn.rint(a / scale) * scale


_FACTS: dict[str, Callable[[TracedArray], Any]] = {
    "ndim": lambda a: a.ndim,
    "shape": lambda a: a.shape,
    "size": lambda a: a.size,
}


def _ptp(a: TracedArray, axis: Any = None, keepdims: bool = False) -> TracedArray:
    options = {"axis": axis, "keepdims": keepdims}
    return fn.subtract(fn.max(a, **options), fn.min(a, **options))


INSTEAD: dict[str, str] = {
    **dict.fromkeys(
        ("argpartition", "argsort", "lexsort", "partition", "sort"),
        "nothing sorts in kernels: sort before the function, or what it returns",
    ),
    **dict.fromkeys(
        ("median", "nanmedian", "nanpercentile", "nanquantile", "percentile", "quantile"),
        "nothing sorts in kernels: call it before the function, or on what it returns",
    ),
    **dict.fromkeys(
        ("compress", "extract", "flatnonzero", "nonzero", "union1d", "unique"),
        "the number of elements depends on values: call it on what the function returns",
    ),
    **dict.fromkeys(
        ("bincount", "digitize", "histogram"),
        "np.searchsorted finds places; call it on what the function returns",
    ),
}
"""Replacements for often requested functions."""


TABLE: dict[str, Callable[..., Any]] = {
    **_FACTS,
    **shapes.TABLE,
    **joins.TABLE,
    "pad": padding.pad,
    **reductions.TABLE,
    **nan_reductions.TABLE,
    **products.TABLE,
    **predicates.TABLE,
    **interpolation.TABLE,
    **searching.TABLE,
    "average": average,
    "clip": _clip,
    "copy": shapes.same,
    "einsum": einsum,
    "empty_like": _zeros_like,
    "full_like": _full_like,
    "ones_like": _ones_like,
    "ptp": _ptp,
    "round": _round,
    "where": _where,
    "zeros_like": _zeros_like,
}
"""Name in NumPy -> the function of traced values."""
