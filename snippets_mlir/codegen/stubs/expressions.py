"""Expressions of the stubs: values, fields of structs, memory, calls.

An operand may be an `int`, which becomes a constant of the other operand's type. Fields of structs
are reached by the names of their layout; loads and stores are aligned to their type.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerAttr, IntegerType, i1, i8, i16, i32, i64
from xdsl.dialects.llvm import (
    ICmpPredicateFlag,
    LLVMArrayType,
    LLVMPointerType,
    LLVMStructType,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue

from snippets_mlir.codegen.stubs.layout import BYTES, Layout
from snippets_mlir.dialects.llvm.memory import LoadOp, StoreOp
from snippets_mlir.dialects.llvm.pointers import GEPOp
from snippets_mlir.dialects.llvm.values import SelectOp, ZeroOp

POINTER = LLVMPointerType()
I1, I8, I16, I32, I64 = i1, i8, i16, i32, i64
Operand = SSAValue | int

_TYPES: dict[str, Attribute] = {"i8": I8, "i32": I32, "i64": I64, "pointer": POINTER}
_ALIGNMENTS: dict[Attribute, int] = {I8: 1, I16: 2, I32: 4}


@cache
def llvm_type(field: str | tuple[str, int] | Layout) -> Attribute:
    """The type of a field, or the struct of a layout."""
    if isinstance(field, Layout):
        return LLVMStructType.from_type_list([llvm_type(f) for f in field.fields.values()])
    if isinstance(field, tuple):
        return LLVMArrayType(field[1], _TYPES[field[0]])
    return _TYPES[field]


def alignment_of(type: Attribute) -> int:
    """The alignment of a number or a pointer in bytes."""
    return _ALIGNMENTS.get(type, BYTES["pointer"])


_number = cache(IntegerAttr[IntegerType])
"""A cached integer attribute: stubs use the same ones repeatedly."""


class Expressions:
    """Appends operations to a block, and gives their results."""

    def __init__(self, block: Block) -> None:
        """`block` is the block of the first operation."""
        self.block = block

    def add_op(self, op: Operation) -> SSAValue:
        """Append an op that has one result."""
        self.block.add_op(op)
        return op.results[0]

    # Values

    def integer(self, value: int, type: IntegerType = I64) -> SSAValue:
        """An integer constant of the given type."""
        return self.add_op(llvm.ConstantOp(_number(value, type), type))

    def null(self) -> SSAValue:
        """The null pointer: `NULL`."""
        return self.add_op(ZeroOp(POINTER))

    def address(self, name: str) -> SSAValue:
        """The address of a function or variable of the module."""
        return self.add_op(llvm.AddressOfOp(name, POINTER))

    def value(self, given: Operand, type: Attribute = I64) -> SSAValue:
        """An operand as a value; `type` is that of an `int`."""
        if isinstance(given, SSAValue):
            return given
        assert isinstance(type, IntegerType)
        return self.integer(given, type)  # pyright: ignore[reportUnknownArgumentType]

    def _pair(self, a: Operand, b: Operand) -> tuple[SSAValue, SSAValue]:
        type = next((v.type for v in (a, b) if isinstance(v, SSAValue)), I64)
        return self.value(a, type), self.value(b, type)

    def add(self, a: Operand, b: Operand) -> SSAValue:
        """`a + b`."""
        return self.add_op(llvm.AddOp(*self._pair(a, b)))

    def subtract(self, a: Operand, b: Operand) -> SSAValue:
        """`a - b`."""
        return self.add_op(llvm.SubOp(*self._pair(a, b)))

    def multiply(self, a: Operand, b: Operand) -> SSAValue:
        """`a * b`."""
        return self.add_op(llvm.MulOp(*self._pair(a, b)))

    def divide(self, a: Operand, b: Operand) -> SSAValue:
        """`a / b`, unsigned."""
        return self.add_op(llvm.UDivOp(*self._pair(a, b)))

    def remainder(self, a: Operand, b: Operand) -> SSAValue:
        """`a % b`, unsigned."""
        return self.add_op(llvm.URemOp(*self._pair(a, b)))

    def both(self, a: Operand, b: Operand) -> SSAValue:
        """`a & b`."""
        return self.add_op(llvm.AndOp(*self._pair(a, b)))

    def either(self, a: Operand, b: Operand) -> SSAValue:
        """`a | b`."""
        return self.add_op(llvm.OrOp(*self._pair(a, b)))

    def shift_right(self, a: Operand, b: Operand) -> SSAValue:
        """`a >> b`, unsigned."""
        return self.add_op(llvm.LShrOp(*self._pair(a, b)))

    def negated(self, condition: SSAValue) -> SSAValue:
        """`!condition`."""
        return self.add_op(llvm.XOrOp(condition, self.integer(1, I1)))

    def compare(self, predicate: str, a: Operand, b: Operand) -> SSAValue:
        """A comparison of integers by an LLVM predicate: `eq`, `ne`, `ult`, `sle`, ..."""
        number = _number(ICmpPredicateFlag(predicate).to_int(), i64)
        return self.add_op(llvm.ICmpOp(*self._pair(a, b), number))

    def same(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """`a == b` of two pointers, as an i1."""
        return self.compare("eq", self.as_integer(a), self.as_integer(b))

    def as_integer(self, pointer: SSAValue) -> SSAValue:
        """`(int64_t)pointer`: the address as an i64."""
        return self.add_op(llvm.PtrToIntOp(pointer, I64))

    def as_pointer(self, number: SSAValue) -> SSAValue:
        """`(void *)number`: the pointer to an address."""
        return self.add_op(llvm.IntToPtrOp(number))

    def narrow(self, value: SSAValue, type: IntegerType) -> SSAValue:
        """The low bits of an integer."""
        return self.add_op(llvm.TruncOp(value, type))

    def widen(self, value: SSAValue, type: IntegerType = I64, *, signed: bool = False) -> SSAValue:
        """An integer as a wider type, zero-extended, or sign-extended if `signed`."""
        return self.add_op((llvm.SExtOp if signed else llvm.ZExtOp)(value, type))

    def select(self, condition: SSAValue, a: Operand, b: Operand) -> SSAValue:
        """`condition ? a : b`; both values are computed."""
        return self.add_op(SelectOp(condition, *self._pair(a, b)))

    # Memory

    def field(self, struct: SSAValue, layout: Layout, name: str) -> SSAValue:
        """`&struct->name`."""
        return self.add_op(GEPOp(struct, [0, layout.index(name)], llvm_type(layout)))

    def get(
        self,
        struct: SSAValue,
        layout: Layout,
        name: str,
        *,
        volatile: bool = False,
        atomic: str = "",
    ) -> SSAValue:
        """`struct->name`; `atomic` is an ordering, `""` for none."""
        place, type = self.field(struct, layout, name), llvm_type(layout.fields[name])
        return self.load(place, type, volatile=volatile, atomic=atomic)

    def set(
        self, struct: SSAValue, layout: Layout, name: str, value: Operand, *, atomic: str = ""
    ) -> None:
        """`struct->name = value`."""
        type = llvm_type(layout.fields[name])
        self.store(self.value(value, type), self.field(struct, layout, name), atomic=atomic)

    def place(self, array: SSAValue, type: Attribute, index: Operand) -> SSAValue:
        """`&array[index]`, for an array of `type`."""
        return self.add_op(GEPOp(array, [index], type))

    def item(self, array: SSAValue, type: Attribute, index: Operand) -> SSAValue:
        """`array[index]`."""
        return self.load(self.place(array, type, index), type)

    def set_item(self, array: SSAValue, index: Operand, value: SSAValue) -> None:
        """`array[index] = value`."""
        self.store(value, self.place(array, value.type, index))

    def load(
        self, pointer: SSAValue, type: Attribute, *, volatile: bool = False, atomic: str = ""
    ) -> SSAValue:
        """`*pointer`."""
        align = alignment_of(type)
        return self.add_op(LoadOp(pointer, type, align, volatile=volatile, ordering=atomic))

    def store(self, value: SSAValue, pointer: SSAValue, *, atomic: str = "") -> None:
        """`*pointer = value`."""
        self.block.add_op(StoreOp(value, pointer, alignment_of(value.type), ordering=atomic))

    def local(self, type: Attribute) -> SSAValue:
        """Memory on the stack, as long as the function runs."""
        return self.add_op(llvm.AllocaOp(self.integer(1), type, alignment=BYTES["pointer"]))

    def locals(self, type: Attribute, count: int) -> SSAValue:
        """An array of `count` elements on the stack: `type name[count];`."""
        return self.local(LLVMArrayType(count, type))

    # Calls

    def call(self, name: str, *arguments: Operand) -> None:
        """A call of a `void` function of the module."""
        self._call(name, None, arguments)

    def call_for(self, type: Attribute, name: str, *arguments: Operand) -> SSAValue:
        """A call of a function of the module; gives its result."""
        return self._call(name, type, arguments).results[0]

    def call_at(self, function: SSAValue, *arguments: Operand) -> None:
        """A call of a `void` function by its address."""
        self._call("", None, (function, *arguments))

    def call_at_for(self, type: Attribute, function: SSAValue, *arguments: Operand) -> SSAValue:
        """A call of a function by its address; gives its result."""
        return self._call("", type, (function, *arguments)).results[0]

    def _call(self, name: str, type: Attribute | None, arguments: Sequence[Operand]) -> Operation:
        given = [self.value(argument) for argument in arguments]
        op = llvm.CallOp(name, *given, return_type=type)
        if not name:
            del op.properties["callee"]
        self.block.add_op(op)
        return op
