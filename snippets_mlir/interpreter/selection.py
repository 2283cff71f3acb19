"""Comparisons, selects and constants, in `arith`, `index` and `llvm`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Operation

from snippets_mlir.dialects.builtin.dtypes import Array
from snippets_mlir.dialects.index import CmpOp
from snippets_mlir.dialects.index.arithmetic import WIDTH
from snippets_mlir.interpreter.arithmetic import spread, unsigned
from snippets_mlir.interpreter.memory import Pointer
from snippets_mlir.interpreter.poison import (
    Poisoned,
    data_of,
    defined,
    lift,
    poison_of,
    with_poison,
)
from snippets_mlir.interpreter.registry import Handler
from snippets_mlir.interpreter.scalars import constant_of, element_dtype, layout_of

if TYPE_CHECKING:
    from snippets_mlir.interpreter.machine import Interpreter


def _select(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    which = data_of(operands[0])
    a, b = operands[1:]
    if isinstance(a, Pointer):
        return (a if defined(operands[0], "the condition of a select") else b,)
    result = np.asarray(np.where(which, data_of(a), data_of(b)))
    poison = np.zeros(result.shape, np.bool_)
    for value, chosen in ((a, which), (b, ~which)):
        if (lanes := poison_of(value)) is not None:
            poison |= lanes & chosen
    value = with_poison(result, poison)
    if (lanes := poison_of(operands[0])) is not None:
        value = spread(value, np.broadcast_to(lanes, result.shape))
    return (value,)


def _predicate(op: Operation) -> int:
    if isinstance(op, CmpOp):
        return op.pred.data.number
    attr = op.properties["predicate"]
    assert isinstance(attr, IntegerAttr)
    return attr.value.data


_INTEGER_PREDICATES: tuple[Callable[[Array, Array], Array], ...] = (
    *(np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal),
    *(np.less, np.less_equal, np.greater, np.greater_equal),
)


def _compare_integers(
    interpreter: Interpreter, op: Operation, operands: Sequence[Any]
) -> Sequence[Any]:
    number = _predicate(op)

    def value(x: Array, y: Array) -> Array:
        if number >= 6:
            x, y = unsigned(x), unsigned(y)
        elif x.dtype.kind == "b":
            x, y = -x.astype(np.int8), -y.astype(np.int8)
        return _INTEGER_PREDICATES[number](x, y)

    return (lift(value)(*operands),)


# For each predicate's number, from `false` to `true`: the bits equal, greater, less, unordered.
_FLOAT_PREDICATES = (*range(8), 9, 10, 11, 12, 13, 14, 8, 15)


def _compare_floats(
    interpreter: Interpreter, op: Operation, operands: Sequence[Any]
) -> Sequence[Any]:
    bits = _FLOAT_PREDICATES[_predicate(op)]

    def value(x: Array, y: Array) -> Array:
        result = np.zeros(np.broadcast_shapes(x.shape, y.shape), np.bool_)
        holds = (x == y, x > y, x < y, np.isnan(x) | np.isnan(y))
        for bit, where in enumerate(holds):
            if bits >> bit & 1:
                result |= where
        return result

    with np.errstate(all="ignore"):
        return (lift(value)(*operands),)


def _constant(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    return (constant_of(op.properties["value"], op.results[0].type),)


def _size(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    return (np.asarray(WIDTH, np.int64),)


def _poison(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    type_ = op.results[0].type
    shape = layout_of(type_).shape
    return (Poisoned(np.zeros(shape, element_dtype(type_)), np.ones(shape, np.bool_)),)


def _freeze(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    return (data_of(operands[0]),)


HANDLERS: Mapping[str, Handler] = {
    **dict.fromkeys(("arith.cmpf", "llvm.fcmp"), _compare_floats),
    **dict.fromkeys(("arith.cmpi", "llvm.icmp", CmpOp.name), _compare_integers),
    **dict.fromkeys(
        ("arith.constant", "llvm.mlir.constant", "index.constant", "index.bool.constant"),
        _constant,
    ),
    "index.sizeof": _size,
    **dict.fromkeys(("arith.select", "llvm.select"), _select),
    **dict.fromkeys(("llvm.mlir.poison", "llvm.mlir.undef", "ub.poison"), _poison),
    "llvm.freeze": _freeze,
}
