"""The rows of `convert-vector-to-llvm` for lanes that do not follow each other in memory.

    %v = vector.gather %A[%i] [%k], %m, %p : memref<?xf32>, vector<8xi32>, vector<8xi1>, ...

becomes

    %q = llvm.getelementptr inbounds %base[%k] : (!llvm.ptr, vector<8xi64>) -> ...
    %v = llvm.intr.masked.gather %q, %m, %p {alignment = 4 : i32} : ...

A transfer that comes here walks memory with a stride.
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
from snippets_mlir.passes.building.conversion import Lowering, Row
from snippets_mlir.passes.vector_to_llvm.descriptors import (
    POINTER,
    from_memory,
    gep,
    memory_type,
    to_memory,
)
from snippets_mlir.passes.vector_to_llvm.memref_views import descriptor
from snippets_mlir.passes.vector_to_llvm.vector_memory import (
    is_1d,
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


def _gather(op: Operation, low: Lowering) -> Sequence[SSAValue] | None:
    assert isinstance(op, vector_masked.GatherOp)
    type = op.result.type
    if not unit_stride(op.base, low) or not is_1d(type):
        return None
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


def _scatter(op: Operation, low: Lowering) -> Sequence[SSAValue] | None:
    assert isinstance(op, vector_masked.ScatterOp)
    type = op.value_to_store.type
    if not unit_stride(op.base, low) or not is_1d(type):
        return None
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


def _strided(
    op: transfer.TransferReadOp | transfer.TransferWriteOp, low: Lowering
) -> SSAValue | None:
    """The addresses of the lanes of a transfer that is in bounds; None when it stays."""
    if op.memory.type.name != MemRefType.name or not is_1d(op.vector_type) or not op.bounds[0]:
        return None
    dim = walked_dims(op.map)[0]
    if dim is None or isinstance(element_of(op.memory.type), VectorType):
        return None
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


def _mask_of(op: transfer.TransferReadOp | transfer.TransferWriteOp, low: Lowering) -> SSAValue:
    if op.mask is not None:
        return low.operand(op.mask)
    type = VectorType(i1, extents_of(op.vector_type))
    return low.constant(DenseIntOrFPElementsAttr.from_list(type, [1]), type)


def _transfer_read(op: Operation, low: Lowering) -> Sequence[SSAValue] | None:
    assert isinstance(op, transfer.TransferReadOp)
    pointers = _strided(op, low)
    if pointers is None:
        return None
    type = op.vector_type
    padding = _splat(low, low.operand(op.padding), low.type(type) or type)
    operands = (pointers, _mask_of(op, low), to_memory(low, padding, type))
    properties = masked_properties(op, element_of(op.memory.type))
    value = low.make(masked.MaskedGatherOp, operands, memory_type(type), properties)
    return (from_memory(low, value, type),)


def _transfer_write(op: Operation, low: Lowering) -> Sequence[SSAValue] | None:
    assert isinstance(op, transfer.TransferWriteOp)
    pointers = _strided(op, low)
    if pointers is None:
        return None
    value = to_memory(low, low.operand(op.vector), op.vector_type)
    operands = (value, pointers, _mask_of(op, low))
    low.insert(
        masked.MaskedScatterOp, operands, (), masked_properties(op, element_of(op.memory.type))
    )
    return ()


GATHERS: dict[type[Operation], Row] = {
    vector_masked.GatherOp: _gather,
    vector_masked.ScatterOp: _scatter,
    transfer.TransferReadOp: _transfer_read,
    transfer.TransferWriteOp: _transfer_write,
}
