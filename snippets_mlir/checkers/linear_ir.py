"""All checkers of the linear IR, on every kernel with inserted loops.

Kernels with dynamic dimensions are checked for three calls: with short sizes, with whole
vectors, and with long sizes and tails (`dialects/lir/instances.py`).
"""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp, StringAttr

from snippets_mlir.checkers.linear_accesses import verify_accesses
from snippets_mlir.checkers.linear_buffers import verify_buffers
from snippets_mlir.checkers.linear_lanes import verify_lanes
from snippets_mlir.checkers.linear_loops import verify_loops
from snippets_mlir.checkers.linear_motion import KernelMotion
from snippets_mlir.checkers.linear_outputs import verify_outputs
from snippets_mlir.checkers.linear_pointers import verify_pointers
from snippets_mlir.checkers.linear_registers import verify_registers
from snippets_mlir.dialects.lir.instances import instance_of, sample_dims, symbols_in
from snippets_mlir.dialects.lir.kernel import KernelOp


def verify_linear_ir(module: ModuleOp) -> None:
    """Check loops, lanes, pointers, accesses, buffers and outputs of kernels from `looped` on.

    Raises:
        CompileError: at the first op that breaks a claim; the message starts with its label.
    """
    dynamic: list[StringAttr] = []
    for op in module.ops:
        if isinstance(op, KernelOp) and op.reached("looped"):
            verify_registers(op)
            if op.reached("expanded"):
                verify_lanes(op)
            if op.dynamic:
                dynamic.append(op.sym_name)
            else:
                _verify_motion(op)
    for dims in sample_dims(symbols_in(module)) if dynamic else ():
        for op in instance_of(module, dims).ops:
            if isinstance(op, KernelOp) and op.sym_name in dynamic:
                _verify_motion(op)


def _verify_motion(kernel: KernelOp) -> None:
    motion = KernelMotion(kernel)
    verify_loops(kernel, motion.items)
    verify_pointers(motion)
    verify_accesses(motion)
    verify_buffers(motion)
    verify_outputs(motion)
