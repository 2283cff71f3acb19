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

Leaves an assertion inside an op with regions. Refuses an assertion in a program that has a function
@write or @abort of its own.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from typing_extensions import override
from xdsl.dialects import cf, llvm
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i1, i32, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.dialects.llvm.loop_annotations import ON_BRANCHES, ON_LOOPS
from snippets_mlir.passes.building.conversion import ConversionPass, converts, kernel_functions
from snippets_mlir.passes.building.lowering import Lowering
from snippets_mlir.passes.patterns import AnyPattern, Pattern
from snippets_mlir.passes.vector_to_llvm.descriptors import POINTER
from snippets_mlir.passes.vector_to_llvm.externals import add_texts, address_of, declare, texts_of
from snippets_mlir.passes.vector_to_llvm.memref_interface import call_properties
from snippets_mlir.support.walking import ops_inside


def _br(op: Operation, low: Lowering) -> Sequence[SSAValue]:
    """`llvm.br` to the same block with the same operands, and the loop's annotation for LLVM."""
    branch = low.insert(llvm.BrOp, low.operands(op), successors=op.successors)
    if (told := op.attributes.get(ON_LOOPS)) is not None:
        branch.attributes[ON_BRANCHES] = told
    return ()


def _cond_br(op: Operation, low: Lowering) -> Sequence[SSAValue]:
    """`llvm.cond_br` to the same two blocks with the same operands."""
    segments = {"operandSegmentSizes": op.properties["operandSegmentSizes"]}
    low.insert(llvm.CondBrOp, low.operands(op), (), segments, op.successors)
    return ()


def _place_of(op: Operation) -> tuple[Block, Region]:
    block = op.parent
    assert block is not None
    region = block.parent
    assert region is not None
    return block, region


class ExpandSwitch(Pattern[cf.SwitchOp, cf.SwitchOp]):
    """All comparisons where the switch is, then a block with a branch for each case."""

    name = "cf-switch"
    ops = (cf.SwitchOp,)

    def __init__(self, low: Lowering) -> None:
        self.low = low

    @override
    def match(self, op: cf.SwitchOp) -> cf.SwitchOp:
        return op

    def rewrite(self, op: cf.SwitchOp, match: cf.SwitchOp, rewriter: PatternRewriter) -> None:
        """Replace the switch by the branch for its first case."""
        low = self.low
        low.at(op)
        flag = low.operand(op.flag)
        numbers = op.case_values.get_values() if op.case_values is not None else ()
        equal = [
            low.make(llvm.ICmpOp, (flag, low.integer(number, flag.type)), i1, _EQUAL)  # pyright: ignore
            for number in numbers
        ]
        block, region = _place_of(op)
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
        rewriter.replace(op, branches[-1] if branches else cf.BranchOp(default, *values))


_FAILURE: Mapping[str, llvm.LLVMFunctionType] = {
    "abort": llvm.LLVMFunctionType([]),
    "write": llvm.LLVMFunctionType([i32, POINTER, i64], i64),
}
_STANDARD_ERROR = 2


def _message(op: cf.AssertOp) -> str:
    return f"{op.msg.data}\n"


def in_a_block_of_its_function(op: cf.AssertOp) -> bool:
    """No op with regions is around it."""
    return isinstance(op.parent_op(), FuncOp | llvm.FuncOp)


class ExpandAssert(Pattern[cf.AssertOp, cf.AssertOp]):
    """The block is split after the assertion; a failure goes to a block at the end."""

    name = "cf-assert"
    ops = (cf.AssertOp,)
    conditions = (in_a_block_of_its_function,)

    def __init__(self, low: Lowering) -> None:
        self.low = low

    @override
    def match(self, op: cf.AssertOp) -> cf.AssertOp:
        return op

    @override
    def rewrite(self, op: cf.AssertOp, match: cf.AssertOp, rewriter: PatternRewriter) -> None:
        block, region = _place_of(op)
        rest = block.split_before(op)
        end = llvm.UnreachableOp()
        end.location = op.location
        failed = Block([end])
        region.add_block(failed)
        low, message = self.low, _message(op)
        low.at(end)
        address = address_of(low, message)
        size = len(message.encode())
        given = (low.integer(_STANDARD_ERROR, i32), address, low.integer(size))
        low.insert(llvm.CallOp, given, (i64,), call_properties("write", len(given)))
        low.insert(llvm.CallOp, (), (), call_properties("abort", 0))
        branch = cf.ConditionalBranchOp(op.arg, rest, (), failed, ())
        branch.location = op.location
        block.add_op(branch)
        rewriter.erase(op)


_MESSAGES = "assert_message_"
_EQUAL = {"predicate": IntegerAttr(0, i64)}


@dataclass(frozen=True)
class ConvertCfToLLVMPass(ConversionPass):
    """Lower cf branches and assertions to the llvm dialect."""

    name: ClassVar[str] = "convert-cf-to-llvm"
    MIXES_CLASSES: ClassVar[bool] = False
    PATTERNS = (
        ExpandAssert,
        ExpandSwitch,
        converts(cf.BranchOp, _br),
        converts(cf.ConditionalBranchOp, _cond_br),
    )

    def prepare(self, module: ModuleOp) -> None:
        """Declarations for assertions, and the arguments of blocks except entries."""
        functions = tuple(kernel_functions(module))
        asserts = [
            op
            for func in functions
            for op in ops_inside(func)
            if op.name == cf.AssertOp.name and isinstance(op, cf.AssertOp)
        ]
        if asserts and ExpandAssert in self.enabled():
            declare(module, _FAILURE)
            add_texts(module, _MESSAGES, map(_message, asserts))
        low = Lowering()
        for func in functions:
            for block in tuple(func.body.blocks)[1:]:
                low.convert_arguments(block)

    def lowering(self, module: ModuleOp) -> Lowering:
        """A builder that knows the messages of assertions."""
        return Lowering(texts=texts_of(module, _MESSAGES))

    @override
    def earlier(self, module: ModuleOp) -> Iterator[tuple[Operation, list[AnyPattern]]]:
        low = self.lowering(module)
        for func in kernel_functions(module):
            chosen = (p for p in self.enabled() if p in (ExpandAssert, ExpandSwitch))
            yield func, [pattern(low) for pattern in chosen]
