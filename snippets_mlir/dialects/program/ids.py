"""The ids of ops in a program, and the values that own memory."""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

from snippets_mlir.dialects.program.data import DataOp, ViewOp
from snippets_mlir.dialects.program.node import NodeOp


def op_id(op: Operation) -> str | None:
    """The id of a node, view or constant; None for any other op."""
    return op.id.data if isinstance(op, NodeOp | ViewOp | DataOp) else None


def root_of(value: SSAValue) -> SSAValue:
    """The value that owns the memory of `value`: the source of its views."""
    while isinstance(value.owner, ViewOp):
        value = value.owner.operand
    return value
