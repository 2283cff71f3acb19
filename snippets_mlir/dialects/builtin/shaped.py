"""Element type and shape of vectors, memrefs and tensors, without xDSL's type variables."""

from __future__ import annotations

from typing import cast

from xdsl.dialects.builtin import MemRefType, ShapedType, TensorType, VectorType
from xdsl.ir import Attribute


def element_of(type: Attribute) -> Attribute:
    """Element type of a vector, memref or tensor; a scalar itself."""
    if isinstance(type, VectorType | MemRefType | TensorType):
        return cast(Attribute, type.element_type)  # pyright: ignore[reportUnknownMemberType]
    return type


def shape_of(type: Attribute) -> tuple[int, ...]:
    """Shape of a vector, memref or tensor, `DYNAMIC_INDEX` where dynamic; empty for a scalar."""
    return type.get_shape() if isinstance(type, ShapedType) else ()


def rank_of(type: Attribute) -> int:
    """Number of dimensions."""
    return len(shape_of(type))
