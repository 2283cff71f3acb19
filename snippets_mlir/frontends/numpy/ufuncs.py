"""Universal functions of NumPy on traced values.

    fn.exp(x)              snippets.exp, by the name in the op's record (`names["numpy"]`)
    special.erf(x)         snippets.erf, a function of SciPy (`names["scipy"]`)
    np.add.reduce(x, 1)    snippets.reduce_sum
    np.floor_divide(x, y)  a few ops (`formulas.py`)

NumPy resolves the types of operands and result (`ufunc.resolve_dtypes`). Operands are converted
first, and a result that is narrower than the op's result is converted afterwards.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import numpy as np
from xdsl.ir import Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.snippets.base import BOOL, kind_of
from snippets_mlir.dialects.snippets.conversion import ReshapeOp
from snippets_mlir.dialects.snippets.record import OpRecord
from snippets_mlir.dialects.snippets.registry import DerivedTable, records
from snippets_mlir.frontends.numpy.arrays import Operand, TracedArray, operand_of
from snippets_mlir.frontends.numpy.formulas import FORMULAS, MIXED, OF_WHOLE
from snippets_mlir.frontends.numpy.trace import Trace, refuse
from snippets_mlir.frontends.numpy.types import element_of

NAMED: Mapping[str, OpRecord] = DerivedTable(
    lambda: {r.names[p]: r for p in ("numpy", "scipy") for r in records() if p in r.names}
)
"""Name of a universal function, of NumPy or `scipy.special`, -> the record of its op."""

_MODULES = ("numpy", "numpy._core.umath", "numpy.core.umath", "scipy.special")

OF_BOOLS: Mapping[str, OpRecord] = DerivedTable(
    lambda: {n: r for r in records() for n in r.names.get("numpy of bools", "").split()}
)
"""The logical functions that arithmetic on bools stands for."""


def apply(ufunc: np.ufunc, inputs: Sequence[Operand], dtype: Any = None) -> TracedArray:
    """The universal function of traced values, arrays and numbers.

    Args:
        ufunc: a function with one result.
        inputs: at least one of them is traced.
        dtype: the type of the result, None: as NumPy promotes.

    Raises:
        CompileError: no op is this function, or the shapes do not broadcast; with the user's line.
    """
    if ufunc.nout != 1 or ufunc.signature is not None:
        refuse(f"np.{ufunc.__name__} is not compiled")
    trace = next(x for x in inputs if isinstance(x, TracedArray)).within
    operands = [operand_of(x) for x in inputs]
    if ufunc in MIXED and (found := _compared_out_of_range(ufunc, operands)) is not None:
        return found
    promoted = [o.promoted for o in operands]
    if ufunc in MIXED and any(isinstance(p, np.dtype) and p.kind in "iu" for p in promoted):
        # A traced integer of Python need not fit the type beside it: it has one of its own.
        promoted = [o.given.dtype if o.is_traced_integer else o.promoted for o in operands]
    types = resolved(ufunc, promoted, dtype)
    exponent = operands[-1].given
    if ufunc is np.power and types[0].kind in "iu" and isinstance(exponent, int) and exponent < 0:
        refuse(f"np.power: an integer to the power {exponent} is no integer")
    try:
        values = [o.value(trace, t) for o, t in zip(operands, types, strict=False)]
        return _emitted(trace, ufunc, values, types)
    except (VerifyException, OverflowError) as error:
        refuse(f"np.{ufunc.__name__}: {error}")


def _compared_out_of_range(ufunc: np.ufunc, operands: Sequence[Operand]) -> TracedArray | None:
    """A comparison with a Python number out of the range of the other operand's integers."""
    for place, operand in enumerate(operands):
        other = operands[1 - place]
        beside: Any = other.promoted
        if operand.promoted is not int or not isinstance(operand.given, int):
            continue
        if not isinstance(beside, np.dtype) or cast(Any, beside).kind not in "iu":
            continue
        limits: Any = np.iinfo(cast(Any, beside))
        if not limits.min <= operand.given <= limits.max:
            outcome = ufunc(*((operand.given, 0) if place == 0 else (0, operand.given)))
            equal: Any = other.given == other.given
            return equal if outcome else ~equal
    return None


