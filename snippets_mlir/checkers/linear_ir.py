"""All checkers of the linear IR, on every kernel whose loops are inserted.

Of kernels with sizes that only a call knows registers are checked: there is nothing to simulate.
"""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from snippets_mlir.checkers.linear_accesses import verify_accesses
from snippets_mlir.checkers.linear_buffers import verify_buffers
from snippets_mlir.checkers.linear_loops import verify_loops
from snippets_mlir.checkers.linear_pointers import verify_pointers
from snippets_mlir.checkers.linear_registers import verify_registers
from snippets_mlir.dialects.lir.kernel import KernelOp


def verify_linear_ir(module: ModuleOp) -> None:
    """Check loops, pointers, accesses and buffers of the kernels from stage `looped` on.

    Raises:
        CompileError: at the first op that breaks a claim; the message starts with its label.
    """
    for op in module.ops:
        if isinstance(op, KernelOp) and op.reached("looped"):
            verify_registers(op)
            if not op.dynamic:
                verify_loops(op)
                verify_pointers(op)
                verify_accesses(op)
                verify_buffers(op)
