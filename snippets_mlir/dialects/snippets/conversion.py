"""Ops of the `snippets` dialect that change the element type or the shape."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import TensorType, UnitAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, result_def
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.builtin.dims import Dim, Shape, format_size, product
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of, tensor_type
from snippets_mlir.dialects.snippets.base import BOOL, FLOAT, INTEGER, ComputeOp, kind_of
from snippets_mlir.dialects.snippets.layout import LayoutOp
from snippets_mlir.dialects.snippets.pattern_kinds import PatternKind
from snippets_mlir.dialects.snippets.record import Code, OpRecord, value_in
from snippets_mlir.dialects.snippets.shapes import (
    DYNAMIC,
    broadcast_shapes,
    compatible,
    format_shape,
    with_elements_of,
)


class _ConvertOp(ComputeOp, ABC):
    ELEMENT_KINDS: ClassVar = (FLOAT, INTEGER, BOOL)
    operand = operand_def(TensorType)
    result = result_def(TensorType)

    def __init__(self, operand: SSAValue | Operation, element_type: Attribute) -> None:
        shape = shape_of(operand)
        super().__init__(operands=[operand], result_types=[tensor_type(element_type, shape)])

    def result_element_type(self) -> Attribute:
        return tensor_of(self.result).element_type

    def verify_attributes(self) -> None:
        if kind_of(self.result_element_type()) is None:
            raise VerifyException(
                f"C6: {self.name} expects a result of a float or integer type, "
                f"found {self.result_element_type()}"
            )


@irdl_op_definition
class ConvertTruncationOp(_ConvertOp):
    """Conversion as in C and NumPy.

    Float to integer truncates toward zero; NaN and values out of range give the smallest integer of
    the type (0 for unsigned), as on x86. Integer to integer keeps the low bits. To i1: x != 0 (NaN
    is true). From i1: 0 or 1. To float: rounded to nearest even, overflow gives inf.

    With the unit attribute `in_range` (made only by math expansions) the result is unspecified, but
    not undefined behaviour, if the value does not fit.
    """

    name = "snippets.convert_truncation"
    in_range = opt_prop_def(UnitAttr)


@irdl_op_definition
class ConvertSaturationOp(_ConvertOp):
    """Conversion that clamps to the range of the result type.

    Float to integer rounds halves to even, then clamps; NaN gives 0. Integer to integer clamps.
    To i1: x != 0 (NaN is true). To float: rounded to nearest even, overflow gives inf.
    """

    name = "snippets.convert_saturation"


class BroadcastLikeOp(ComputeOp, ABC):
    """An op whose operand is repeated to the result's shape by NumPy's rules."""

    ELEMENT_KINDS: ClassVar = (FLOAT, INTEGER, BOOL)
    operand = operand_def(TensorType)
    result = result_def(TensorType)

    def __init__(self, operand: SSAValue | Operation, shape: Sequence[Dim]) -> None:
        element = tensor_of(operand).element_type
        super().__init__(operands=[operand], result_types=[tensor_type(element, shape)])

    def verify_(self) -> None:
        """Check C3, C5 and C6: the operand's shape broadcasts to the result's."""
        source, target = tensor_of(self.operand), tensor_of(self.result)
        if kind_of(source.element_type) is None:
            raise VerifyException(
                f"C3: {self.name} expects float, integer or bool elements, "
                f"found {source.element_type}"
            )
        shape = broadcast_shapes(shape_of(source), shape_of(target))
        if shape is None or not compatible(shape, shape_of(target)):
            raise VerifyException(
                f"C5: {self.name} expects a result that {format_shape(shape_of(source))} "
                f"broadcasts to, found {format_shape(shape_of(target))}"
            )
        if source.element_type != target.element_type:
            raise VerifyException(
                f"C6: {self.name} expects a result of {source.element_type}, "
                f"found {target.element_type}"
            )


@irdl_op_definition
class BroadcastOp(BroadcastLikeOp):
    """The operand repeated to the result's shape by NumPy's rules (`numpy.broadcast_to`)."""

    name = "snippets.broadcast"


@irdl_op_definition
class ReshapeOp(LayoutOp):
    """The same elements in row-major order under another shape: a view."""

    name = "snippets.reshape"

    def __init__(self, operand: SSAValue | Operation, shape: Sequence[Dim]) -> None:
        element = tensor_of(operand).element_type
        super().__init__(operands=[operand], result_types=[tensor_type(element, shape)])

    def infer_shape(self, shapes: Sequence[Shape]) -> Shape:
        """The result's shape, with its only dynamic dim from the number of elements if that is
        known.
        """
        return with_elements_of(shapes[0], shape_of(self.result))

    def verify_(self) -> None:
        """Check C5 and C6: as many elements, of the same type."""
        source, target = tensor_of(self.operand), tensor_of(self.result)
        dims = (*shape_of(source), *shape_of(target))
        elements, found = product(shape_of(source)), product(shape_of(target))
        if DYNAMIC not in dims and elements != found:
            raise VerifyException(
                f"C5: {self.name} expects a result of {format_size(elements)} "
                f"elements, "
                f"found {format_shape(shape_of(target))}"
            )
        if source.element_type != target.element_type:
            raise VerifyException(
                f"C6: {self.name} expects a result of {source.element_type}, "
                f"found {target.element_type}"
            )


RECORDS = (
    OpRecord(
        BroadcastOp,
        value=value_in("conversion:broadcast"),
        relay=PatternKind.BROADCAST,
        patterns=("chains:SkipInnerView",),
        moves=True,
    ),
    OpRecord(
        ConvertSaturationOp,
        value=value_in("conversion:convert_saturation"),
        code=Code(source="convert:saturate", vectors=3),
        patterns=("chains:SkipMiddleConversion",),
        gives_back=lambda op: True,
        moves=True,
    ),
    OpRecord(
        ConvertTruncationOp,
        value=value_in("conversion:convert_truncation"),
        code=Code(source="convert:truncate", vectors=2),
        patterns=("chains:SkipMiddleConversion",),
        gives_back=lambda op: True,
        moves=True,
    ),
    OpRecord(
        ReshapeOp,
        value=value_in("conversion:reshape"),
        relay=PatternKind.INJECTIVE,
        relax=PatternKind.INJECTIVE,
        patterns=(
            "chains:SkipInnerView",
            "layouts:TransposeOfMergedDims",
            "slices:ReshapeOfSlice",
        ),
        moves=True,
    ),
)
