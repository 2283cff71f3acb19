"""Lower `cf` branches to the `llvm` dialect.

    cf.cond_br %c, ^bb1(%x : f32), ^bb2           llvm.cond_br %c, ^bb1(%x : f32), ^bb2

Block arguments of type `index` become `i64`. Left as they are: `cf.switch` and `cf.assert`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import cf, llvm
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from snippets_mlir.passes.lowering.conversion import Lowering, Row, kernel_functions, lower


def _br(op: Operation, low: Lowering) -> Sequence[SSAValue]:
    low.insert(llvm.BrOp, low.operands(op), successors=op.successors)
    return ()


def _cond_br(op: Operation, low: Lowering) -> Sequence[SSAValue]:
    segments = {"operandSegmentSizes": op.properties["operandSegmentSizes"]}
    low.insert(llvm.CondBrOp, low.operands(op), (), segments, op.successors)
    return ()


TABLE: dict[type[Operation], Row] = {
    cf.BranchOp: _br,
    cf.ConditionalBranchOp: _cond_br,
}


@dataclass(frozen=True)
class ConvertCfToLLVMPass(ModulePass):
    """Lower cf branches to the llvm dialect."""

    name: ClassVar[str] = "convert-cf-to-llvm"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Convert the arguments of all blocks but the entries, then the branches."""
        lowering = Lowering()
        for func in kernel_functions(op):
            for block in tuple(func.body.blocks)[1:]:
                lowering.convert_arguments(block)
        lower(op, TABLE)
