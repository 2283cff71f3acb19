"""A batch of kernels, from the linear IR to an object.

    lir.kernel @subgraph_0 "accessed" (...)       llvm.func @subgraph_0(...) attributes {
                                                    snippets.kernel, snippets.domain = 8, ...}
                                             and  LLVM text, which `kernel_code` compiles

The remaining module has a declaration of each kernel. A manifest needs only its attributes.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.llvm import FuncOp
from xdsl.ir import Region
from xdsl.passes import ModulePass

from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.driver.reports.kernel_entry import KernelFacts
from snippets_mlir.driver.reports.kernel_facts import LOOPS_ARE_FINAL, facts_of
from snippets_mlir.emit.llvm_text import emit_llvm
from snippets_mlir.passmanager.pipeline import run_passes
from snippets_mlir.support.attribute_names import KERNEL


def module_with(kernels: Sequence[KernelOp], like: ModuleOp) -> ModuleOp:
    """A module of `kernels`, moved from their module, with the attributes of `like`."""
    module = ModuleOp([], dict(like.attributes))
    for kernel in kernels:
        kernel.detach()
        module.body.block.add_op(kernel)
    return module


def lowered(
    module: ModuleOp, ctx: Context, passes: Sequence[ModulePass]
) -> tuple[dict[str, KernelFacts], str]:
    """Lower the kernels of `module` to declarations; their facts by symbol, and their LLVM text.

    Raises:
        CompileError: a pass refuses a kernel.
    """
    facts: dict[str, KernelFacts] = {}

    def before(next_pass: ModulePass, module: ModuleOp) -> None:
        if next_pass.name in LOOPS_ARE_FINAL and not facts:
            facts.update(facts_of(module))

    run_passes(module, ctx, passes, before=before)
    text = emit_llvm(module)
    for op in list(module.ops):
        if isinstance(op, FuncOp) and KERNEL in op.attributes:
            _declare(op)
        else:
            op.detach()
    return facts, text


def _declare(function: FuncOp) -> None:
    function.detach_region(function.body)
    function.add_region(Region())
