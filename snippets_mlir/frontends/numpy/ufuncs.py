"""Universal functions of NumPy on traced values.

    fn.exp(x)              snippets.exp, by the name in the op's record (`names["numpy"]`)
    np.add.reduce(x, 1)    snippets.reduce_sum
    np.floor_divide(x, y)  a few ops, by the formulas below

The types of operands and result are those that NumPy resolves (`ufunc.resolve_dtypes`); operands
are converted first, and a result that is narrower than its op's is converted after it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import numpy as np
from xdsl.ir import Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.snippets.base import BOOL, kind_of
from snippets_mlir.dialects.snippets.record import OpRecord
from snippets_mlir.dialects.snippets.registry import DerivedTable, records
from snippets_mlir.frontends.numpy.arrays import Operand, TracedArray, fn, operand_of
from snippets_mlir.frontends.numpy.trace import Trace, refuse
from snippets_mlir.frontends.numpy.types import element_of

NAMED: Mapping[str, OpRecord] = DerivedTable(
    lambda: {r.names["numpy"]: r for r in records() if "numpy" in r.names}
)
"""Name of a universal function -> the record of the op that it is."""

OF_BOOLS: Mapping[str, OpRecord] = DerivedTable(
    lambda: {n: r for r in records() for n in r.names.get("numpy of bools", "").split()}
)
"""What arithmetic on bools is."""


def apply(ufunc: np.ufunc, inputs: Sequence[Operand], dtype: Any = None) -> TracedArray:
    """The universal function of traced values, arrays and numbers.

    Args:
        ufunc: a function with one result.
        inputs: at least one of them is traced.
        dtype: the type of the result, None: as NumPy promotes.

    Raises:
        CompileError: no op is this function, or the shapes do not broadcast; with the user's line.
    """
    trace = next(x for x in inputs if isinstance(x, TracedArray)).trace
    operands = [operand_of(x) for x in inputs]
    types = resolved(ufunc, [o.promoted for o in operands], dtype)
    values = [o.value(trace, t) for o, t in zip(operands, types, strict=False)]
    try:
        return _emitted(trace, ufunc.__name__, values, types)
    except VerifyException as error:
        refuse(f"np.{ufunc.__name__}: {error}")


def resolved(ufunc: np.ufunc, operands: Sequence[Any], dtype: Any) -> tuple[Any, ...]:
    """The dtypes of the operands and of the result by NumPy's rules."""
    if ufunc.nout != 1 or ufunc.signature is not None:
        refuse(f"np.{ufunc.__name__} is not compiled")
    try:
        given = (*operands, None)
        if dtype is None:
            return ufunc.resolve_dtypes(given)
        return ufunc.resolve_dtypes(given, signature=(*(None for _ in operands), np.dtype(dtype)))
    except TypeError as error:
        refuse(f"np.{ufunc.__name__}: {error}")


def _emitted(
    trace: Trace, name: str, values: Sequence[SSAValue], types: Sequence[np.dtype[Any]]
) -> TracedArray:
    """The op or the formula of this name, on values of the resolved types."""
    if name in FORMULAS:
        arrays = [TracedArray(trace, v) for v in values]
        result = FORMULAS[name](*arrays)
        return TracedArray(trace, trace.converted(result.value, types[-1]))
    record = NAMED.get(name)
    if types[0].kind == "b" and name in OF_BOOLS:
        record = OF_BOOLS[name]
        values = [values[0]] * 2 if name == "absolute" else values
    if record is None:
        refuse(f"np.{name} is not compiled: no op is this function")
    if (kind := kind_of(element_of(types[0]))) not in record.op.ELEMENT_KINDS:
        values = [_acceptable(trace, v, record) for v in values]
        if kind != BOOL and record.op.ELEMENT_KINDS != (BOOL,):
            refuse(f"np.{name} of {types[0]} is not compiled")
    make = cast("Callable[..., Operation]", record.op)
    result = trace.add(make(*values))
    return TracedArray(trace, trace.converted(result, types[-1]))


def _acceptable(trace: Trace, value: SSAValue, record: OpRecord) -> SSAValue:
    """An operand of a kind that the op lacks: numbers as bools (!= 0), bools as int8."""
    dtype = np.dtype(bool if record.op.ELEMENT_KINDS == (BOOL,) else np.int8)
    return trace.converted(value, dtype)


def _floor_divide(x: TracedArray, y: TracedArray) -> TracedArray:
    """The largest integral value not above x / y; of integers 0 for y = 0."""
    rest = fn.fmod(x, y)
    if x.dtype.kind == "u":
        return _divided(x, y)
    moved = (rest != 0) & ((rest < 0) != (y < 0))
    if x.dtype.kind == "i":
        return fn.where(moved, _divided(x, y) - 1, _divided(x, y))
    exact = (x - rest) / y
    quotient = fn.where(moved, exact - 1, exact)
    floor = fn.floor(quotient)
    floor = fn.where(quotient - floor > 0.5, floor + 1, floor)
    ratio = x / y
    floor = fn.where(quotient == 0, fn.copysign(quotient * 0, ratio), floor)
    return fn.where(y == 0, ratio, floor)


