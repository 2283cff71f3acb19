"""Facts of kernel functions about domain and memory (`dialects/lir/function_facts.py`)."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from snippets_mlir.dialects.lir.function_facts import problem_of
from snippets_mlir.support.attribute_names import KERNEL
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError


def verify_kernel_functions(module: ModuleOp) -> None:
    """Check the numbers of each kernel that is a function.

    Raises:
        CompileError: at the first function with inconsistent numbers.
    """
    for op in module.ops:
        if KERNEL in op.attributes and (problem := problem_of(op)) is not None:
            raise CompileError(problem, **position_of(op))
