"""All checks of a module: verifiers, dominance, laws of linear IR, program graphs and kernels."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from snippets_mlir.checkers.dominance import verify_dominance
from snippets_mlir.support.diagnostics import verify_module
from snippets_mlir.support.errors import CompileError


def check_module(module: ModuleOp) -> None:
    """Run all verifiers, check SSA dominance, and the laws of linear IR and of program graphs.

    Functions of kernels are also checked for the numbers of their calls.

    Raises:
        CompileError: at the first op that is wrong.
    """
    verify_module(module)
    verify_dominance(module)
    if any(op.name == "lir.kernel" for op in module.ops):
        from snippets_mlir.checkers.linear_ir import verify_linear_ir

        verify_linear_ir(module)
    if any("snippets.kernel" in op.attributes for op in module.ops):
        from snippets_mlir.checkers.kernel_functions import verify_kernel_functions

        verify_kernel_functions(module)
    if any(op.name == "program.graph" for op in module.ops):
        from snippets_mlir.checkers.program_graphs import verify_program_graphs

        verify_program_graphs(module)


def verify_after(p: ModulePass, module: ModuleOp) -> None:
    """Like `check_module`; the error names the pass that left the module."""
    try:
        check_module(module)
    except CompileError as error:
        raise CompileError(
            f"after pass '{p.name}': {error.message}",
            file=error.file,
            line=error.line,
            column=error.column,
        ) from error