def _divided(x: TracedArray, y: TracedArray) -> TracedArray:
    """The op of division, of integers rounded towards zero."""
    make = cast("Callable[..., Operation]", NAMED["divide"].op)
    return TracedArray(x.trace, x.trace.add(make(x.value, y.value)))


def _fmax(x: TracedArray, y: TracedArray) -> TracedArray:
    return fn.where(fn.isnan(x), y, fn.where(fn.isnan(y), x, fn.maximum(x, y)))


def _fmin(x: TracedArray, y: TracedArray) -> TracedArray:
    return fn.where(fn.isnan(x), y, fn.where(fn.isnan(y), x, fn.minimum(x, y)))


def _hypot(x: TracedArray, y: TracedArray) -> TracedArray:
    x, y = fn.absolute(x), fn.absolute(y)
    large, small = fn.maximum(x, y), fn.minimum(x, y)
    ratio = fn.where(large == 0, 0 * large, small / fn.where(large == 0, large + 1, large))
    finite = large * fn.sqrt(1 + ratio * ratio)
    return fn.where(fn.isinf(x) | fn.isinf(y), np.inf, finite)


def _logaddexp(x: TracedArray, y: TracedArray) -> TracedArray:
    """log(exp(x) + exp(y)) from the larger one; of equal ones, infinite ones too, x + log 2."""
    apart = fn.log1p(fn.exp(-fn.absolute(x - y)))
    return fn.where(x == y, x + np.log(2), fn.maximum(x, y) + apart)


_OF_ONE: dict[str, Callable[[TracedArray], Any]] = {
    "conjugate": lambda x: x,
    "deg2rad": lambda x: x * (np.pi / 180),
    "fabs": lambda x: fn.absolute(x),
    "positive": lambda x: x,
    "rad2deg": lambda x: x * (180 / np.pi),
    "reciprocal": lambda x: 1 / x if x.dtype.kind == "f" else _divided(x * 0 + 1, x),
    "square": lambda x: x * x,
}
_OF_TWO: dict[str, Callable[[TracedArray, TracedArray], Any]] = {
    "floor_divide": _floor_divide,
    "fmax": _fmax,
    "fmin": _fmin,
    "hypot": _hypot,
    "logaddexp": _logaddexp,
}
FORMULAS: Mapping[str, Callable[..., Any]] = {**_OF_ONE, **_OF_TWO}
"""Functions that are no op, on operands of the resolved types."""


def accumulate(
    ufunc: np.ufunc, x: TracedArray, axis: int, dtype: Any = None, name: str | None = None
) -> TracedArray:
    """`ufunc.accumulate`, or the function `name`: what the elements up to each place combine to."""
    called = f"{ufunc.__name__}.accumulate"
    record = NAMED.get(called)
    if record is None:
        refuse(f"np.{called} is not compiled")
    result = np.dtype(dtype) if dtype else ufunc.accumulate(np.ones(1, x.dtype)).dtype
    inner = np.dtype("i4") if result.kind == "b" else result
    make = cast("Callable[..., Operation]", record.op)
    try:
        found = x.trace.add(make(x.trace.converted(x.value, inner), axis))
    except VerifyException as error:
        refuse(f"np.{name or called}: {error}")
    return TracedArray(x.trace, x.trace.converted(found, result))


def reduce(
    ufunc: np.ufunc, x: TracedArray, axis: Any, keepdims: bool, dtype: Any = None
) -> TracedArray:
    """`ufunc.reduce`: by default along the first dim, along all for an axis of None."""
    rank = x.ndim
    axes = tuple(range(rank)) if axis is None else np.atleast_1d(axis).tolist()
    record = NAMED.get(f"{ufunc.__name__}.reduce")
    trace, value = x.trace, x.value
    if ufunc in (np.logical_or, np.logical_and):
        found = reduce(
            np.maximum if ufunc is np.logical_or else np.minimum,
            TracedArray(
                trace, trace.converted(trace.converted(value, np.dtype(bool)), np.dtype("i4"))
            ),
            axes,
            keepdims,
        )
        return TracedArray(trace, trace.converted(found.value, np.dtype(bool)))
    if record is None:
        refuse(f"np.{ufunc.__name__}.reduce is not compiled")
    result = x.dtype if dtype is None else np.dtype(dtype)
    if ufunc in (np.add, np.multiply) and dtype is None:
        result = ufunc.reduce(np.ones(1, x.dtype)).dtype
    inner = np.dtype("i4") if result.kind == "b" else result
    make = cast("Callable[..., Operation]", record.op)
    try:
        found = trace.add(make(trace.converted(value, inner), axes, keep_dims=keepdims))
    except VerifyException as error:
        refuse(f"np.{ufunc.__name__}.reduce: {error}")
    return TracedArray(trace, trace.converted(found, result))
