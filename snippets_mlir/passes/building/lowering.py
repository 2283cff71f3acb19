"""The op builder of lowerings to the `llvm` dialect, and the types that LLVM has.

Operands have LLVM types: `index` becomes `i64`. If an op that is not lowered yet still takes or
gives `index`, an `unrealized_conversion_cast` connects the two, as in MLIR, until both sides are
lowered.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cache

from xdsl.dialects.builtin import (
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    TensorType,
    UnrankedMemRefType,
    UnrealizedConversionCastOp,
    VectorType,
    i64,
)
from xdsl.dialects.llvm import ConstantOp, LLVMArrayType, LLVMPointerType, LLVMStructType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from snippets_mlir.dialects.builtin.sizes import i64_attr
from snippets_mlir.support.creating import created, forget, put_before
from snippets_mlir.support.walking import operands_of, ops_inside


def llvm_type(type: Attribute) -> Attribute | None:
    """The type in the `llvm` dialect, None if there is none.

    `index` is i64, vectors are 1-D, a memref is a struct.
    """
    if isinstance(type, IndexType):
        return i64
    if isinstance(type, VectorType):
        if type.get_num_dims() != 1 or type.get_num_scalable_dims():
            return None
        if isinstance(type.element_type, IndexType):  # pyright: ignore[reportUnknownMemberType]
            return VectorType(i64, type.shape)
        return type  # pyright: ignore[reportUnknownVariableType]
    if isinstance(type, MemRefType):
        return memref_descriptor(type.get_num_dims())
    if isinstance(type, TensorType | UnrankedMemRefType):
        return None
    return type


@cache
def memref_descriptor(rank: int) -> LLVMStructType:
    """The descriptor of a memref of `rank` dimensions; `descriptors.py` has its parts."""
    parts: list[Attribute] = [LLVMPointerType(), LLVMPointerType(), i64]
    if rank:
        array = LLVMArrayType(rank, i64)
        parts += [array, array]
    return LLVMStructType.from_type_list(parts)


class Lowering:
    """Makes ops before the op being lowered."""

    def __init__(
        self, given: Collection[Operation] = (), texts: Mapping[str, str] | None = None
    ) -> None:
        """Keep facts for the lowering.

        Args:
            given: casts from before the sweep, which are not its own.
            texts: the symbols of texts in constant memory.
        """
        self.given = given
        self.texts = texts or {}
        self._types: dict[int, tuple[Attribute, Attribute | None]] = {}
        self._at: Operation | None = None
        self._block: Block | None = None
        self._operands: tuple[SSAValue, ...] = ()
        self._lowered: list[Operation] = []
        self._values: dict[SSAValue, SSAValue] = {}
        self.casts: list[Operation] = []
        """Casts that may have lost their uses, uses after definitions."""

    def at(self, op: Operation) -> None:
        """Put the next ops before `op`, with its location."""
        self._at = op
        self._block = op.parent

    def start(self, op: Operation) -> bool:
        """Go to `op`; False if LLVM does not have all its types."""
        self.at(op)
        for result in op.results:
            if self.type(result.type) is None:
                return False
        operands: list[SSAValue] = []
        for old in operands_of(op):
            value = self._values.get(old, old)
            type = self.type(value.type)
            if type is None:
                return False
            operands.append(value if type is value.type else self._converted(value, type))
        self._operands = tuple(operands)
        return True

    def has_types(self, op: Operation) -> bool:
        """Whether LLVM has the types of all operands and results of `op`."""
        values = (*op.operands, *op.results)
        return all(self.type(value.type) is not None for value in values)

    def type(self, type: Attribute) -> Attribute | None:
        """`llvm_type`, remembered by identity of the attribute."""
        known = self._types.get(id(type))
        if known is None:
            known = self._types[id(type)] = (type, llvm_type(type))
        return known[1]

    def operand(self, value: SSAValue) -> SSAValue:
        """`value`, or its lowered form, in its LLVM type."""
        value = self._values.get(value, value)
        type = self.type(value.type)
        return value if type is value.type or type is None else self._converted(value, type)

    def operands(self, op: Operation) -> tuple[SSAValue, ...]:
        """All operands of the current op, in their LLVM types."""
        assert op is self._at
        return self._operands

    def _converted(self, value: SSAValue, type: Attribute) -> SSAValue:
        owner = value.owner
        if isinstance(owner, UnrealizedConversionCastOp) and owner.operands[0].type == type:
            return owner.operands[0]
        for use in value.uses:
            cast = use.operation
            if (
                isinstance(cast, UnrealizedConversionCastOp)
                and cast.parent is self._block
                and cast not in self.given
                and cast.results[0].type == type
            ):
                return cast.results[0]
        return self._cast(value, type)

    def _cast(self, value: SSAValue, type: Attribute) -> SSAValue:
        cast = self.insert(UnrealizedConversionCastOp, (value,), (type,))
        self.casts.append(cast)
        return cast.results[0]

    def insert(
        self,
        cls: type[Operation],
        operands: Sequence[SSAValue] = (),
        result_types: Sequence[Attribute] = (),
        properties: Mapping[str, Attribute] | None = None,
        successors: Sequence[Block] = (),
    ) -> Operation:
        """Make an op and put it in its place."""
        assert self._at is not None
        op = created(
            cls,
            operands,
            result_types,
            properties,
            successors=successors,
            location=self._at.location,
        )
        put_before(op, self._at)
        return op

    def make(
        self,
        cls: type[Operation],
        operands: Sequence[SSAValue],
        result_type: Attribute,
        properties: Mapping[str, Attribute] | None = None,
    ) -> SSAValue:
        """Make an op of one result; returns the result."""
        return self.insert(cls, operands, (result_type,), properties).results[0]

    def constant(self, value: Attribute, type: Attribute) -> SSAValue:
        """A constant of LLVM type `type`."""
        return self.make(ConstantOp, (), type, {"value": value})

    def integer(self, value: int, type: IntegerType = i64) -> SSAValue:
        """A constant of an integer type, i64 if none is named."""
        attr = i64_attr(value) if type is i64 else IntegerAttr(value, type)
        return self.constant(attr, type)

    def typed(self, value: SSAValue, type: Attribute) -> SSAValue:
        """`value`, cast to `type` if it has another one."""
        if value.type is type or value.type == type:
            return value
        return self._cast(value, type)

    def replace(self, op: Operation, values: Sequence[SSAValue]) -> None:
        """Remove `op`; `values` of its results' LLVM types replace these from now on.

        Ops that are lowered later use them; `finish` gives them to the other ops.
        """
        for result, value in zip(op.results, values, strict=True):
            self._values[result] = self.typed(value, result.type)
        assert self._block is not None
        self._block.detach_op(op)
        self._lowered.append(op)

    def finish(self) -> None:
        """Drop the replaced ops, and replace the remaining uses of their results."""
        for op in self._lowered:
            forget(op)
        for result, value in self._values.items():
            if result.first_use is not None:
                result.replace_all_uses_with(value)
            elif value.name_hint is None and (hint := result.name_hint) is not None:
                value.name_hint = hint
        self._lowered.clear()
        self._values.clear()

    def convert_arguments(self, block: Block) -> None:
        """Give the arguments of `block` their LLVM types."""
        for argument in tuple(block.args):
            type = self.type(argument.type)
            if type is None or type is argument.type:
                continue
            assert block.first_op is not None
            self.at(block.first_op)
            converted = block.insert_arg(type, argument.index)
            argument.replace_all_uses_with(self._cast(converted, argument.type))
            block.erase_arg(argument)


def drop_casts(casts: Sequence[Operation]) -> None:
    """Fold casts there and back, then erase those without uses."""
    for cast in casts:
        owner = cast.operands[0].owner
        if (
            isinstance(owner, UnrealizedConversionCastOp)
            and len(owner.operands) == len(cast.results) == 1
            and owner.operands[0].type == cast.results[0].type
        ):
            cast.results[0].replace_all_uses_with(owner.operands[0])
    for cast in reversed(casts):
        if all(result.first_use is None for result in cast.results):
            cast.detach()
            cast.erase()


def casts_in(root: Operation) -> list[Operation]:
    """The casts inside of `root`, in the order of the text."""
    return [op for op in ops_inside(root) if op.__class__ is UnrealizedConversionCastOp]
