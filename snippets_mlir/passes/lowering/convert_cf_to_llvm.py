"""Lower `cf` branches to the `llvm` dialect.

    cf.cond_br %c, ^bb1(%x : f32), ^bb2           llvm.cond_br %c, ^bb1(%x : f32), ^bb2

Block arguments of type `index` become `i64`. A `cf.switch` becomes a chain of comparisons, in the
order of its cases. Left as it is: `cf.assert`, whose failure would end the process that called the
code.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import cf, llvm
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i1, i64
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from snippets_mlir.passes.lowering.conversion import Lowering, Row, kernel_functions, lower


def _br(op: Operation, low: Lowering) -> Sequence[SSAValue]:
    low.insert(llvm.BrOp, low.operands(op), successors=op.successors)
    return ()


def _cond_br(op: Operation, low: Lowering) -> Sequence[SSAValue]:
    segments = {"operandSegmentSizes": op.properties["operandSegmentSizes"]}
    low.insert(llvm.CondBrOp, low.operands(op), (), segments, op.successors)
    return ()


def _expand_switch(op: cf.SwitchOp, low: Lowering) -> None:
    """All comparisons where the switch is, then a block with a branch for each case."""
    low.at(op)
    flag = low.operand(op.flag)
    numbers = op.case_values.get_values() if op.case_values is not None else ()
    equal = [
        low.make(llvm.ICmpOp, (flag, low.integer(number, flag.type)), i1, _EQUAL)  # pyright: ignore
        for number in numbers
    ]
    block = op.parent
    assert block is not None
    region = block.parent
    assert region is not None
    default, values = op.default_block, tuple(op.default_operands)
    branches: list[Operation] = []
    for hit, case, given in reversed(
        list(zip(equal, op.case_blocks, op.case_operand, strict=True))
    ):
        if branches:
            after = Block([branches[-1]])
            region.insert_block_after(after, block)
            default, values = after, ()
        branches.append(cf.ConditionalBranchOp(hit, case, given, default, values))
    last = branches[-1] if branches else cf.BranchOp(default, *values)
    block.insert_op_before(last, op)
    op.detach()
    op.erase()


_EQUAL = {"predicate": IntegerAttr(0, i64)}
TABLE: dict[type[Operation], Row] = {
    cf.BranchOp: _br,
    cf.ConditionalBranchOp: _cond_br,
}


@dataclass(frozen=True)
class ConvertCfToLLVMPass(ModulePass):
    """Lower cf branches to the llvm dialect."""

    name: ClassVar[str] = "convert-cf-to-llvm"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Expand switches, convert the arguments of all blocks but the entries, then branches."""
        lowering = Lowering()
        for func in kernel_functions(op):
            for switch in [inner for inner in func.walk() if isinstance(inner, cf.SwitchOp)]:
                _expand_switch(switch, lowering)
            for block in tuple(func.body.blocks)[1:]:
                lowering.convert_arguments(block)
        lower(op, TABLE)
