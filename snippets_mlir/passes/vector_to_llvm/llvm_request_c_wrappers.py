"""Ask for functions that C can call.

    func.func @f(%A: memref<?xf32>)

becomes

    func.func @f(%A: memref<?xf32>) attributes {llvm.emit_c_interface}

`convert-func-to-llvm` then also writes `_mlir_ciface_f`, which takes pointers to descriptors. Left
as they are: private functions, declarations and host functions.
"""

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from snippets_mlir.passes.building.conversion import kernel_functions
from snippets_mlir.passes.vector_to_llvm.memref_interface import C_INTERFACE


@dataclass(frozen=True)
class LLVMRequestCWrappersPass(ModulePass):
    """Mark public functions for a wrapper that C can call."""

    name: ClassVar[str] = "llvm-request-c-wrappers"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Set the attribute."""
        for func in kernel_functions(op):
            private = isinstance(func, FuncOp) and func.sym_visibility is not None
            if isinstance(func, FuncOp) and func.body.blocks and not private:
                func.attributes[C_INTERFACE] = UnitAttr()
