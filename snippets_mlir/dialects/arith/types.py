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

from snippets_mlir.dialects.builtin.shaped import extents_of

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


def have_one_shape(a: Attribute, b: Attribute) -> bool:
    """Whether two types are scalars, or vectors or tensors of one shape."""
    return isinstance(a, ShapedType) == isinstance(b, ShapedType) and extents_of(a) == extents_of(b)
