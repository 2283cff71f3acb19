"""The kernels of a module, and running something on each of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import ModuleOp

from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import StageError
from snippets_mlir.support.spans import span


def kernels_of(module: ModuleOp) -> list[KernelOp]:
    """The `lir.kernel` ops of `module`, in its order."""
    return [op for op in module.ops if isinstance(op, KernelOp)]


def kernels_at(module: ModuleOp, stages: Sequence[str]) -> list[KernelOp]:
    """The kernels of `module`; an error at the first kernel whose stage is not one of `stages`."""
    found = kernels_of(module)
    for kernel in found:
        if (stage := kernel.stage.data) not in stages:
            raise StageError(kernel.sym_name.data, stages, stage, **position_of(kernel))
    return found


def for_each_kernel(
    module: ModuleOp, stages: Sequence[str], apply: Callable[[KernelOp], None]
) -> None:
    """Run `apply` on each kernel; an error when one is not at one of `stages`."""
    for kernel in kernels_at(module, stages):
        with span(f"@{kernel.sym_name.data}", "unit"):
            apply(kernel)
