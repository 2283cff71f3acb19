"""The program level: `lir.call` executes its kernel at the kernel's current level."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from xdsl.ir import Operation

from snippets_mlir.dialects.builtin.dtypes import Array
from snippets_mlir.dialects.lir.call import CallOp
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.interpreter.abi import run_function
from snippets_mlir.interpreter.domain import Piece, run_domain
from snippets_mlir.interpreter.lir_memory import KernelMemory
from snippets_mlir.interpreter.lir_registers import run_of
from snippets_mlir.interpreter.lir_tensors import run_tensors
from snippets_mlir.interpreter.lir_tree import domain_of
from snippets_mlir.interpreter.registry import Handler
from snippets_mlir.support.errors import CompileError

if TYPE_CHECKING:
    from snippets_mlir.interpreter.machine import Interpreter


def _run_loops(kernel: KernelOp, inputs: Sequence[Array]) -> list[Array]:
    """The outputs of a kernel with markers; CompileError for what its stage forbids."""

    def run(pieces: Sequence[Piece]) -> list[Array]:
        memory = KernelMemory(kernel, inputs)
        loops = run_of(kernel, memory)
        with np.errstate(all="ignore"):
            for piece in pieces:
                loops.run(piece)
        return memory.results()

    return list(run_domain(kernel.sym_name.data, domain_of(kernel), run))


def _call(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    assert isinstance(op, CallOp)
    name = op.callee.string_value()
    kernel = interpreter.symbol(name)
    if kernel is None:
        raise CompileError(f"the module has no kernel @{name}")
    if isinstance(kernel, KernelOp):
        if tuple(op.operand_types) != kernel.function_type.inputs.data:
            raise CompileError(f"expected @{name} to take the types of the call's operands")
        if kernel.reached("looped"):
            return _run_loops(kernel, operands)
        return run_tensors(interpreter, kernel, operands)
    return run_function(interpreter, kernel, name, operands, op.result_types)


HANDLERS: Mapping[str, Handler] = {CallOp.name: _call}
