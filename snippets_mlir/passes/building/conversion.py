"""The sweep that every lowering to the `llvm` dialect is made of.

A lowering is a table from op class to a function; one walk over the kernel functions of the module
replaces each op that has a row. Rows see operands whose types LLVM has: `index` becomes `i64`, and
where an op that is not lowered yet still wants or gives `index`, an `unrealized_conversion_cast`
stands between, as in MLIR, until both sides are lowered.

Host functions (with a tensor in the signature or a `lir.call` in the body) are left alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache

from xdsl.dialects.builtin import (
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    ModuleOp,
    StringAttr,
    TensorType,
    UnrankedMemRefType,
    UnrealizedConversionCastOp,
    VectorType,
    i32,
    i64,
)
from xdsl.dialects.func import FuncOp
from xdsl.dialects.llvm import (
    ConstantOp,
    FastMathAttr,
    LLVMArrayType,
    LLVMPointerType,
    LLVMStructType,
)
from xdsl.dialects.llvm import FuncOp as LLVMFuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from snippets_mlir.support.walking import ops_inside

GRAIN = "snippets.grain"
"""On a call of one range of a parallel loop: iterations below which threads do not share it."""
PREFETCH: Mapping[str, Attribute] = {
    "fastmathFlags": FastMathAttr(None),
    "intrin": StringAttr("llvm.prefetch.p0"),
    "op_bundle_sizes": DenseArrayBase.from_list(i32, ()),
    "operandSegmentSizes": DenseArrayBase.from_list(i32, (4, 0)),
}
"""The properties of a call of `llvm.prefetch`, which takes an address and three numbers: whether to
write, how long to keep the line (3 for in all caches), and whether it holds data."""


def kernel_functions(module: ModuleOp) -> Iterator[FuncOp | LLVMFuncOp]:
    """The functions that become machine code."""
    for op in module.ops:
        if isinstance(op, LLVMFuncOp) or (isinstance(op, FuncOp) and not is_host_function(op)):
            yield op


def is_host_function(func: FuncOp) -> bool:
    """Whether `func` belongs to the host program, which no lowering touches; it has no pointers."""
    signature = func.function_type
    types = (*signature.inputs, *signature.outputs)
    if any(isinstance(t, TensorType) for t in types):
        return True
    if any(isinstance(t, LLVMPointerType) for t in types):
        return False
    return any(op.name == "lir.call" for op in ops_inside(func))


def llvm_type(type: Attribute) -> Attribute | None:
    """The type in the `llvm` dialect, None when there is none.

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
    """What stands for a memref of `rank` dimensions; `descriptors.py` says what its parts are."""
    parts: list[Attribute] = [LLVMPointerType(), LLVMPointerType(), i64]
    if rank:
        array = LLVMArrayType(rank, i64)
        parts += [array, array]
    return LLVMStructType.from_type_list(parts)


class Lowering:
    """Makes ops in front of the op being lowered; rows of a table get one."""

    def __init__(self) -> None:
        self._types: dict[int, tuple[Attribute, Attribute | None]] = {}
        self._at: Operation | None = None
        self._block: Block | None = None
        self._operands: tuple[SSAValue, ...] = ()
        self._casts: dict[SSAValue, SSAValue] = {}
        self._lowered: list[Operation] = []
        self._values: dict[SSAValue, SSAValue] = {}
        self.casts: list[Operation] = []
        """Casts that may have lost their uses, uses after definitions."""

    def at(self, op: Operation) -> None:
        """Put what is made next in front of `op`, with its location."""
        self._at = op
        if op.parent is not self._block:
            self._block = op.parent
            self._casts = {}

    def start(self, op: Operation) -> bool:
        """Turn to `op`; False when LLVM does not have all its types."""
        self.at(op)
        for result in op.results:
            if self.type(result.type) is None:
                return False
        operands: list[SSAValue] = []
        for old in op.operands:
            value = self._values.get(old, old)
            type = self.type(value.type)
            if type is None:
                return False
            operands.append(value if type is value.type else self._converted(value, type))
        self._operands = tuple(operands)
        return True

    def type(self, type: Attribute) -> Attribute | None:
        """`llvm_type`, remembered by identity of the attribute."""
        known = self._types.get(id(type))
        if known is None:
            known = self._types[id(type)] = (type, llvm_type(type))
        return known[1]

    def operand(self, value: SSAValue) -> SSAValue:
        """`value`, or what it was lowered to, in its LLVM type."""
        value = self._values.get(value, value)
        type = self.type(value.type)
        return value if type is value.type or type is None else self._converted(value, type)

    def operands(self, op: Operation) -> tuple[SSAValue, ...]:
        """All operands of the op that the sweep is at, in their LLVM types."""
        assert op is self._at
        return self._operands

    def _converted(self, value: SSAValue, type: Attribute) -> SSAValue:
        owner = value.owner
        if isinstance(owner, UnrealizedConversionCastOp) and owner.operands[0].type == type:
            return owner.operands[0]
        if value not in self._casts:
            self._casts[value] = self._cast(value, type)
        return self._casts[value]

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
        assert self._block is not None
        op = cls.create(
            operands=operands,
            result_types=result_types,
            properties=properties or {},
            successors=successors,
            location=self._at.location,
        )
        self._block.insert_op_before(op, self._at)
        return op

    def make(
        self,
        cls: type[Operation],
        operands: Sequence[SSAValue],
        result_type: Attribute,
        properties: Mapping[str, Attribute] | None = None,
    ) -> SSAValue:
        """Make an op of one result and give the result."""
        return self.insert(cls, operands, (result_type,), properties).results[0]

    def constant(self, value: Attribute, type: Attribute) -> SSAValue:
        """A constant of LLVM type `type`."""
        return self.make(ConstantOp, (), type, {"value": value})

    def integer(self, value: int, type: IntegerType = i64) -> SSAValue:
        """An integer constant."""
        return self.constant(IntegerAttr(value, type), type)

    def replace(self, op: Operation, values: Sequence[SSAValue]) -> None:
        """Take `op` out; `values` of the LLVM types of its results stand for these from now on.

        Rows that come later find them; `finish` brings them to the ops that are not lowered.
        """
        for result, value in zip(op.results, values, strict=True):
            value = self._values.get(value, value)
            if value.type is not result.type and value.type != result.type:
                value = self._cast(value, result.type)
            self._values[result] = value
        assert self._block is not None
        self._block.detach_op(op)
        self._lowered.append(op)

    def finish(self) -> None:
        """Forget the ops that were replaced, and replace what uses of their results are left."""
        for op in self._lowered:
            op.drop_all_references()
        for result, value in self._values.items():
            result.replace_all_uses_with(value)
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


Row = Callable[[Operation, Lowering], Sequence[SSAValue] | None]
"""Lower one op: make others and return what replaces its results; None leaves it as it is."""


def lower(module: ModuleOp, table: Mapping[type[Operation], Row]) -> None:
    """One sweep of `table` over the kernel functions of `module`; casts that lost their uses go."""
    lowering = Lowering()
    for func in kernel_functions(module):
        for op in tuple(ops_inside(func)):
            row = table.get(op.__class__)
            if row is None:
                if isinstance(op, UnrealizedConversionCastOp):
                    lowering.casts.append(op)
            elif lowering.start(op) and (values := row(op, lowering)) is not None:
                lowering.replace(op, values)
    lowering.finish()
    _drop_casts(lowering.casts)


def _drop_casts(casts: Sequence[Operation]) -> None:
    """Join casts there and back, then erase those without uses."""
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
