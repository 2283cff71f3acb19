"""Ask for functions that C can call.

    func.func @f(%A: memref<?xf32>)

becomes

    func.func @f(%A: memref<?xf32>) attributes {llvm.emit_c_interface}

`convert-func-to-llvm` then also writes `_mlir_ciface_f`, which takes pointers to descriptors.
Leaves private functions, declarations and host functions.
"""

from dataclasses import dataclass
from typing import ClassVar

from typing_extensions import override
from xdsl.dialects.builtin import UnitAttr
from xdsl.dialects.func import FuncOp
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.building.conversion import is_kernel_function
from snippets_mlir.passes.patterns import Pattern, PatternPass
from snippets_mlir.support.attribute_names import C_INTERFACE


def is_public(func: FuncOp) -> bool:
    """It can be called from outside."""
    return func.sym_visibility is None


def has_a_body(func: FuncOp) -> bool:
    """It is no declaration."""
    return bool(func.body.blocks)


class RequestWrapper(Pattern[FuncOp, FuncOp]):
    """A function that C could call gets `llvm.emit_c_interface`."""

    name = "request-c-wrapper"
    ops = (FuncOp,)
    conditions = (is_public, has_a_body, is_kernel_function)

    @override
    def match(self, op: FuncOp) -> FuncOp:
        return op

    @override
    def rewrite(self, op: FuncOp, match: FuncOp, rewriter: PatternRewriter) -> None:
        op.attributes[C_INTERFACE] = UnitAttr()


@dataclass(frozen=True)
class LLVMRequestCWrappersPass(PatternPass):
    """Mark public functions for a wrapper that C can call."""

    name: ClassVar[str] = "llvm-request-c-wrappers"
    STAGES: ClassVar[Stages] = Stages(("vector", "loops", "llvm"))
    PATTERNS = (RequestWrapper,)
