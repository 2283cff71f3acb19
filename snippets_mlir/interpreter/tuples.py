"""Tuples: a value of `tuple` type is a Python tuple of the fields' values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from xdsl.dialects.builtin import TupleType
from xdsl.ir import Attribute, Operation

from snippets_mlir.dialects.snippets.fusion import StopFusionOp, TupleGetOp, TupleOp
from snippets_mlir.interpreter.registry import Check, Handler, check_table, same

if TYPE_CHECKING:
    from snippets_mlir.interpreter.machine import Interpreter


def _tuple(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    return (tuple(operands),)


def _tuple_get(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    assert isinstance(op, TupleGetOp)
    return (operands[0][op.index.value.data],)


def check_tuple(value: Any, type_: TupleType) -> str | None:
    """Why `value` is not a tuple of `type_`; None if it is one."""
    types = type_.types.data
    if not isinstance(value, tuple):
        return f"expected a tuple, found {type(value).__name__}"
    fields = cast("tuple[Any, ...]", value)
    if len(fields) != len(types):
        return f"expected {len(types)} fields, found {len(fields)}"
    for index, (field, field_type) in enumerate(zip(fields, types, strict=True)):
        check = check_table().get(type(field_type))
        wrong = f"unknown type {field_type}" if check is None else check(field, field_type)
        if wrong is not None:
            return f"field {index}: {wrong}"
    return None


HANDLERS: Mapping[str, Handler] = {
    TupleOp.name: _tuple,
    TupleGetOp.name: _tuple_get,
    StopFusionOp.name: same,
}

CHECKS: Mapping[type[Attribute], Check] = {TupleType: check_tuple}
