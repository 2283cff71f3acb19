"""The facts needed to execute an op, looked up once for all executions of its block."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from xdsl.dialects.builtin import UnregisteredOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.traits import IsTerminator

from snippets_mlir.interpreter.registry import (
    Branch,
    Handler,
    OpaqueHandler,
    branch_table,
    check_table,
    handler_table,
)
from snippets_mlir.interpreter.scalars import Layout, check_value, layout_of
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError

Scope = dict[SSAValue, Any]


def name_of(op: Operation) -> str:
    """The op's name in the text, also when its dialect is not known."""
    return op.op_name.data if isinstance(op, UnregisteredOp) else op.name


def check_value_of(value: Any, type_: Attribute, op: Operation, what: str) -> None:
    """CompileError at `op` if `value`, described by `what`, does not have type `type_`."""
    check = check_table().get(type(type_))
    if check is None:
        raise CompileError(f"the interpreter has no values of type {type_}", **position_of(op))
    if (wrong := check(value, type_)) is not None:
        raise CompileError(f"{what} of {name_of(op)} is wrong: {wrong}", **position_of(op))


@dataclass(frozen=True, eq=False, slots=True)
class Step:
    """An op of a block.

    Attributes:
        op: the op.
        operands: its operands.
        results: its results.
        layouts: for each result its dtype and shape; None if it is neither a scalar nor a vector.
        handler: executes an op of the interpreter's dialects.
        opaque: executes any other op.
        is_terminator: whether it ends its block.
        branch: gives the next block, for a terminator that stays in its region.
    """

    op: Operation
    operands: tuple[SSAValue, ...]
    results: tuple[SSAValue, ...]
    layouts: tuple[Layout | None, ...]
    handler: Handler | None
    opaque: OpaqueHandler | None
    is_terminator: bool
    branch: Branch | None

    @classmethod
    def of(cls, op: Operation, handlers: Mapping[str, OpaqueHandler]) -> Self:
        """The step of `op`, with the handlers of ops of other dialects."""
        name, results = name_of(op), tuple(op.results)
        return cls(
            op,
            tuple(op.operands),
            results,
            tuple(_layout(result.type) for result in results),
            handler_table().get(name),
            handlers.get(name),
            op.has_trait(IsTerminator, value_if_unregistered=False),
            branch_table().get(name),
        )


def _layout(type_: Attribute) -> Layout | None:
    return layout_of(type_) if check_table().get(type(type_)) is check_value else None