def _is_known(ufunc: np.ufunc) -> bool:
    """Whether the name identifies the function: other functions, such as numba's, may have the same
    name.
    """
    modules = map(sys.modules.get, _MODULES)
    return any(getattr(module, ufunc.__name__, None) is ufunc for module in modules)


def resolved(ufunc: np.ufunc, operands: Sequence[Any], dtype: Any) -> tuple[Any, ...]:
    """The dtypes of the operands and of the result by NumPy's rules."""
    if not _is_known(ufunc):
        refuse(f"the ufunc {ufunc.__name__}, which is not of NumPy or SciPy, is not compiled")
    try:
        given = (*operands, None)
        if dtype is None:
            return ufunc.resolve_dtypes(given)
        return ufunc.resolve_dtypes(given, signature=(*(None for _ in operands), np.dtype(dtype)))
    except TypeError as error:
        refuse(f"np.{ufunc.__name__}: {error}")


def _emitted(
    trace: Trace, ufunc: np.ufunc, values: Sequence[SSAValue], types: Sequence[np.dtype[Any]]
) -> TracedArray:
    """The op or the formula of a function, on values of the resolved types."""
    name = ufunc.__name__
    if ufunc in MIXED and {types[0].name, types[1].name} == {"int64", "uint64"}:
        return MIXED[ufunc](*(TracedArray(trace, v) for v in values))
    if ufunc in OF_WHOLE and types[0].kind in "iub":
        return OF_WHOLE[ufunc](TracedArray(trace, values[0]))
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


def accumulate(
    ufunc: np.ufunc, x: TracedArray, axis: Any, dtype: Any = None, name: str | None = None
) -> TracedArray:
    """`ufunc.accumulate`, or the function `name`: combinations of all elements up to each place."""
    called = f"{ufunc.__name__}.accumulate"
    record = NAMED.get(called)
    if record is None:
        refuse(f"np.{called} is not compiled")
    if not isinstance(axis, int | np.integer):
        refuse(f"np.{name or called} expects one dim, found {axis}")
    if not x.ndim and axis in (0, -1) and name is not None:
        x = TracedArray(x.within, x.within.add(ReshapeOp(x.value, (1,))))
    result = np.dtype(dtype) if dtype else ufunc.accumulate(np.ones(1, x.dtype)).dtype
    inner = np.dtype("i4") if result.kind == "b" else result
    make = cast("Callable[..., Operation]", record.op)
    try:
        found = x.within.add(make(x.within.converted(x.value, inner), axis))
    except VerifyException as error:
        refuse(f"np.{name or called}: {error}")
    return TracedArray(x.within, x.within.converted(found, result))


def reduce(
    ufunc: np.ufunc, x: TracedArray, axis: Any, keepdims: bool, dtype: Any = None
) -> TracedArray:
    """`ufunc.reduce`: by default along the first dim; along all dims for an axis of None."""
    rank = x.ndim
    axes = tuple(range(rank)) if axis is None else np.atleast_1d(axis).tolist()
    if rank == 0 and axes in ([0], [-1]):
        axes = ()
    record = NAMED.get(f"{ufunc.__name__}.reduce")
    trace, value = x.within, x.value
    if ufunc in (np.logical_or, np.logical_and):
        truth = trace.converted(trace.converted(value, np.dtype(bool)), np.dtype("i4"))
        extreme = np.maximum if ufunc is np.logical_or else np.minimum
        # Of no elements it is the least or the largest number: false, and true.
        return reduce(extreme, TracedArray(trace, truth), axes, keepdims) > 0
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
