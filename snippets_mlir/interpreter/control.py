"""Control flow: `scf.for`, `scf.if`, `scf.while`, assertions, and branches of `cf` and
`llvm`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from xdsl.dialects import cf, llvm, scf
from xdsl.ir import Block, Operation

from snippets_mlir.interpreter.poison import defined
from snippets_mlir.interpreter.registry import Branch, Handler
from snippets_mlir.support.errors import CompileError

if TYPE_CHECKING:
    from snippets_mlir.interpreter.machine import Interpreter


def _for(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    lower, upper, step = (defined(x, "a bound of a loop") for x in operands[:3])
    if step <= 0:
        raise CompileError(f"expected a positive step, found {int(step)}")
    carried = tuple(operands[3:])
    body = op.regions[0].block
    for counter in range(int(lower), int(upper), int(step)):
        arguments = (np.asarray(counter, lower.dtype), *carried)
        carried = interpreter.run_block(body, arguments, op)
    return carried


def _if(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    taken = op.regions[0 if defined(operands[0], "a condition") else 1]
    if not taken.blocks or not taken.block.ops:
        return ()
    return interpreter.run_block(taken.block, (), op)


def _while(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    from snippets_mlir.interpreter.machine import MAX_BRANCHES

    values = tuple(operands)
    for _ in range(MAX_BRANCHES):
        condition, *values = interpreter.run_block(op.regions[0].block, values, op)
        if not defined(condition, "a condition"):
            return values
        values = interpreter.run_block(op.regions[1].block, values, op)
    raise CompileError(f"more than {MAX_BRANCHES} iterations")


def _assert(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    assert isinstance(op, cf.AssertOp)
    if not defined(operands[0], "the condition of an assertion"):
        raise CompileError(f"the assertion does not hold: {op.msg.data}")
    return ()


def _br(op: Operation, operands: Sequence[Any]) -> tuple[Block, Sequence[Any]]:
    return op.successors[0], operands


def _cond_br(op: Operation, operands: Sequence[Any]) -> tuple[Block, Sequence[Any]]:
    assert isinstance(op, cf.ConditionalBranchOp | llvm.CondBrOp)
    first = 1 + len(op.then_arguments)
    if defined(operands[0], "the condition of a branch"):
        return op.successors[0], operands[1:first]
    return op.successors[1], operands[first:]


def _switch(op: Operation, operands: Sequence[Any]) -> tuple[Block, Sequence[Any]]:
    assert isinstance(op, cf.SwitchOp)
    flag = int(defined(operands[0], "the flag of a switch"))
    numbers = op.case_values.get_values() if op.case_values is not None else ()
    first = 1 + len(op.default_operands)
    for number, block, values in zip(numbers, op.case_blocks, op.case_operand, strict=True):
        if int(number) == flag:
            return block, operands[first : first + len(values)]
        first += len(values)
    return op.default_block, operands[1 : 1 + len(op.default_operands)]


BRANCHES: Mapping[str, Branch] = {
    cf.BranchOp.name: _br,
    cf.ConditionalBranchOp.name: _cond_br,
    cf.SwitchOp.name: _switch,
    llvm.BrOp.name: _br,
    llvm.CondBrOp.name: _cond_br,
}

HANDLERS: Mapping[str, Handler] = {
    cf.AssertOp.name: _assert,
    scf.ForOp.name: _for,
    scf.IfOp.name: _if,
    scf.WhileOp.name: _while,
}
