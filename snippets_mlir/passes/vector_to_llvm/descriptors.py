"""Memrefs in the `llvm` dialect: the descriptor, and how ops read and build it.

    memref<?x4xf32>   ->   !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>

As in MLIR: the allocated pointer, the pointer of element 0 before the offset, the offset in
elements, the sizes, the strides in elements. Static facts come from the memref's type, not from the
descriptor. In memory an i1 is a byte and an index has 64 bits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import prod

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    VectorType,
    i8,
    i32,
    i64,
)
from xdsl.dialects.llvm import GEP_USE_SSA_VAL, LLVMPointerType
from xdsl.ir import Attribute, SSAValue

from snippets_mlir.dialects.builtin.integers import integers_of
from snippets_mlir.dialects.builtin.shaped import element_of, extents_of
from snippets_mlir.dialects.llvm.pointers import GEPOp
from snippets_mlir.dialects.llvm.values import PoisonOp
from snippets_mlir.dialects.memref.layout import byte_size, layout_of
from snippets_mlir.passes.building.lowering import Lowering, memref_descriptor

POINTER = LLVMPointerType()
NO_WRAP: Mapping[str, Attribute] = {"overflowFlags": IntegerAttr(1, i32)}
"""nsw: offsets of elements that exist do not wrap."""
_PLAIN: Mapping[str, Attribute] = {"overflowFlags": llvm.OverflowAttr(None)}


@lru_cache(maxsize=4096)
def _position(path: tuple[int, ...]) -> Mapping[str, Attribute]:
    return {"position": DenseArrayBase.from_list(i64, path)}


def memory_type(element: Attribute) -> Attribute:
    """The LLVM type of an element in memory: i1 is a byte, index is i64, vectors of them too."""
    if element.name == VectorType.name:
        return VectorType(memory_type(element_of(element)), extents_of(element))
    if isinstance(element, IndexType):
        return i64
    facts = integers_of(element)
    return i8 if facts is not None and facts.width == 1 else element


def natural_alignment(element: Attribute) -> int:
    """The guaranteed alignment in bytes of memory of `element`: that of one element."""
    size = byte_size(element_of(element)) or 1
    return size & -size


def access_type(element: Attribute) -> Attribute:
    """The type of an element in registers: `memory_type` except for i1."""
    if isinstance(element, IndexType):
        return i64
    if element.name == VectorType.name and isinstance(element_of(element), IndexType):
        return VectorType(i64, extents_of(element))
    return element


class Descriptor:
    """A memref value in its LLVM form, with the facts of its type."""

    def __init__(self, low: Lowering, value: SSAValue, type: Attribute) -> None:
        self._low = low
        self.value = value
        self.type = type
        self.shape = extents_of(type)
        layout = layout_of(type)
        rank = len(self.shape)
        self._strides, self._offset = layout if layout is not None else ((None,) * rank, None)

    def _part(self, *path: int) -> SSAValue:
        type = POINTER if path[0] < 2 else i64
        return self._low.make(llvm.ExtractValueOp, (self.value,), type, _position(path))

    def allocated(self) -> SSAValue:
        """The pointer that `free` takes."""
        return self._part(0)

    def aligned(self) -> SSAValue:
        """The pointer that the offset counts from."""
        return self._part(1)

    def offset(self) -> SSAValue:
        """The elements from the aligned pointer to the first element, i64."""
        return self._part(2) if self._offset is None else self._low.integer(self._offset)

    def size(self, dim: int) -> SSAValue:
        """The size of dim `dim`, i64."""
        size = self.shape[dim]
        return self._part(3, dim) if size == DYNAMIC_INDEX else self._low.integer(size)

    def stride(self, dim: int) -> SSAValue:
        """The stride of a dimension in elements."""
        stride = self._strides[dim]
        return self._part(4, dim) if stride is None else self._low.integer(stride)

    def sizes(self) -> list[SSAValue]:
        """The size of each dim, i64."""
        return [self.size(d) for d in range(len(self.shape))]

    def strides(self) -> list[SSAValue]:
        """The stride of each dim in elements, i64."""
        return [self.stride(d) for d in range(len(self.shape))]

    def element_offset(self, indices: Sequence[SSAValue]) -> SSAValue | None:
        """The offset of an element from the aligned pointer, None for 0."""
        total = None if self._offset == 0 else self.offset()
        for dim, index in enumerate(indices):
            scaled = index
            if self._strides[dim] != 1:
                scaled = multiply(self._low, index, self.stride(dim))
            total = scaled if total is None else add(self._low, total, scaled)
        return total

    def pointer(self, indices: Sequence[SSAValue]) -> SSAValue:
        """The address of the element at these indices."""
        offset = self.element_offset(indices)
        element = memory_type(element_of(self.type))
        base = self.aligned()
        return base if offset is None else gep(self._low, base, offset, element)


def add(low: Lowering, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    """Insert an `llvm.add` of two i64 values that cannot wrap; its result."""
    return low.make(llvm.AddOp, (lhs, rhs), i64, NO_WRAP)


def multiply(low: Lowering, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    """Insert an `llvm.mul` of two i64 values that cannot wrap; its result."""
    return low.make(llvm.MulOp, (lhs, rhs), i64, NO_WRAP)


@lru_cache(maxsize=4096)
def _gep_properties(element: Attribute) -> Mapping[str, Attribute]:
    return {
        "elem_type": element,
        "noWrapFlags": IntegerAttr(3, i32),
        "rawConstantIndices": DenseArrayBase.from_list(i32, [GEP_USE_SSA_VAL]),
    }


def gep(
    low: Lowering, base: SSAValue, index: SSAValue, element: Attribute, type: Attribute = POINTER
) -> SSAValue:
    """`base + index` elements, inside the object of `base`."""
    return low.make(GEPOp, (base, index), type, _gep_properties(element))


def make_descriptor(
    low: Lowering,
    allocated: SSAValue,
    aligned: SSAValue,
    offset: SSAValue,
    sizes: Sequence[SSAValue],
    strides: Sequence[SSAValue],
) -> SSAValue:
    """The struct of a memref: pointers, offset, sizes and strides."""
    type = memref_descriptor(len(sizes))
    value = low.make(PoisonOp, (), type)
    parts: list[tuple[tuple[int, ...], SSAValue]] = [((0,), allocated), ((1,), aligned)]
    parts.append(((2,), offset))
    parts += [((3, d), size) for d, size in enumerate(sizes)]
    parts += [((4, d), stride) for d, stride in enumerate(strides)]
    for path, part in parts:
        value = low.make(llvm.InsertValueOp, (value, part), type, _position(path))
    return value


def row_major(low: Lowering, sizes: Sequence[SSAValue], shape: Sequence[int]) -> list[SSAValue]:
    """The strides of a dense memref."""
    strides: list[SSAValue] = []
    for dim in range(len(sizes)):
        inner = shape[dim + 1 :]
        if DYNAMIC_INDEX not in inner:
            strides.append(low.integer(prod(inner)))
            continue
        stride = sizes[-1]
        for size in sizes[dim + 1 : -1]:
            stride = multiply(low, stride, size)
        strides.append(stride)
    return strides


def from_memory(low: Lowering, value: SSAValue, element: Attribute) -> SSAValue:
    """A loaded value in the form for ops: a byte becomes an i1."""
    if memory_type(element) == access_type(element):
        return value
    return low.make(llvm.TruncOp, (value,), access_type(element), _PLAIN)


def to_memory(low: Lowering, value: SSAValue, element: Attribute) -> SSAValue:
    """A stored value in its memory form: an i1 becomes a byte."""
    if memory_type(element) == access_type(element):
        return value
    return low.make(llvm.ZExtOp, (value,), memory_type(element))
