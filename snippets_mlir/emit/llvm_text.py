"""The `llvm` dialect as textual LLVM IR.

    llvm.func @f(%x: f32) -> f32 {           define float @f(float %a0) {
      %0 = llvm.fadd %x, %x : f32            b0:
      llvm.return %0 : f32                     %v0 = fadd float %a0, %a0
    }                                          ret float %v0
                                             }

Writes the `llvm.func` and `llvm.mlir.global` ops of a module in their order. The host program
(`func.func`) and all other ops of the module are omitted. Equal IR gives equal
text, byte for byte. An op without a form in LLVM IR, or a kernel that was not lowered, is a
`CompileError` at the op.
"""

from dataclasses import dataclass
from typing import IO

from xdsl.context import Context
from xdsl.dialects import llvm as upstream
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.utils.target import Target

from snippets_mlir.emit.llvm_attributes import linkage_text
from snippets_mlir.emit.llvm_formats import quoted
from snippets_mlir.emit.llvm_functions import FunctionText, TypeTexts
from snippets_mlir.emit.llvm_loops import LoopNodes
from snippets_mlir.emit.llvm_types import constant_text, type_text
from snippets_mlir.support.attribute_names import KERNEL
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError

_METADATA = {"!nontemporal !0": "!0 = !{i32 1}", "!invariant.load !1": "!1 = !{}"}
"""Nodes of metadata, by the text that refers to them."""


def emit_llvm(module: ModuleOp) -> str:
    """LLVM IR text of the functions and globals of `module`."""
    types, loops = TypeTexts(), LoopNodes(first=len(_METADATA))
    parts: list[str] = []
    for op in module.ops:
        if isinstance(op, upstream.FuncOp):
            parts.append(FunctionText(op, types, loops).text())
        elif isinstance(op, upstream.GlobalOp):
            parts.append(_global(op))
        elif _is_kernel(op):
            raise CompileError(
                f"kernel {op.properties['sym_name']} is still a {op.name!r}; "
                "lower it to the llvm dialect first",
                **position_of(op),
            )
    text = "\n".join(parts)
    nodes = [node for reference, node in _METADATA.items() if reference in text]
    nodes += loops.nodes
    return "\n".join((text, *nodes, "")) if nodes else text


def _is_kernel(op: Operation) -> bool:
    return op.name == "lir.kernel" or (isinstance(op, FuncOp) and KERNEL in op.attributes)


def has_kernels(module: ModuleOp) -> bool:
    """Whether functions of `module` come from the kernels of a program on tensors."""
    return any(KERNEL in op.attributes for op in module.ops)


def _global(op: upstream.GlobalOp) -> str:
    try:
        if op.body.blocks:
            raise ValueError("a global with an initializer region is not supported")
        kind = "constant" if op.constant else "global"
        type = type_text(op.global_type)
        value = constant_text(op.value, op.global_type) if op.value is not None else None
        if value is None and op.linkage.linkage.data != "external":
            value = "undef"
    except ValueError as error:
        raise CompileError(str(error), **position_of(op)) from error
    linkage = "external " if value is None else linkage_text(op)
    address = upstream.UNNAMED_ADDR_KEYWORD_BY_KEY.get(
        op.unnamed_addr.value.data if op.unnamed_addr else 0
    )
    local = "thread_local " if op.thread_local_ else ""
    align = f", align {op.alignment.value.data}" if op.alignment else ""
    section = f', section "{op.section.data}"' if op.section else ""
    return (
        f"@{quoted(op.sym_name.data)} = {linkage}{local}{f'{address} ' if address else ''}{kind} "
        f"{type}{'' if value is None else f' {value}'}{section}{align}\n"
    )


@dataclass(frozen=True)
class LLVMTextTarget(Target):
    """`-t llvm`: LLVM IR text of the kernels."""

    name = "llvm"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        """Write the text of `module` to `output`."""
        output.write(emit_llvm(module))
