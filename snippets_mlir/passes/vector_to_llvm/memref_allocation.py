"""The patterns of `finalize-memref-to-llvm` that allocate and free memory.

    %A = memref.alloc(%n) : memref<?x4xf32>     (malloc of 16 * n bytes, and a descriptor)
    memref.dealloc %A : memref<?x4xf32>         (free of the allocated pointer)

Memory with a larger alignment than `malloc`'s comes from `aligned_alloc`.
"""

from collections.abc import Mapping, Sequence
from math import prod

from xdsl.dialects import llvm
from xdsl.dialects import memref as upstream
from xdsl.dialects.builtin import DYNAMIC_INDEX, IntegerAttr, i64
from xdsl.ir import Attribute, Operation, SSAValue

from snippets_mlir.dialects.builtin.shaped import element_of, extents_of
from snippets_mlir.dialects.memref.layout import byte_size
from snippets_mlir.passes.building.conversion import converts
from snippets_mlir.passes.building.lowering import Lowering
from snippets_mlir.passes.vector_to_llvm.descriptors import (
    POINTER,
    add,
    make_descriptor,
    memory_type,
    multiply,
    natural_alignment,
    row_major,
)
from snippets_mlir.passes.vector_to_llvm.memref_interface import call_properties
from snippets_mlir.passes.vector_to_llvm.memref_views import descriptor

NOT_ALLOCATED = 0xDEADBEEF
"""MLIR's allocated pointer of a global, which must not be freed."""
MALLOC_ALIGNMENT = 16
"""Bytes that `malloc` aligns to."""


def _sizes(low: Lowering, type: Attribute, dynamic: Sequence[SSAValue]) -> list[SSAValue]:
    rest = iter(dynamic)
    return [
        low.operand(next(rest)) if size == DYNAMIC_INDEX else low.integer(size)
        for size in extents_of(type)
    ]


def _count(low: Lowering, type: Attribute, sizes: Sequence[SSAValue]) -> SSAValue:
    shape = extents_of(type)
    count: SSAValue = low.integer(prod(size for size in shape if size != DYNAMIC_INDEX))
    for size, value in zip(shape, sizes, strict=True):
        if size == DYNAMIC_INDEX:
            count = multiply(low, count, value)
    return count


def _element_bytes(element: Attribute) -> int | None:
    """Bytes from one element to the next; a vector fills up to a power of two."""
    scalar = byte_size(element_of(element))
    if scalar is None:
        return None
    total = scalar * prod(extents_of(element))
    return 1 << (total - 1).bit_length() if extents_of(element) else total


def element_has_size(op: upstream.AllocOp | upstream.AllocaOp) -> bool:
    """An element has a fixed number of bytes."""
    return _element_bytes(element_of(op.memref.type)) is not None


def no_symbols(op: upstream.AllocOp | upstream.AllocaOp) -> bool:
    """The layout has no symbols."""
    return not op.symbol_operands


def _alloc(op: Operation, low: Lowering) -> Sequence[SSAValue]:
    """`malloc`, or `aligned_alloc` of a multiple of an alignment that `malloc` does not have."""
    assert isinstance(op, upstream.AllocOp)
    type = op.memref.type
    size = _element_bytes(element_of(type))
    assert size is not None
    sizes = _sizes(low, type, op.dynamic_sizes)
    bytes = multiply(low, _count(low, type, sizes), low.integer(size))
    alignment = op.alignment.value.data if op.alignment is not None else 1
    if alignment > MALLOC_ALIGNMENT:
        bumped = add(low, bytes, low.integer(alignment - 1))
        rounded = low.make(llvm.AndOp, (bumped, low.integer(-alignment)), i64)
        arguments, name = (low.integer(alignment), rounded), "aligned_alloc"
    else:
        arguments, name = (bytes,), "malloc"
    properties = call_properties(name, len(arguments))
    pointer = low.insert(llvm.CallOp, arguments, (POINTER,), properties).results[0]
    strides = row_major(low, sizes, extents_of(type))
    return (make_descriptor(low, pointer, pointer, low.integer(0), sizes, strides),)


def _alloca(op: Operation, low: Lowering) -> Sequence[SSAValue]:
    """`llvm.alloca` with the larger of the given alignment and an element's."""
    assert isinstance(op, upstream.AllocaOp)
    type = op.memref.type
    element = element_of(type)
    sizes = _sizes(low, type, op.dynamic_sizes)
    given = op.alignment.value.data if op.alignment is not None else 1
    properties: dict[str, Attribute] = {
        "alignment": IntegerAttr(max(given, natural_alignment(element)), i64),
        "elem_type": memory_type(element),
    }
    pointer = low.make(llvm.AllocaOp, (_count(low, type, sizes),), POINTER, properties)
    strides = row_major(low, sizes, extents_of(type))
    return (make_descriptor(low, pointer, pointer, low.integer(0), sizes, strides),)


def _dealloc(op: Operation, low: Lowering) -> Sequence[SSAValue]:
    """A call of `free` with the allocated pointer."""
    pointer = descriptor(low, op.operands[0]).allocated()
    low.insert(llvm.CallOp, (pointer,), (), call_properties("free", 1))
    return ()


def _get_global(op: Operation, low: Lowering) -> Sequence[SSAValue]:
    """A descriptor of the global's memory."""
    assert isinstance(op, upstream.GetGlobalOp)
    type = op.memref.type
    pointer = low.make(llvm.AddressOfOp, (), POINTER, {"global_name": op.name_})
    sizes = _sizes(low, type, ())
    strides = row_major(low, sizes, extents_of(type))
    nobody = low.make(llvm.IntToPtrOp, (low.integer(NOT_ALLOCATED),), POINTER)
    return (make_descriptor(low, nobody, pointer, low.integer(0), sizes, strides),)


ALLOCATION = (
    converts(upstream.AllocOp, _alloc, element_has_size, no_symbols),
    converts(upstream.AllocaOp, _alloca, element_has_size, no_symbols),
    converts(upstream.DeallocOp, _dealloc),
    converts(upstream.GetGlobalOp, _get_global),
)

FUNCTIONS: Mapping[str, llvm.LLVMFunctionType] = {
    "aligned_alloc": llvm.LLVMFunctionType([i64, i64], POINTER),
    "free": llvm.LLVMFunctionType([POINTER]),
    "malloc": llvm.LLVMFunctionType([i64], POINTER),
}
