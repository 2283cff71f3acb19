"""Types of the `onnx` dialect, and the numbers of ONNX's element types.

Tensors are builtin tensors (`tensor<?x4xf32>`, `tensor<*xf32>` of unknown rank). For types that a
tensor type cannot express, `!onnx.type<"seq(tensor(float))">` holds any other ONNX type in ONNX's
own syntax, and `!onnx.type<"unknown">` is the type of a value that shape inference knows nothing
about. `!onnx.string` is the element type of `tensor<2x!onnx.string>`. A result of type `none` is an
omitted optional output.
"""

from __future__ import annotations

from collections.abc import Sequence

from typing_extensions import override
from xdsl.dialects.builtin import (
    BFloat16Type,
    ComplexType,
    Float4E2M1FNType,
    Float6E2M3FNType,
    Float6E3M2FNType,
    Float8E4M3FNType,
    Float8E4M3FNUZType,
    Float8E5M2FNUZType,
    Float8E5M2Type,
    Float8E8M0FNUType,
    Float16Type,
    Float32Type,
    Float64Type,
    IntegerType,
    Signedness,
    StringAttr,
)
from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.parser import AttrParser
from xdsl.printer import Printer


@irdl_attr_definition
class ValueType(ParametrizedAttribute, TypeAttribute):
    """Any ONNX type that is not a tensor: `!onnx.type<"optional(seq(tensor(int64)))">`."""

    name = "onnx.type"
    text: StringAttr = param_def()

    def __init__(self, text: str | StringAttr) -> None:
        super().__init__(StringAttr(text) if isinstance(text, str) else text)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        """Parse `<"text">`."""
        with parser.in_angle_brackets():
            return [StringAttr(parser.parse_str_literal())]

    @override
    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string_literal(self.text.data)


@irdl_attr_definition
class StringType(ParametrizedAttribute, TypeAttribute):
    """The element type of a tensor of strings."""

    name = "onnx.string"


UNKNOWN = ValueType("unknown")


def _unsigned(width: int) -> IntegerType:
    return IntegerType(width, Signedness.UNSIGNED)


# onnx.TensorProto.DataType -> element type. Integers are signless, as in MLIR, and signed.
ELEMENT_TYPES: dict[int, Attribute] = {
    1: Float32Type(),
    2: _unsigned(8),
    3: IntegerType(8),
    4: _unsigned(16),
    5: IntegerType(16),
    6: IntegerType(32),
    7: IntegerType(64),
    8: StringType(),
    9: IntegerType(1),
    10: Float16Type(),
    11: Float64Type(),
    12: _unsigned(32),
    13: _unsigned(64),
    14: ComplexType(Float32Type()),
    15: ComplexType(Float64Type()),
    16: BFloat16Type(),
    17: Float8E4M3FNType(),
    18: Float8E4M3FNUZType(),
    19: Float8E5M2Type(),
    20: Float8E5M2FNUZType(),
    21: _unsigned(4),
    22: IntegerType(4),
    23: Float4E2M1FNType(),
    24: Float8E8M0FNUType(),
    25: _unsigned(2),
    26: IntegerType(2),
    27: Float6E2M3FNType(),
    28: Float6E3M2FNType(),
}

ELEMENT_CODES: dict[Attribute, int] = {type_: code for code, type_ in ELEMENT_TYPES.items()}

# The element types whose tensors are written as `dense<...>`, one or more whole bytes an element.
DENSE_CODES = frozenset({1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 16})
