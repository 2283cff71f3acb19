"""Lower `cf` branches and assertions to the `llvm` dialect.

    cf.cond_br %c, ^bb1(%x : f32), ^bb2           llvm.cond_br %c, ^bb1(%x : f32), ^bb2

Block arguments of type `index` become `i64`. A `cf.switch` becomes a chain of comparisons, in the
order of its cases. A `cf.assert` becomes a branch to a block that writes the message to the
standard error and ends the process (upstream's `puts` writes to the standard output, where a
message is lost when the process ends before the buffer is full):

    cf.assert %c, "no"                            llvm.cond_br %c, ^rest, ^failed
                                                ^failed:
                                                  llvm.call @write(%two, %message, %size)
                                                  llvm.call @abort()
                                                  llvm.unreachable

Left as it is: an assertion inside an op with regions. Refused: an assertion in a program that has a
function @write or @abort of its own.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import cf, llvm
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i1, i32, i64
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from snippets_mlir.passes.building.conversion import Lowering, Row, kernel_functions, lower
from snippets_mlir.passes.vector_to_llvm.descriptors import POINTER
from snippets_mlir.passes.vector_to_llvm.externals import Texts, declare
from snippets_mlir.passes.vector_to_llvm.memref_interface import call_properties
from snippets_mlir.support.walking import ops_inside


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


_FAILURE: Mapping[str, llvm.LLVMFunctionType] = {
    "abort": llvm.LLVMFunctionType([]),
    "write": llvm.LLVMFunctionType([i32, POINTER, i64], i64),
}
_STANDARD_ERROR = 2


def _expand_assert(op: cf.AssertOp, low: Lowering, texts: Texts) -> None:
    """Split the block behind the assertion; what fails goes to a block at the end."""
    block = op.parent
    assert block is not None
    region = block.parent
    assert region is not None
    rest = block.split_before(op)
    end = llvm.UnreachableOp()
    end.location = op.location
    failed = Block([end])
    region.add_block(failed)
    low.at(end)
    message, size = texts.address(low, f"{op.msg.data}\n")
    given = (low.integer(_STANDARD_ERROR, i32), message, low.integer(size))
    low.insert(llvm.CallOp, given, (i64,), call_properties("write", len(given)))
    low.insert(llvm.CallOp, (), (), call_properties("abort", 0))
    branch = cf.ConditionalBranchOp(op.arg, rest, (), failed, ())
    branch.location = op.location
    block.add_op(branch)
    op.detach()
    op.erase()


def _expand_asserts(module: ModuleOp, found: Sequence[cf.AssertOp], low: Lowering) -> None:
    """The assertions that stand in a block of their function."""
    texts = Texts(module, "assert_message_")
    if found:
        declare(module, _FAILURE)
    for op in found:
        _expand_assert(op, low, texts)


_EQUAL = {"predicate": IntegerAttr(0, i64)}
TABLE: dict[type[Operation], Row] = {
    cf.BranchOp: _br,
    cf.ConditionalBranchOp: _cond_br,
}


@dataclass(frozen=True)
class ConvertCfToLLVMPass(ModulePass):
    """Lower cf branches and assertions to the llvm dialect."""

    name: ClassVar[str] = "convert-cf-to-llvm"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Expand assertions and switches, convert arguments of blocks but the entries, branches."""
        lowering = Lowering()
        functions = tuple(kernel_functions(op))
        inside = [(func, inner) for func in functions for inner in ops_inside(func)]
        asserts = [
            inner
            for func, inner in inside
            if isinstance(inner, cf.AssertOp) and inner.parent_op() is func
        ]
        switches = [inner for _, inner in inside if isinstance(inner, cf.SwitchOp)]
        _expand_asserts(op, asserts, lowering)
        for switch in switches:
            _expand_switch(switch, lowering)
        for func in functions:
            for block in tuple(func.body.blocks)[1:]:
                lowering.convert_arguments(block)
        lower(op, TABLE)
