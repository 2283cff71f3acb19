"""The elementwise ops of StableHLO.

    %1 = stablehlo.add %a, %b : tensor<4xf32>
    %2 = stablehlo.compare LT, %a, %b, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %3 = stablehlo.select %2, %a, %b : tensor<4xi1>, tensor<4xf32>

All operands have the same shape; the condition of a select and the bounds of a clamp may also have
rank 0. The record of the `snippets` op that lists the op's name (`names["stablehlo"]`) defines its
value. An op that no record lists is parsed, printed and left opaque.
"""

from __future__ import annotations

from abc import ABC
from typing import Any, ClassVar, Self, cast

from typing_extensions import override
from xdsl.dialects.builtin import FunctionType, TensorType
from xdsl.ir import Operation
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.snippets.shapes import compatible, format_shape
from snippets_mlir.dialects.snippets.typed_op import parse_typed_operands, print_typed_operands
from snippets_mlir.dialects.stablehlo.attributes import ComparisonTypeAttr, DirectionAttr

_UNARY = (
    "abs cbrt ceil convert cosine count_leading_zeros exponential exponential_minus_one floor imag "
    "is_finite log log_plus_one logistic negate not popcnt real round_nearest_afz "
    "round_nearest_even rsqrt sign sine sqrt tan tanh"
)
_BINARY = (
    "add and atan2 complex divide maximum minimum multiply or power remainder shift_left "
    "shift_right_arithmetic shift_right_logical subtract xor"
)


class ElementwiseOp(IRDLOperation, ABC):
    """An elementwise op with `ARITY` operands."""

    ARITY: ClassVar[int]
    inputs = var_operand_def(TensorType)
    result = result_def(TensorType)
    traits = traits_def(Pure())

    @override
    def verify_(self) -> None:
        if len(self.inputs) != self.ARITY:
            raise VerifyException(
                f"{self.name} expects {self.ARITY} operands, found {len(self.inputs)}"
            )
        verify_one_shape(self)


def verify_one_shape(op: IRDLOperation) -> None:
    """VerifyException unless all operands that are not of rank 0 have the result's shape."""
    expected = shape_of(op.results[0])
    for value in op.operands:
        shape = shape_of(value)
        if not (compatible(shape, expected) or (not shape and isinstance(op, SelectOp | ClampOp))):
            raise VerifyException(
                f"{op.name} expects operands of the result's shape {format_shape(expected)}, "
                f"found {format_shape(shape)}"
            )


class StableElementwiseOp(ElementwiseOp, ABC):
    """An op of StableHLO: printed with one type if all are equal, else a function type."""

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Parse `%a, %b {attributes} : type`."""
        operands, attributes, results = parse_typed_operands(parser)
        return cls.create(operands=operands, result_types=results, attributes=attributes)

    @override
    def print(self, printer: Printer) -> None:
        print_typed_operands(printer, self.operands, self.attributes, self.results)


@irdl_op_definition
class BitcastConvertOp(StableElementwiseOp):
    """The bits of each element read as another type.

    If the widths differ, the narrower type has one more dim at the end, with the parts of an
    element of the wider type.
    """

    name = "stablehlo.bitcast_convert"
    ARITY: ClassVar = 1

    @override
    def verify_(self) -> None:
        source, target = (tensor_of(v) for v in (self.inputs[0], self.result))
        widths = [getattr(t.element_type, "bitwidth", 0) for t in (source, target)]
        narrow, wide = (target, source) if widths[0] > widths[1] else (source, target)
        ratio = [] if widths[0] == widths[1] else [max(widths) // max(1, min(widths))]
        if not compatible(shape_of(narrow), (*shape_of(wide), *ratio)):
            raise VerifyException(
                f"{self.name} expects a result of the operand's bits, found {source} and {target}"
            )


def defined_op(
    base: type[ElementwiseOp], dialect: str, word: str, arity: int
) -> type[ElementwiseOp]:
    """The class of the op `dialect.word`, as the specification of StableHLO describes it."""
    title = "".join(part.capitalize() for part in word.split("_"))
    members: dict[str, Any] = {
        "__doc__": f"`{dialect}.{word}`.",
        "__module__": __name__,
        "__annotations__": {"ARITY": ClassVar[int]},
        "name": f"{dialect}.{word}",
        "ARITY": arity,
    }
    return irdl_op_definition(cast("type[ElementwiseOp]", type(f"{title}Op", (base,), members)))


@irdl_op_definition
class CompareOp(IRDLOperation):
    """Whether the comparison holds for the elements; with NaN only NE does."""

    name = "stablehlo.compare"
    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    direction = prop_def(DirectionAttr, prop_name="comparison_direction")
    compared_as = opt_prop_def(ComparisonTypeAttr, prop_name="compare_type")
    result = result_def(TensorType)
    traits = traits_def(Pure())
    assembly_format = (
        "$comparison_direction `,` $lhs `,` $rhs (`,` $compare_type^)? attr-dict `:` "
        "functional-type(operands, results)"
    )

    @override
    def verify_(self) -> None:
        verify_one_shape(self)

    @property
    def total_order(self) -> bool:
        """Whether NaN and the signs of zero are also ordered."""
        return self.compared_as is not None and self.compared_as.data == "TOTALORDER"


@irdl_op_definition
class SelectOp(IRDLOperation):
    """`on_true` where `pred`, else `on_false`."""

    name = "stablehlo.select"
    pred = operand_def(TensorType)
    on_true = operand_def(TensorType)
    on_false = operand_def(TensorType)
    result = result_def(TensorType)
    traits = traits_def(Pure())

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Parse `%p, %a, %b {attributes} : type-of-pred, type`, or a function type."""
        place = parser.pos
        unresolved = parser.parse_comma_separated_list(
            parser.Delimiter.NONE, parser.parse_unresolved_operand
        )
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        first = parser.parse_type()
        if isinstance(first, FunctionType):
            types, results = list(first.inputs.data), list(first.outputs.data)
        else:
            parser.parse_punctuation(",")
            branch = parser.parse_type()
            types, results = [first, branch, branch], [branch]
        operands = parser.resolve_operands(unresolved, types, place)
        return cls.create(operands=operands, result_types=results, attributes=attributes)

    @override
    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_operand)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        type_ = self.result.type
        if self.on_true.type == self.on_false.type == type_:
            printer.print_attribute(self.pred.type)
            printer.print_string(", ")
            printer.print_attribute(type_)
        else:
            printer.print_function_type(self.operand_types, self.result_types)

    @override
    def verify_(self) -> None:
        verify_one_shape(self)


@irdl_op_definition
class ClampOp(StableElementwiseOp):
    """`minimum(maximum(x, min), max)` for the operands min, x, max."""

    name = "stablehlo.clamp"
    ARITY: ClassVar = 3


OPS: list[type[Operation]] = [
    BitcastConvertOp,
    CompareOp,
    SelectOp,
    ClampOp,
    *(defined_op(StableElementwiseOp, "stablehlo", word, 1) for word in _UNARY.split()),
    *(defined_op(StableElementwiseOp, "stablehlo", word, 2) for word in _BINARY.split()),
]
