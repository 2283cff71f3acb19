"""The `program` dialect: nodes compute their bodies, in the order of the text.

A view is the same elements under another shape. After memory is planned, a whole graph runs in that
memory and on its queues instead (`planned_programs.py`), and `program.schedule` is not executed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from xdsl.ir import Operation

from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.program.data import DataOp, ViewOp
from snippets_mlir.dialects.program.node import NodeOp
from snippets_mlir.dialects.program.schedule import ScheduleOp
from snippets_mlir.dialects.snippets.constant_arrays import elements_of
from snippets_mlir.interpreter.registry import Handler

if TYPE_CHECKING:
    from snippets_mlir.interpreter.machine import Interpreter


def _data(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    assert isinstance(op, DataOp)
    return (elements_of(op.value),)


def _view(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    assert isinstance(op, ViewOp)
    (array,) = operands
    sizes = list(shape_of(op.result))
    for place, dim in enumerate(op.source_dims or ()):
        sizes[place] = sizes[place] if dim < 0 else array.shape[dim]
    known = [size if isinstance(size, int) and size >= 0 else -1 for size in sizes]
    return (array.reshape(known),)


def _node(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    assert isinstance(op, NodeOp)
    return interpreter.run_block(op.block, operands, op)


HANDLERS: Mapping[str, Handler] = {
    DataOp.name: _data,
    NodeOp.name: _node,
    ScheduleOp.name: lambda interpreter, op, operands: (),
    ViewOp.name: _view,
}
