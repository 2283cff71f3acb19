"""The rows of `convert-vector-to-llvm` for 1-D vectors in memrefs.

    %v = vector.maskedload %A[%i], %m, %p : memref<?xf32>, vector<8xi1>, vector<8xf32> into ...

becomes

    %q = llvm.getelementptr inbounds %base[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %v = llvm.intr.masked.load %q, %m, %p {alignment = 4 : i32} : ...

Accesses are aligned to one element, or to their `alignment`. A transfer that is left here walks
memory with a stride: it gathers or scatters. Vectors of i1 are bytes in memory. Left as they are:
`vector.load` and the like on memory whose last stride is not 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    MemRefType,
    StringAttr,
    VectorType,
    i1,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue

from snippets_mlir.dialects.arith.casts import width_of
from snippets_mlir.dialects.llvm import masked
from snippets_mlir.dialects.llvm import memory as llvm_memory
from snippets_mlir.dialects.llvm.values import PoisonOp
from snippets_mlir.dialects.shaped import element_of, rank_of, shape_of
from snippets_mlir.dialects.vector import masked as vector_masked
from snippets_mlir.dialects.vector import memory, transfer
from snippets_mlir.dialects.vector.transfer_maps import walked_dims
from snippets_mlir.passes.lowering.conversion import Lowering, Row
from snippets_mlir.passes.lowering.descriptors import (
    POINTER,
    from_memory,
    gep,
    memory_type,
    natural_alignment,
    to_memory,
)
from snippets_mlir.passes.lowering.finalize_memref_to_llvm import access_of
from snippets_mlir.passes.lowering.memref_views import descriptor


def _unit_stride(memref: SSAValue, low: Lowering) -> bool:
    rank = rank_of(memref.type)
    if memref.type.name != MemRefType.name or _is_1d(element_of(memref.type)):
        return False
    return rank > 0 and descriptor(low, memref).static_stride(rank - 1) == 1


def _pointer(low: Lowering, memref: SSAValue, indices: Sequence[SSAValue]) -> SSAValue:
    return descriptor(low, memref).pointer([low.operand(index) for index in indices])


@cache
def _masked_properties(alignment: int) -> Mapping[str, Attribute]:
    return {"alignment": IntegerAttr(alignment, i32)}


def _masked(op: Operation, element: Attribute) -> Mapping[str, Attribute]:
    given = op.properties.get("alignment")
    least = natural_alignment(element)
    known = max(given.value.data, least) if isinstance(given, IntegerAttr) else least
    return _masked_properties(known)


def _is_1d(type: Attribute) -> bool:
    return rank_of(type) == 1


def _load(op: Operation, low: Lowering) -> Sequence[SSAValue] | None:
    assert isinstance(op, memory.LoadOp)
    type = op.result.type
    if not _unit_stride(op.base, low) or not _is_1d(type):
        return None
    pointer = _pointer(low, op.base, op.indices)
    properties = access_of(op, element_of(op.base.type))
    value = low.make(llvm_memory.LoadOp, (pointer,), memory_type(type), properties)
    return (from_memory(low, value, type),)


def _store(op: Operation, low: Lowering) -> Sequence[SSAValue] | None:
    assert isinstance(op, memory.StoreOp)
    type = op.vector.type
    if not _unit_stride(op.base, low) or not _is_1d(type):
        return None
    pointer = _pointer(low, op.base, op.indices)
    value = to_memory(low, low.operand(op.vector), type)
    low.insert(llvm_memory.StoreOp, (value, pointer), (), access_of(op, element_of(op.base.type)))
    return ()


def _masked_load(op: Operation, low: Lowering) -> Sequence[SSAValue] | None:
    assert isinstance(op, vector_masked.MaskedLoadOp)
    type = op.result.type
    if not _unit_stride(op.base, low) or not _is_1d(type):
        return None
    operands = (
        _pointer(low, op.base, op.indices),
        low.operand(op.mask),
        to_memory(low, low.operand(op.pass_thru), type),
    )
    properties = _masked(op, element_of(op.base.type))
    value = low.make(masked.MaskedLoadOp, operands, memory_type(type), properties)
    return (from_memory(low, value, type),)


def _masked_store(op: Operation, low: Lowering) -> Sequence[SSAValue] | None:
    assert isinstance(op, vector_masked.MaskedStoreOp)
    type = op.value_to_store.type
    if not _unit_stride(op.base, low) or not _is_1d(type):
        return None
    value = to_memory(low, low.operand(op.value_to_store), type)
    operands = (value, _pointer(low, op.base, op.indices), low.operand(op.mask))
    low.insert(masked.MaskedStoreOp, operands, (), _masked(op, element_of(op.base.type)))
    return ()


def _wide(low: Lowering, numbers: SSAValue) -> SSAValue:
    """A vector of indices with 64 bits, sign-extended."""
    lanes = shape_of(numbers.type)
    if width_of(element_of(numbers.type)) == 64:
        return numbers
    return low.make(llvm.SExtOp, (numbers,), VectorType(i64, lanes))


def _pointers(low: Lowering, base: SSAValue, numbers: SSAValue, element: Attribute) -> SSAValue:
    type = VectorType(POINTER, shape_of(numbers.type))
    return gep(low, base, numbers, memory_type(element), type)


def _gather(op: Operation, low: Lowering) -> Sequence[SSAValue] | None:
    assert isinstance(op, vector_masked.GatherOp)
    type = op.result.type
    if not _unit_stride(op.base, low) or not _is_1d(type):
        return None
    base = _pointer(low, op.base, op.indices)
    numbers = _wide(low, low.operand(op.index_vec))
    operands = (
        _pointers(low, base, numbers, element_of(type)),
        low.operand(op.mask),
        to_memory(low, low.operand(op.pass_thru), type),
    )
    properties = _masked(op, element_of(op.base.type))
    value = low.make(masked.MaskedGatherOp, operands, memory_type(type), properties)
    return (from_memory(low, value, type),)


def _scatter(op: Operation, low: Lowering) -> Sequence[SSAValue] | None:
    assert isinstance(op, vector_masked.ScatterOp)
    type = op.value_to_store.type
    if not _unit_stride(op.base, low) or not _is_1d(type):
        return None
    base = _pointer(low, op.base, op.indices)
    numbers = _wide(low, low.operand(op.index_vec))
    pointers = _pointers(low, base, numbers, element_of(type))
    operands = (
        to_memory(low, low.operand(op.value_to_store), type),
        pointers,
        low.operand(op.mask),
    )
    low.insert(masked.MaskedScatterOp, operands, (), _masked(op, element_of(op.base.type)))
    return ()


def _suffix(type: Attribute) -> str:
    element = memory_type(element_of(type))
    kind = element.name if isinstance(element, AnyFloat) else f"i{width_of(element)}"
    return f"v{shape_of(type)[0]}{kind}"


@cache
def _intrinsic(name: str, arguments: int) -> Mapping[str, Attribute]:
    return {
        "fastmathFlags": llvm.FastMathAttr(None),
        "intrin": StringAttr(name),
        "op_bundle_sizes": DenseArrayBase.from_list(i32, ()),
        "operandSegmentSizes": DenseArrayBase.from_list(i32, (arguments, 0)),
    }


def _expand_load(op: Operation, low: Lowering) -> Sequence[SSAValue] | None:
    assert isinstance(op, vector_masked.ExpandLoadOp)
    type = op.result.type
    if not _unit_stride(op.base, low) or not _is_1d(type):
        return None
    operands = (
        _pointer(low, op.base, op.indices),
        low.operand(op.mask),
        to_memory(low, low.operand(op.pass_thru), type),
    )
    properties = _intrinsic(f"llvm.masked.expandload.{_suffix(type)}", 3)
    value = low.make(llvm.CallIntrinsicOp, operands, memory_type(type), properties)
    return (from_memory(low, value, type),)


def _compress_store(op: Operation, low: Lowering) -> Sequence[SSAValue] | None:
    assert isinstance(op, vector_masked.CompressStoreOp)
    type = op.value_to_store.type
    if not _unit_stride(op.base, low) or not _is_1d(type):
        return None
    value = to_memory(low, low.operand(op.value_to_store), type)
    operands = (value, _pointer(low, op.base, op.indices), low.operand(op.mask))
    properties = _intrinsic(f"llvm.masked.compressstore.{_suffix(type)}", 3)
    low.insert(llvm.CallIntrinsicOp, operands, (), properties)
    return ()


def _strided(
    op: transfer.TransferReadOp | transfer.TransferWriteOp, low: Lowering
) -> SSAValue | None:
    """The addresses of the lanes of a transfer that is in bounds; None when it stays."""
    if op.memory.type.name != MemRefType.name or not _is_1d(op.vector_type) or not op.bounds[0]:
        return None
    dim = walked_dims(op.map)[0]
    if dim is None or isinstance(element_of(op.memory.type), VectorType):
        return None
    memref = descriptor(low, op.memory)
    base = memref.pointer([low.operand(index) for index in op.indices])
    count = shape_of(op.vector_type)[0]
    numbers = VectorType(i64, [count])
    lanes = low.constant(
        DenseIntOrFPElementsAttr.from_list(numbers, range(count)),
        numbers,
    )
    stride = _splat(low, memref.stride(dim), numbers)
    return _pointers(low, base, multiply_vectors(low, lanes, stride), element_of(op.memory.type))


def multiply_vectors(low: Lowering, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    """A product of vectors of indices."""
    flags = {"overflowFlags": IntegerAttr(1, i32)}
    return low.make(llvm.MulOp, (lhs, rhs), lhs.type, flags)


def _splat(low: Lowering, value: SSAValue, type: Attribute) -> SSAValue:
    poison = low.make(PoisonOp, (), type)
    first = low.make(llvm.InsertElementOp, (poison, value, low.integer(0)), type)
    mask = DenseArrayBase.from_list(i32, [0] * shape_of(type)[0])
    return low.make(llvm.ShuffleVectorOp, (first, poison), type, {"mask": mask})


def _mask_of(op: transfer.TransferReadOp | transfer.TransferWriteOp, low: Lowering) -> SSAValue:
    if op.mask is not None:
        return low.operand(op.mask)
    type = VectorType(i1, shape_of(op.vector_type))
    return low.constant(DenseIntOrFPElementsAttr.from_list(type, [1]), type)


def _transfer_read(op: Operation, low: Lowering) -> Sequence[SSAValue] | None:
    assert isinstance(op, transfer.TransferReadOp)
    pointers = _strided(op, low)
    if pointers is None:
        return None
    type = op.vector_type
    padding = _splat(low, low.operand(op.padding), low.type(type) or type)
    operands = (pointers, _mask_of(op, low), to_memory(low, padding, type))
    properties = _masked(op, element_of(op.memory.type))
    value = low.make(masked.MaskedGatherOp, operands, memory_type(type), properties)
    return (from_memory(low, value, type),)


def _transfer_write(op: Operation, low: Lowering) -> Sequence[SSAValue] | None:
    assert isinstance(op, transfer.TransferWriteOp)
    pointers = _strided(op, low)
    if pointers is None:
        return None
    value = to_memory(low, low.operand(op.vector), op.vector_type)
    operands = (value, pointers, _mask_of(op, low))
    low.insert(masked.MaskedScatterOp, operands, (), _masked(op, element_of(op.memory.type)))
    return ()


MEMORY: dict[type[Operation], Row] = {
    vector_masked.CompressStoreOp: _compress_store,
    vector_masked.ExpandLoadOp: _expand_load,
    vector_masked.GatherOp: _gather,
    memory.LoadOp: _load,
    vector_masked.MaskedLoadOp: _masked_load,
    vector_masked.MaskedStoreOp: _masked_store,
    vector_masked.ScatterOp: _scatter,
    memory.StoreOp: _store,
    transfer.TransferReadOp: _transfer_read,
    transfer.TransferWriteOp: _transfer_write,
}
