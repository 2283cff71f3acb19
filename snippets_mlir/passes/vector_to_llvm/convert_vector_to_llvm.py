"""Lower `vector` ops on 1-D vectors to the `llvm` dialect.

    %v = vector.broadcast %x : f32 to vector<8xf32>

becomes

    %p = llvm.mlir.poison : vector<8xf32>
    %z = llvm.mlir.constant(0 : i64) : i64
    %i = llvm.insertelement %x, %p[%z : i64] : vector<8xf32>
    %v = llvm.shufflevector %i, %p [0, 0, 0, 0, 0, 0, 0, 0] : vector<8xf32>

`vector_memory.py` handles ops on memrefs, and `vector_printing.py` handles `vector.print`. Leaves
vectors of another rank, and tensors. Refuses a print in a program that has a function @printf or
@fflush of its own.

A float `add` or `mul` reduction keeps the order of the elements unless it has `fastmath<reassoc>`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from typing_extensions import override
from xdsl.dialects import llvm
from xdsl.dialects import vector as upstream
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    ModuleOp,
    VectorType,
    i1,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue

from snippets_mlir.dialects.llvm import casts, integer_intrinsics
from snippets_mlir.dialects.llvm.values import ExtractElementOp, PoisonOp
from snippets_mlir.dialects.vector import elements, ops, shapes
from snippets_mlir.passes.building.conversion import ConversionPass, converts
from snippets_mlir.passes.building.lowering import Lowering
from snippets_mlir.passes.vector_to_llvm.convert_arith_to_llvm import NO_FLAGS, same
from snippets_mlir.passes.vector_to_llvm.externals import texts_of
from snippets_mlir.passes.vector_to_llvm.vector_gathers import GATHERS
from snippets_mlir.passes.vector_to_llvm.vector_memory import MEMORY
from snippets_mlir.passes.vector_to_llvm.vector_printing import FORMATS, PRINT, prepare_prints
from snippets_mlir.passes.vector_to_llvm.vector_reductions import kind_of_the_type, reduction


def lanes_of(type: Attribute) -> int:
    """The number of elements of a 1-D vector type."""
    assert isinstance(type, VectorType)
    return type.get_shape()[0]


@lru_cache(maxsize=4096)
def _mask(lanes: tuple[int, ...]) -> Attribute:
    return DenseArrayBase.from_list(i32, lanes)


def shuffle(
    low: Lowering, lhs: SSAValue, rhs: SSAValue, lanes: Sequence[int], type: Attribute
) -> SSAValue:
    """Insert a `llvm.shufflevector` of two vectors; its result."""
    return low.make(llvm.ShuffleVectorOp, (lhs, rhs), type, {"mask": _mask(tuple(lanes))})


def splat(low: Lowering, value: SSAValue, type: Attribute) -> SSAValue:
    """`value` in every lane of a vector."""
    poison = low.make(PoisonOp, (), type)
    first = low.make(llvm.InsertElementOp, (poison, value, low.integer(0)), type)
    return shuffle(low, first, poison, (0,) * lanes_of(type), type)


def _type(op: Operation, low: Lowering) -> Attribute:
    type = low.type(op.results[0].type)
    assert type is not None
    return type


def _broadcast(op: Operation, low: Lowering) -> Sequence[SSAValue]:
    """The element in a vector of poison, and a shuffle that repeats it."""
    (value,) = low.operands(op)
    type = _type(op, low)
    if not isinstance(value.type, VectorType):
        return (splat(low, value, type),)
    if value.type == type:  # pyright: ignore[reportUnknownMemberType]
        return (value,)
    poison = low.make(PoisonOp, (), value.type)  # pyright: ignore[reportUnknownArgumentType, reportUnknownMemberType]
    return (shuffle(low, value, poison, (0,) * lanes_of(type), type),)


def one_index(op: upstream.ExtractOp | upstream.InsertOp) -> bool:
    """One index selects the element."""
    return len(op.static_position.get_values()) == 1


def _position(low: Lowering, op: upstream.ExtractOp | upstream.InsertOp) -> SSAValue:
    (position,) = op.static_position.get_values()
    if position == DYNAMIC_INDEX:
        return low.operand(op.dynamic_position[0])
    return low.integer(int(position))


def _extract(op: Operation, low: Lowering) -> Sequence[SSAValue]:
    """`llvm.extractelement` at a constant or computed place."""
    assert isinstance(op, upstream.ExtractOp)
    position = _position(low, op)
    return (low.make(ExtractElementOp, (low.operand(op.vector), position), _type(op, low)),)


def _insert(op: Operation, low: Lowering) -> Sequence[SSAValue]:
    """`llvm.insertelement` at a constant or computed place."""
    assert isinstance(op, upstream.InsertOp)
    position = _position(low, op)
    operands = (low.operand(op.dest), low.operand(op.source), position)
    return (low.make(llvm.InsertElementOp, operands, _type(op, low)),)


def of_one_length(op: upstream.ShuffleOp) -> bool:
    """Both vectors have one length; LLVM has no other."""
    return op.v1.type == op.v2.type


def _shuffle(op: Operation, low: Lowering) -> Sequence[SSAValue]:
    """`llvm.shufflevector` with the same mask."""
    assert isinstance(op, upstream.ShuffleOp)
    lhs, rhs = low.operands(op)
    return (shuffle(low, lhs, rhs, op.mask.get_values(), _type(op, low)),)


def _from_elements(op: Operation, low: Lowering) -> Sequence[SSAValue]:
    """One `llvm.insertelement` for each element, or a splat."""
    operands = low.operands(op)
    type = _type(op, low)
    if all(value is operands[0] for value in operands):
        return (splat(low, operands[0], type),)
    vector = low.make(PoisonOp, (), type)
    for i, value in enumerate(operands):
        vector = low.make(llvm.InsertElementOp, (vector, value, low.integer(i)), type)
    return (vector,)


def _to_elements(op: Operation, low: Lowering) -> Sequence[SSAValue]:
    """One `llvm.extractelement` for each element."""
    (vector,) = low.operands(op)
    type = _type(op, low)
    return tuple(
        low.make(ExtractElementOp, (vector, low.integer(i)), type) for i in range(len(op.results))
    )


@lru_cache(maxsize=4096)
def _numbers(lanes: int, bits: Attribute) -> tuple[Attribute, Attribute]:
    """The constant 0, 1, 2, ... and its type."""
    type = VectorType(bits, [lanes])
    return DenseIntOrFPElementsAttr.from_list(type, range(lanes)), type  # pyright: ignore[reportArgumentType, reportCallIssue, reportUnknownVariableType]


def _step(op: Operation, low: Lowering) -> Sequence[SSAValue]:
    """The constant 0, 1, 2 and so on."""
    return (low.constant(*_numbers(lanes_of(op.results[0].type), i64)),)


def _create_mask(op: Operation, low: Lowering) -> Sequence[SSAValue]:
    """`lane < n`, compared in 32 bits after `n` was clamped to the lanes."""
    (count,) = low.operands(op)
    lanes = lanes_of(op.results[0].type)
    count = low.make(integer_intrinsics.SMaxOp, (count, low.integer(0)), i64)
    count = low.make(integer_intrinsics.SMinOp, (count, low.integer(lanes)), i64)
    count = low.make(llvm.TruncOp, (count,), i32, {"overflowFlags": llvm.OverflowAttr(None)})
    numbers, type = _numbers(lanes, i32)
    operands = (low.constant(numbers, type), splat(low, count, type))
    less = {"predicate": IntegerAttr(2, i64)}
    return (low.make(llvm.ICmpOp, operands, _type(op, low), less),)


def _constant_mask(op: Operation, low: Lowering) -> Sequence[SSAValue]:
    """A constant that is true in the first lanes."""
    assert isinstance(op, ops.ConstantMaskOp)
    type = VectorType(i1, op.result.type.get_shape())  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownArgumentType]
    bits = [int(lane < op.sizes[0]) for lane in range(lanes_of(type))]
    return (low.constant(DenseIntOrFPElementsAttr.from_list(type, bits), type),)


@dataclass(frozen=True)
class ConvertVectorToLLVMPass(ConversionPass):
    """Lower vector ops on 1-D vectors to the llvm dialect."""

    name: ClassVar[str] = "convert-vector-to-llvm"
    MIXES_CLASSES: ClassVar[bool] = False
    PATTERNS = (
        *GATHERS,
        *MEMORY,
        converts(ops.BitcastOp, same(casts.BitcastOp)),
        converts(ops.ConstantMaskOp, _constant_mask),
        converts(ops.CreateMaskOp, _create_mask),
        converts(elements.FromElementsOp, _from_elements),
        converts(ops.ReductionOp, reduction, kind_of_the_type),
        converts(ops.StepOp, _step),
        converts(elements.ToElementsOp, _to_elements),
        converts(shapes.BroadcastOp, _broadcast),
        converts(shapes.ExtractOp, _extract, one_index),
        converts(upstream.FMAOp, same(llvm.FMAOp, lambda op: NO_FLAGS)),
        converts(shapes.InsertOp, _insert, one_index),
        converts(shapes.ShuffleOp, _shuffle, of_one_length),
        PRINT,
    )

    @override
    def prepare(self, module: ModuleOp) -> None:
        if PRINT in self.enabled():
            prepare_prints(module)

    def lowering(self, module: ModuleOp) -> Lowering:
        """A builder that knows the formats of prints."""
        return Lowering(texts=texts_of(module, FORMATS))
