"""A thin builder for functions of the `llvm` dialect, in the order of C code.

    module = Module()
    body = module.function("sum", [POINTER, I64], I64)
    array, count = body.arguments
    with body.loop(count, body.integer(0)) as loop:
        (total,) = loop.values
        loop.next = [body.add(total, body.item(array, I64, loop.index))]
    body.end(total)

is `for (i = 0; i != count; i++) total += array[i]; return total;`. A value that a loop carries is
an argument of the loop's first block, so it may also be used after the loop.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    StringAttr,
    TensorType,
)
from xdsl.dialects.llvm import LLVMArrayType, LLVMFunctionType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.traits import IsTerminator

from snippets_mlir.codegen.stubs.expressions import I8, I64, Expressions, Operand
from snippets_mlir.dialects.llvm.globals import GlobalOp
from snippets_mlir.emit.llvm_text import emit_llvm


class Module:
    """A module of the `llvm` dialect with the functions of one or more stubs."""

    def __init__(self) -> None:
        self.op = ModuleOp([])

    def _add(self, op: Operation) -> None:
        self.op.body.block.add_op(op)

    def declare(self, name: str, inputs: Sequence[Attribute], output: Attribute | None) -> None:
        """Declare a function of the process, which the object calls by its name."""
        self._add_function(name, LLVMFunctionType(inputs, output), "external", Region())

    def function(
        self,
        name: str,
        inputs: Sequence[Attribute],
        output: Attribute | None = None,
        *,
        linkage: str = "external",
    ) -> Body:
        """Define a function; its body is written next."""
        body = Body(inputs)
        self._add_function(name, LLVMFunctionType(inputs, output), linkage, body.region)
        return body

    def _add_function(
        self, name: str, type: LLVMFunctionType, linkage: str, region: Region
    ) -> None:
        """Add a function as the custom syntax of `llvm.func` parses it: with a value for
        `unnamed_addr`.
        """
        more: dict[str, Attribute | None] = {"unnamed_addr": IntegerAttr(0, I64)}
        attr = llvm.LinkageAttr(linkage)
        self._add(llvm.FuncOp(name, type, attr, body=region, other_props=more))

    def words(self, name: str, bits: int, count: int, *, linkage: str = "internal") -> None:
        """Define a variable of `count` integers, initially 0."""
        element = IntegerType(bits)
        zeros = DenseIntOrFPElementsAttr.from_list(TensorType(element, [count]), [0])
        type = LLVMArrayType(count, element)
        self._add(GlobalOp(type, name, linkage, value=zeros, alignment=bits // 8))

    def text(self, name: str, text: str) -> None:
        """Add the constant C string `text`, terminated by 0, as the global `name`."""
        type = LLVMArrayType(len(text) + 1, I8)
        value = StringAttr(f"{text}\0")
        self._add(GlobalOp(type, name, "internal", constant=True, value=value))

    def llvm_text(self) -> str:
        """The module as LLVM IR text."""
        return emit_llvm(self.op)


class Loop:
    """A loop under construction.

    Attributes:
        index: the number of earlier iterations.
        values: the carried values: in this iteration and, after the loop, at its end.
        next: the carried values of the next iteration, set in the body.
    """

    def __init__(self, body: Body, carried: Sequence[SSAValue]) -> None:
        """`body` is the place of the loop's code."""
        start = [body.integer(0), *carried]
        self.head = Block(arg_types=[value.type for value in start])
        self.after = Block()
        self.index, *values = self.head.args
        self.values: tuple[SSAValue, ...] = tuple(values)
        self.next: Sequence[SSAValue] = self.values
        self._body = body
        body.go(self.head, *start)
        body.at(self.head)

    def leave_if(self, condition: SSAValue) -> None:
        """`if (condition) break;`."""
        rest = Block()
        self._body.split(condition, self.after, rest)
        self._body.at(rest)


class Body(Expressions):
    """Writes the body of one function."""

    def __init__(self, inputs: Sequence[Attribute]) -> None:
        """Begin with the block that has the function's arguments."""
        super().__init__(Block(arg_types=inputs))
        self.region = Region(self.block)
        self.arguments: tuple[SSAValue, ...] = tuple(self.block.args)

    # Blocks

    def at(self, block: Block) -> None:
        """Add `block` to the function; the next ops are appended to it."""
        self.region.add_block(block)
        self.block = block

    def go(self, block: Block, *values: SSAValue) -> None:
        """Branch to `block`: `goto block;`."""
        self.block.add_op(llvm.BrOp(block, *values))

    def split(self, condition: SSAValue, then: Block, other: Block) -> None:
        """End the block with a branch to one of two blocks."""
        self.block.add_op(llvm.CondBrOp(condition, then, [], other, []))

    def end(self, value: SSAValue | None = None) -> None:
        """`return value;`."""
        self.block.add_op(llvm.ReturnOp(value))

    @property
    def ended(self) -> bool:
        """Whether the block has its terminator."""
        last = self.block.last_op
        return last is not None and last.has_trait(IsTerminator)

    # Control

    def require(self, condition: SSAValue, otherwise: Block) -> None:
        """`if (!condition) goto otherwise;`."""
        rest = Block()
        self.split(condition, rest, otherwise)
        self.at(rest)

    @contextmanager
    def when(self, condition: SSAValue) -> Generator[None]:
        """`if (condition) { ... }`, whose last statement may be `return` or `break`."""
        then, after = Block(), Block()
        self.split(condition, then, after)
        self.at(then)
        yield
        if not self.ended:
            self.go(after)
        self.at(after)

    def choose(
        self,
        condition: SSAValue,
        then: Callable[[], SSAValue | None],
        other: Callable[[], SSAValue | None],
    ) -> tuple[SSAValue, ...]:
        """`condition ? then : other`: only one is computed; there is at most one result."""
        sides, after = (Block(), Block()), Block()
        self.split(condition, *sides)
        for side, write in zip(sides, (then, other), strict=True):
            self.at(side)
            value = write()
            if value is not None and not after.args:
                after.insert_arg(value.type, 0)
            self.go(after, *([] if value is None else [value]))
        self.at(after)
        return tuple(after.args)

    @contextmanager
    def loop(self, count: Operand | None, *carried: SSAValue) -> Generator[Loop]:
        """`for (i = 0; i != count; i++) { ... }`; without a count the body has to leave it."""
        limit = None if count is None else self.value(count)
        loop = Loop(self, carried)
        if limit is not None:
            loop.leave_if(self.compare("eq", loop.index, limit))
        yield loop
        self.go(loop.head, self.add(loop.index, 1), *loop.next)
        self.at(loop.after)
