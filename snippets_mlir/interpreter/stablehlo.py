"""StableHLO: control flow, and all ops with a known value on arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from xdsl.ir import Operation

from snippets_mlir.dialects.stablehlo import Chlo, StableHLO
from snippets_mlir.dialects.stablehlo.control import CaseOp, IfOp, WhileOp
from snippets_mlir.dialects.stablehlo.reduction import ReturnOp
from snippets_mlir.dialects.stablehlo.region_ops import ScatterOp
from snippets_mlir.dialects.stablehlo.values import evaluate, value_of
from snippets_mlir.interpreter.registry import Handler
from snippets_mlir.interpreter.stablehlo_scatter import scatter
from snippets_mlir.support.errors import CompileError

if TYPE_CHECKING:
    from snippets_mlir.interpreter.machine import Interpreter


def _compute(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    if value_of(op) is None:
        raise CompileError(f"{op.name} has no value here")
    return evaluate(op, operands)


def _while(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    from snippets_mlir.interpreter.machine import MAX_BRANCHES

    assert isinstance(op, WhileOp)
    values = tuple(operands)
    for _ in range(MAX_BRANCHES):
        if not interpreter.run_block(op.cond.block, values, op)[0]:
            return values
        values = interpreter.run_block(op.body.block, values, op)
    raise CompileError(f"more than {MAX_BRANCHES} iterations")


def _case(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    assert isinstance(op, CaseOp)
    last, index = len(op.branches) - 1, int(operands[0])
    chosen = op.branches[index if 0 <= index <= last else last]
    return interpreter.run_block(chosen.block, (), op)


def _if(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    assert isinstance(op, IfOp)
    taken = op.on_true if operands[0] else op.on_false
    return interpreter.run_block(taken.block, (), op)


HANDLERS: Mapping[str, Handler] = {
    **{
        op.name: _compute
        for dialect in (StableHLO, Chlo)
        for op in dialect.operations
        if op is not ReturnOp
    },
    CaseOp.name: _case,
    IfOp.name: _if,
    ScatterOp.name: scatter,
    WhileOp.name: _while,
}
