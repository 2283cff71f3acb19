"""Conversions between element types, in `arith` and `llvm`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from xdsl.ir import Operation

from snippets_mlir.dialects.builtin.dtypes import Array, round_to
from snippets_mlir.dialects.snippets.values.evaluate import value_of
from snippets_mlir.interpreter.arithmetic import spread, unsigned
from snippets_mlir.interpreter.poison import data_of, lift, poison_of, with_poison
from snippets_mlir.interpreter.registry import Handler, same
from snippets_mlir.interpreter.scalars import element_dtype, layout_of

if TYPE_CHECKING:
    from snippets_mlir.interpreter.machine import Interpreter

Cast = Callable[[Array, np.dtype[Any]], Array]


def _handler(cast: Cast) -> Handler:
    def handle(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
        with np.errstate(all="ignore"):
            result = np.asarray(cast(data_of(operands[0]), element_dtype(op.results[0].type)))
        return (with_poison(result, poison_of(operands[0])),)

    return handle


def _signed(x: Array) -> Array:
    """The integers `x` as signed ones: an i1 as 0 or -1."""
    return -x.astype(np.int8) if x.dtype.kind == "b" else x


def _truncate(x: Array, dtype: np.dtype[Any]) -> Array:
    return (x & 1).astype(np.bool_) if dtype.kind == "b" else x.astype(dtype)


def _to_float(x: Array, dtype: np.dtype[Any]) -> Array:
    return value_of("snippets.convert_truncation")(None, dtype, x)


def _from_float(unsigned_result: bool) -> Handler:
    """Round towards zero; NaN, and numbers outside of the integer type, are poison."""

    def handle(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
        dtype = element_dtype(op.results[0].type)
        bits = 1 if dtype.kind == "b" else 8 * dtype.itemsize
        low, end = (
            (0.0, 2.0**bits) if unsigned_result else (-(2.0 ** (bits - 1)), 2.0 ** (bits - 1))
        )
        whole = np.trunc(data_of(operands[0]).astype(np.float64))
        fits = np.asarray((whole >= low) & (whole < end))
        target = np.dtype(f"u{dtype.itemsize}") if unsigned_result else dtype
        result = np.asarray(np.where(fits, whole, 0.0).astype(target).astype(dtype))
        return (spread(with_poison(result, poison_of(operands[0])), ~fits),)

    return handle


def _bitcast(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    type_ = op.results[0].type

    def value(x: Array) -> Array:
        return np.ascontiguousarray(x).view(element_dtype(type_)).reshape(layout_of(type_).shape)

    return (lift(value)(operands[0]),)


_CASTS: tuple[tuple[str, Cast], ...] = (
    ("arith.extf arith.truncf llvm.fpext llvm.fptrunc", round_to),
    (
        "arith.extsi llvm.sext arith.index_cast index.casts",
        lambda x, dtype: _signed(x).astype(dtype),
    ),
    (
        "arith.extui llvm.zext arith.index_castui index.castu",
        lambda x, dtype: unsigned(x).astype(dtype),
    ),
    ("arith.trunci llvm.trunc", _truncate),
    ("arith.sitofp llvm.sitofp", lambda x, dtype: _to_float(_signed(x), dtype)),
    ("arith.uitofp llvm.uitofp", lambda x, dtype: _to_float(unsigned(x), dtype)),
)

HANDLERS: Mapping[str, Handler] = {
    **{name: _handler(cast) for names, cast in _CASTS for name in names.split()},
    **dict.fromkeys(("arith.fptosi", "llvm.fptosi"), _from_float(unsigned_result=False)),
    **dict.fromkeys(("arith.fptoui", "llvm.fptoui"), _from_float(unsigned_result=True)),
    **dict.fromkeys(("arith.bitcast", "llvm.bitcast", "vector.bitcast"), _bitcast),
    "builtin.unrealized_conversion_cast": same,
}
