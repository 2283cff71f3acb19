"""Element type and shape of vectors, memrefs and tensors, without xDSL's type variables.

`shape_of` and `tensor_type` are the two places that relate the sizes of a tensor to its type. In
the type a dimension with symbols is `?`, and `#lir.sizes` holds its formula (`sizes.py`).

* C1: a tensor whose size is requested has a rank.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import prod
from typing import TypeGuard, cast

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    FixedBitwidthType,
    MemRefType,
    ShapedType,
    TensorType,
    VectorType,
)
from xdsl.ir import Attribute, BlockArgument, Operation, OpResult, SSAValue
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.builtin.dims import Dim, Shape, Size
from snippets_mlir.dialects.builtin.size_facts import has_symbols
from snippets_mlir.dialects.builtin.sizes import SizesAttr

MOST_BYTES = 1 << 63
"""An upper bound on the bytes of an array."""

TYPES = 1024
"""The number of tensor types in the cache."""

_SHAPE = "shape_told"
"""The attribute in which an immutable type caches its shape."""


def element_of(type: Attribute) -> Attribute:
    """Element type of a vector, memref or tensor; a scalar itself."""
    if isinstance(type, VectorType | MemRefType | TensorType):
        return cast(Attribute, type.element_type)  # pyright: ignore[reportUnknownMemberType]
    return type


def bit_width(element: Attribute) -> int:
    """Bits of an integer or float type."""
    assert isinstance(element, FixedBitwidthType)
    return element.bitwidth


def byte_width(element: Attribute) -> int:
    """Bytes in memory of a number of an integer or float type; i1 takes one."""
    assert isinstance(element, FixedBitwidthType)
    return element.size


def element_bytes(value: SSAValue) -> int:
    """Bytes in memory of an element of a tensor."""
    return byte_width(tensor_of(value).element_type)


def tensor_type(element: Attribute, shape: Sequence[Dim]) -> TensorType[Attribute]:
    """The type of tensors of `shape`, in which `DYNAMIC_INDEX` is an unknown size."""
    return _tensor_type(element, tuple(shape))


@lru_cache(TYPES)
def _tensor_type(element: Attribute, shape: Shape) -> TensorType[Attribute]:
    """As `tensor_type`, cached: a module has few types, and xDSL takes 50 us to make one."""
    if not has_symbols(shape):
        return TensorType(element, cast("tuple[int, ...]", shape))
    sizes = [DYNAMIC_INDEX if isinstance(size, Size) else size for size in shape]
    told = tuple(size if isinstance(size, Size) else None for size in shape)
    dynamic = (size for size, n in zip(told, sizes, strict=True) if n == DYNAMIC_INDEX)
    return TensorType(element, sizes, SizesAttr(tuple(dynamic)))


def tensor_of(value: SSAValue | Operation) -> TensorType[Attribute]:
    """The tensor type of `value`; VerifyException (C1) when it has another type."""
    if type(value) is OpResult or type(value) is BlockArgument:
        type_ = value._type  # pyright: ignore[reportPrivateUsage]
    else:
        type_ = _type_of(value)
    if not isinstance(type_, TensorType):
        raise VerifyException(f"C1: expected a ranked tensor, found {type_}")
    return type_  # pyright: ignore[reportUnknownVariableType]


def _type_of(value: SSAValue | Operation) -> Attribute:
    """The type of a value that is neither a result nor an argument, the two classes of values.

    Those are asked for without layers.
    """
    return SSAValue.get(value).type


def is_tensor(type: Attribute) -> TypeGuard[TensorType[Attribute]]:
    """Whether a type is a ranked tensor."""
    return isinstance(type, TensorType)


def shape_of(of: Attribute | SSAValue | Operation) -> Shape:
    """The sizes of a tensor, given as a type or a value; `DYNAMIC_INDEX` for unknown sizes.

    Raises:
        VerifyException: a value is not a ranked tensor, or `#lir.sizes` does not have one size for
            each `?`.
    """
    if type(of) is OpResult or type(of) is BlockArgument:
        type_ = of._type  # pyright: ignore[reportPrivateUsage]
    else:
        type_ = of if isinstance(of, Attribute) else _type_of(of)
    if not isinstance(type_, TensorType):
        raise VerifyException(f"C1: expected a ranked tensor, found {type_}")
    known = vars(type_)
    shape: Shape | None = known.get(_SHAPE)
    if shape is None:
        shape = known[_SHAPE] = _told_shape(type_)  # pyright: ignore[reportUnknownArgumentType]
    return shape


def _told_shape(type_: TensorType[Attribute]) -> Shape:
    """The sizes of a type; for each `?`, the size from its encoding."""
    found = type_.get_shape()
    if not isinstance(sizes := type_.encoding, SizesAttr):
        return found
    if len(sizes.data) != found.count(DYNAMIC_INDEX):
        raise VerifyException(
            f"expected one size in #lir.sizes for each ? of the shape, found {type_}"
        )
    told = iter(sizes.data)
    return tuple(
        size if size != DYNAMIC_INDEX or (known := next(told)) is None else known for size in found
    )


def is_too_large(type: TensorType[Attribute]) -> bool:
    """Whether an array of `type`, which has no dynamic dims, would have 2^63 bytes or more."""
    elements = prod(type.get_shape())
    if elements < MOST_BYTES >> 4 or not type.has_static_shape():
        return False
    element = type.element_type
    return elements * (element.size if isinstance(element, FixedBitwidthType) else 1) >= MOST_BYTES


def extents_of(type: Attribute) -> tuple[int, ...]:
    """Shape of a vector or memref, `DYNAMIC_INDEX` where dynamic; empty for a scalar."""
    return type.get_shape() if isinstance(type, ShapedType) else ()


def rank_of(type: Attribute) -> int:
    """The number of dimensions; 0 for a type without a shape."""
    return type.get_num_dims() if isinstance(type, ShapedType) else 0
