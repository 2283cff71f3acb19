"""The patterns of `convert-vector-to-llvm` for lanes that are not contiguous in memory.

    %v = vector.gather %A[%i] [%k], %m, %p : memref<?xf32>, vector<8xi32>, vector<8xi1>, ...

becomes

    %q = llvm.getelementptr inbounds %base[%k] : (!llvm.ptr, vector<8xi64>) -> ...
    %v = llvm.intr.masked.gather %q, %m, %p {alignment = 4 : i32} : ...

A transfer handled here walks memory with a stride.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    MemRefType,
    VectorType,
    i1,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue

from snippets_mlir.dialects.arith.casts import width_of
from snippets_mlir.dialects.builtin.shaped import element_of, extents_of
from snippets_mlir.dialects.llvm import masked
from snippets_mlir.dialects.llvm.values import PoisonOp
from snippets_mlir.dialects.vector import masked as vector_masked
from snippets_mlir.dialects.vector import transfer
from snippets_mlir.dialects.vector.transfer_maps import walked_dims
from snippets_mlir.passes.building.conversion import converts
from snippets_mlir.passes.building.lowering import Lowering
from snippets_mlir.passes.vector_to_llvm.descriptors import (
    POINTER,
    from_memory,
    gep,
    memory_type,
    to_memory,
)
from snippets_mlir.passes.vector_to_llvm.memref_views import descriptor
from snippets_mlir.passes.vector_to_llvm.vector_memory import (
    masked_properties,
    pointer_of,
    unit_stride,
)


def _wide(low: Lowering, numbers: SSAValue) -> SSAValue:
    """A vector of indices with 64 bits, sign-extended."""
    lanes = extents_of(numbers.type)
    if width_of(element_of(numbers.type)) == 64:
        return numbers
    return low.make(llvm.SExtOp, (numbers,), VectorType(i64, lanes))


def _pointers(low: Lowering, base: SSAValue, numbers: SSAValue, element: Attribute) -> SSAValue:
    type = VectorType(POINTER, extents_of(numbers.type))
    return gep(low, base, numbers, memory_type(element), type)


def _gather(op: Operation, low: Lowering) -> Sequence[SSAValue]:
    """`llvm.intr.masked.gather` from the addresses of the lanes."""
    assert isinstance(op, vector_masked.GatherOp)
    type = op.result.type
    base = pointer_of(low, op.base, op.indices)
    numbers = _wide(low, low.operand(op.index_vec))
    operands = (
        _pointers(low, base, numbers, element_of(type)),
        low.operand(op.mask),
        to_memory(low, low.operand(op.pass_thru), type),
    )
    properties = masked_properties(op, element_of(op.base.type))
    value = low.make(masked.MaskedGatherOp, operands, memory_type(type), properties)
    return (from_memory(low, value, type),)


def _scatter(op: Operation, low: Lowering) -> Sequence[SSAValue]:
    """`llvm.intr.masked.scatter` to the addresses of the lanes."""
    assert isinstance(op, vector_masked.ScatterOp)
    type = op.value_to_store.type
    base = pointer_of(low, op.base, op.indices)
    numbers = _wide(low, low.operand(op.index_vec))
    pointers = _pointers(low, base, numbers, element_of(type))
    operands = (
        to_memory(low, low.operand(op.value_to_store), type),
        pointers,
        low.operand(op.mask),
    )
    low.insert(
        masked.MaskedScatterOp, operands, (), masked_properties(op, element_of(op.base.type))
    )
    return ()


Transfer = transfer.TransferReadOp | transfer.TransferWriteOp


def memref_of_scalars(op: Transfer) -> bool:
    """It moves single elements of a memref."""
    type = op.memory.type
    return type.name == MemRefType.name and not isinstance(element_of(type), VectorType)


def in_bounds(op: Transfer) -> bool:
    """All lanes are inside of the memref."""
    return all(op.bounds)


def walks_a_dimension(op: Transfer) -> bool:
    """The lanes go along a dimension of the memref."""
    return None not in walked_dims(op.map)


STRIDED = (memref_of_scalars, in_bounds, walks_a_dimension)


def _strided(op: Transfer, low: Lowering) -> SSAValue:
    (dim,) = walked_dims(op.map)
    assert dim is not None
    memref = descriptor(low, op.memory)
    base = memref.pointer([low.operand(index) for index in op.indices])
    count = extents_of(op.vector_type)[0]
    numbers = VectorType(i64, [count])
    lanes = low.constant(
        DenseIntOrFPElementsAttr.from_list(numbers, range(count)),
        numbers,
    )
    stride = _splat(low, memref.stride(dim), numbers)
    return _pointers(low, base, _multiply(low, lanes, stride), element_of(op.memory.type))


def _multiply(low: Lowering, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    """A product of vectors of indices."""
    flags = {"overflowFlags": IntegerAttr(1, i32)}
    return low.make(llvm.MulOp, (lhs, rhs), lhs.type, flags)


def _splat(low: Lowering, value: SSAValue, type: Attribute) -> SSAValue:
    poison = low.make(PoisonOp, (), type)
    first = low.make(llvm.InsertElementOp, (poison, value, low.integer(0)), type)
    mask = DenseArrayBase.from_list(i32, [0] * extents_of(type)[0])
    return low.make(llvm.ShuffleVectorOp, (first, poison), type, {"mask": mask})


def _mask_of(op: Transfer, low: Lowering) -> SSAValue:
    if op.mask is not None:
        return low.operand(op.mask)
    type = VectorType(i1, extents_of(op.vector_type))
    return low.constant(DenseIntOrFPElementsAttr.from_list(type, [1]), type)


def _transfer_read(op: Operation, low: Lowering) -> Sequence[SSAValue]:
    """A gather of lanes a stride apart."""
    assert isinstance(op, transfer.TransferReadOp)
    pointers = _strided(op, low)
    type = op.vector_type
    padding = _splat(low, low.operand(op.padding), low.type(type) or type)
    operands = (pointers, _mask_of(op, low), to_memory(low, padding, type))
    properties = masked_properties(op, element_of(op.memory.type))
    value = low.make(masked.MaskedGatherOp, operands, memory_type(type), properties)
    return (from_memory(low, value, type),)


def _transfer_write(op: Operation, low: Lowering) -> Sequence[SSAValue]:
    """A scatter of lanes a stride apart."""
    assert isinstance(op, transfer.TransferWriteOp)
    pointers = _strided(op, low)
    value = to_memory(low, low.operand(op.vector), op.vector_type)
    operands = (value, pointers, _mask_of(op, low))
    low.insert(
        masked.MaskedScatterOp, operands, (), masked_properties(op, element_of(op.memory.type))
    )
    return ()


GATHERS = (
    converts(vector_masked.GatherOp, _gather, unit_stride),
    converts(vector_masked.ScatterOp, _scatter, unit_stride),
    converts(transfer.TransferReadOp, _transfer_read, *STRIDED),
    converts(transfer.TransferWriteOp, _transfer_write, *STRIDED),
)
