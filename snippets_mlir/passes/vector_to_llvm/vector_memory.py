"""The patterns of `convert-vector-to-llvm` for contiguous 1-D vectors in memrefs.

    %v = vector.maskedload %A[%i], %m, %p : memref<?xf32>, vector<8xi1>, vector<8xf32> into ...

becomes

    %q = llvm.getelementptr inbounds %base[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %v = llvm.intr.masked.load %q, %m, %p {alignment = 4 : i32} : ...

Accesses are aligned to one element, or to their `alignment`. Vectors of i1 are bytes in memory.
Leaves `vector.load` and the like on memory with a last stride other than 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import cast

from xdsl.dialects import llvm
from xdsl.dialects.builtin import AnyFloat, DenseArrayBase, IntegerAttr, MemRefType, StringAttr, i32
from xdsl.ir import Attribute, Operation, SSAValue

from snippets_mlir.dialects.arith.casts import width_of
from snippets_mlir.dialects.builtin.shaped import element_of, extents_of, rank_of
from snippets_mlir.dialects.llvm import masked
from snippets_mlir.dialects.llvm import memory as llvm_memory
from snippets_mlir.dialects.memref.layout import layout_of
from snippets_mlir.dialects.vector import masked as vector_masked
from snippets_mlir.dialects.vector import memory
from snippets_mlir.passes.building.conversion import converts
from snippets_mlir.passes.building.lowering import Lowering
from snippets_mlir.passes.vector_to_llvm.descriptors import (
    from_memory,
    memory_type,
    natural_alignment,
    to_memory,
)
from snippets_mlir.passes.vector_to_llvm.finalize_memref_to_llvm import access_of
from snippets_mlir.passes.vector_to_llvm.memref_views import descriptor


def unit_stride(op: Operation) -> bool:
    """Neighbours in the last dimension of the memref, of scalars, are neighbours in memory."""
    type = cast(memory.LoadOp, op).base.type
    if type.name != MemRefType.name or rank_of(element_of(type)) == 1:
        return False
    layout = layout_of(type)
    return layout is not None and layout[0][-1:] == (1,)


def pointer_of(low: Lowering, memref: SSAValue, indices: Sequence[SSAValue]) -> SSAValue:
    """The address of the element of a memref at these indices."""
    return descriptor(low, memref).pointer([low.operand(index) for index in indices])


@cache
def _masked_properties(alignment: int) -> Mapping[str, Attribute]:
    return {"alignment": IntegerAttr(alignment, i32)}


def masked_properties(op: Operation, element: Attribute) -> Mapping[str, Attribute]:
    """The properties of the masked `llvm` access that `op` becomes: its alignment."""
    given = op.properties.get("alignment")
    least = natural_alignment(element)
    known = max(given.value.data, least) if isinstance(given, IntegerAttr) else least
    return _masked_properties(known)


def _load(op: Operation, low: Lowering) -> Sequence[SSAValue]:
    """`llvm.load` of the whole vector."""
    assert isinstance(op, memory.LoadOp)
    type = op.result.type
    pointer = pointer_of(low, op.base, op.indices)
    properties = access_of(op, element_of(op.base.type))
    value = low.make(llvm_memory.LoadOp, (pointer,), memory_type(type), properties)
    return (from_memory(low, value, type),)


def _store(op: Operation, low: Lowering) -> Sequence[SSAValue]:
    """`llvm.store` of the whole vector."""
    assert isinstance(op, memory.StoreOp)
    type = op.vector.type
    pointer = pointer_of(low, op.base, op.indices)
    value = to_memory(low, low.operand(op.vector), type)
    low.insert(llvm_memory.StoreOp, (value, pointer), (), access_of(op, element_of(op.base.type)))
    return ()


def _read(
    op: vector_masked.MaskedLoadOp | vector_masked.ExpandLoadOp,
    low: Lowering,
    cls: type[Operation],
    properties: Mapping[str, Attribute],
) -> Sequence[SSAValue]:
    """A read of `cls` from consecutive elements under a mask."""
    type_ = op.result.type
    operands = (
        pointer_of(low, op.base, op.indices),
        low.operand(op.mask),
        to_memory(low, low.operand(op.pass_thru), type_),
    )
    value = low.make(cls, operands, memory_type(type_), properties)
    return (from_memory(low, value, type_),)


def _write(
    op: vector_masked.MaskedStoreOp | vector_masked.CompressStoreOp,
    low: Lowering,
    cls: type[Operation],
    properties: Mapping[str, Attribute],
) -> Sequence[SSAValue]:
    """A write of `cls` to consecutive elements under a mask."""
    type_ = op.value_to_store.type
    value = to_memory(low, low.operand(op.value_to_store), type_)
    operands = (value, pointer_of(low, op.base, op.indices), low.operand(op.mask))
    low.insert(cls, operands, (), properties)
    return ()


def _masked_load(op: Operation, low: Lowering) -> Sequence[SSAValue]:
    """`llvm.intr.masked.load` from the address of the first element."""
    assert isinstance(op, vector_masked.MaskedLoadOp)
    return _read(op, low, masked.MaskedLoadOp, masked_properties(op, element_of(op.base.type)))


def _masked_store(op: Operation, low: Lowering) -> Sequence[SSAValue]:
    """`llvm.intr.masked.store` to the address of the first element."""
    assert isinstance(op, vector_masked.MaskedStoreOp)
    return _write(op, low, masked.MaskedStoreOp, masked_properties(op, element_of(op.base.type)))


def _suffix(type: Attribute) -> str:
    element = memory_type(element_of(type))
    kind = element.name if isinstance(element, AnyFloat) else f"i{width_of(element)}"
    return f"v{extents_of(type)[0]}{kind}"


@lru_cache(maxsize=4096)
def _intrinsic(name: str) -> Mapping[str, Attribute]:
    """The properties of a call of an intrinsic with three arguments."""
    return {
        "fastmathFlags": llvm.FastMathAttr(None),
        "intrin": StringAttr(name),
        "op_bundle_sizes": DenseArrayBase.from_list(i32, ()),
        "operandSegmentSizes": DenseArrayBase.from_list(i32, (3, 0)),
    }


def _expand_load(op: Operation, low: Lowering) -> Sequence[SSAValue]:
    """The intrinsic `llvm.masked.expandload`."""
    assert isinstance(op, vector_masked.ExpandLoadOp)
    name = f"llvm.masked.expandload.{_suffix(op.result.type)}"
    return _read(op, low, llvm.CallIntrinsicOp, _intrinsic(name))


def _compress_store(op: Operation, low: Lowering) -> Sequence[SSAValue]:
    """The intrinsic `llvm.masked.compressstore`."""
    assert isinstance(op, vector_masked.CompressStoreOp)
    name = f"llvm.masked.compressstore.{_suffix(op.value_to_store.type)}"
    return _write(op, low, llvm.CallIntrinsicOp, _intrinsic(name))


MEMORY = (
    converts(vector_masked.CompressStoreOp, _compress_store, unit_stride),
    converts(vector_masked.ExpandLoadOp, _expand_load, unit_stride),
    converts(memory.LoadOp, _load, unit_stride),
    converts(vector_masked.MaskedLoadOp, _masked_load, unit_stride),
    converts(vector_masked.MaskedStoreOp, _masked_store, unit_stride),
    converts(memory.StoreOp, _store, unit_stride),
)
