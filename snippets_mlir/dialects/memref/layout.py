"""Strides and offsets of memref types, and the bytes of their elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    FixedBitwidthType,
    IndexType,
    MemRefType,
    NoneAttr,
    StridedLayoutAttr,
    UnrankedMemRefType,
)
from xdsl.ir import Attribute
from xdsl.ir.affine import AffineMap
from xdsl.irdl import base
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.builtin.shaped import element_of, extents_of, rank_of

Layout = tuple[tuple[int | None, ...], int | None]
"""Strides and offset in elements, None if known only at run time."""
ANY_MEMREF = base(MemRefType) | base(UnrankedMemRefType)
"""A memref with or without a rank."""


def layout_of(type: Attribute) -> Layout | None:
    """Strides and offset in elements of a memref, None for dynamic values.

    Returns None for a layout that is an affine map other than a strided one.
    """
    layout = cast(MemRefType, type).layout
    if isinstance(layout, StridedLayoutAttr):
        return tuple(_known(s) for s in layout.strides), _known(layout.offset)
    if isinstance(layout, NoneAttr) or cast(AffineMapAttr, layout).data == AffineMap.identity(
        rank_of(type)
    ):
        return _row_major(extents_of(type)), 0
    return None


def _row_major(shape: Sequence[int]) -> tuple[int | None, ...]:
    strides: list[int | None] = []
    stride: int | None = 1
    for size in reversed(shape):
        strides.insert(0, stride)
        stride = None if stride is None or size == DYNAMIC_INDEX else stride * size
    return tuple(strides)


def _known(entry: Attribute) -> int | None:
    value = getattr(entry, "data", None)
    return value if isinstance(value, int) else None


def strided_type(
    element: Attribute, shape: Sequence[int], layout: Layout, space: Attribute | None = None
) -> MemRefType:
    """A memref type; a row-major layout from offset 0 is omitted."""
    strides, offset = layout
    attribute: Attribute = (
        NoneAttr()
        if offset == 0 and strides == _row_major(shape)
        else StridedLayoutAttr(list(strides), offset)
    )
    return MemRefType(element, shape, attribute, space or NoneAttr())


def transposed_type(type: Attribute, order: Sequence[int]) -> Attribute:
    """The memref type with permuted sizes and strides; VerifyException without a strided layout."""
    shape, layout = extents_of(type), layout_of(type)
    space = cast(MemRefType, type).memory_space
    if layout is None:
        raise VerifyException(f"C2: expected a strided layout, found {type}")
    strides, offset = layout
    permuted = tuple(strides[d] for d in order), offset
    return strided_type(element_of(type), [shape[d] for d in order], permuted, space)


def byte_size(element: Attribute) -> int | None:
    """Bytes of an element in memory, None for a type without a fixed size."""
    if isinstance(element, IndexType):
        return 8
    if isinstance(element, FixedBitwidthType):
        return -(-element.bitwidth // 8)
    return None
