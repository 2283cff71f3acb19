"""Type constraints and shapes that the `arith` ops share."""

from __future__ import annotations

from xdsl.dialects.arith import (
    FastMathFlagsAttr,
)
from xdsl.dialects.builtin import (
    AnyFloatConstr,
    IndexType,
    IntegerType,
    ShapedType,
    TensorType,
    VectorType,
    container_of,
)
from xdsl.ir import Attribute
from xdsl.irdl import (
    AnyOf,
)

INTEGER_LIKE = container_of(AnyOf.get(IntegerType, IndexType))
FLOAT_LIKE = container_of(AnyFloatConstr)
NO_FAST_MATH = FastMathFlagsAttr("none")


def with_element(type: Attribute, element: Attribute) -> Attribute:
    """`type` with another element type; a scalar becomes `element`."""
    if isinstance(type, VectorType):
        return VectorType(element, type.shape, type.scalable_dims)
    if isinstance(type, TensorType):
        return TensorType(element, type.shape, type.encoding)
    return element


def shape_of(type: Attribute) -> tuple[int, ...] | None:
    """Shape of a vector or tensor, None of a scalar."""
    if isinstance(type, ShapedType):
        return type.get_shape()
    return None
