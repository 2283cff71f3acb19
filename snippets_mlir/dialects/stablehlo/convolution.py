"""The convolution of StableHLO, which is parsed, verified by its types, and printed.

    %1 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0],
         window = {stride = [1], pad = [[1, 1]]}
         {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
         : (tensor<1x3x8xf32>, tensor<4x3x3xf32>) -> tensor<1x4x8xf32>

Source: the StableHLO specification.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from typing_extensions import override
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DenseIntElementsAttr,
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    TensorType,
    i1,
    i64,
)
from xdsl.ir import Attribute
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure

from snippets_mlir.dialects.stablehlo.attributes import ConvAttr, PrecisionAttr
from snippets_mlir.dialects.stablehlo.products import parse_list, parse_types, print_types

_WINDOW = ("stride", "pad", "lhs_dilate", "rhs_dilate", "reverse")


@irdl_op_definition
class ConvolutionOp(IRDLOperation):
    """A convolution, with any layout of its operands, groups, strides, padding and dilations."""

    name = "stablehlo.convolution"
    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    dimension_numbers = prop_def(ConvAttr)
    window_strides = opt_prop_def(DenseArrayBase.constr(i64))
    padding = opt_prop_def(DenseIntElementsAttr)
    lhs_dilation = opt_prop_def(DenseArrayBase.constr(i64))
    rhs_dilation = opt_prop_def(DenseArrayBase.constr(i64))
    window_reversal = opt_prop_def(DenseArrayBase.constr(i1))
    feature_group_count = prop_def(IntegerAttr.constr(i64))
    batch_group_count = prop_def(IntegerAttr.constr(i64))
    precision_config = opt_prop_def(ArrayAttr[PrecisionAttr])
    result = result_def(TensorType)
    traits = traits_def(Pure())

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Parse `(%x, %w) dim_numbers = ..., window = {...} {...} : function-type`."""
        place = parser.pos
        operands = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, parser.parse_unresolved_operand
        )
        parser.parse_keyword("dim_numbers")
        parser.parse_punctuation("=")
        properties: dict[str, Attribute] = {
            "dimension_numbers": ConvAttr(ConvAttr.parse_roles(parser))
        }
        parser.parse_punctuation(",")
        parser.parse_keyword("window")
        parser.parse_punctuation("=")
        parser.parse_comma_separated_list(
            parser.Delimiter.BRACES, lambda: properties.update(_parse_window(parser))
        )
        known = cls.get_irdl_definition().properties
        attributes = parser.parse_optional_attr_dict()
        properties.update({k: attributes.pop(k) for k in list(attributes) if k in known})
        values, results = parse_types(parser, operands, place)
        return cls.create(
            operands=values, result_types=results, properties=properties, attributes=attributes
        )

    @override
    def print(self, printer: Printer) -> None:
        printer.print_string("(")
        printer.print_list(self.operands, printer.print_operand)
        printer.print_string(f") dim_numbers = {self.dimension_numbers.text}, window = {{")
        lists = (
            ("stride", self.window_strides),
            ("pad", self.padding),
            ("lhs_dilate", self.lhs_dilation),
            ("rhs_dilate", self.rhs_dilation),
            ("reverse", self.window_reversal),
        )
        shown = (
            f"{word} = {_window_text(word, [int(n) for n in a.get_values()])}"
            for word, a in lists
            if a is not None
        )
        printer.print_string(", ".join(shown) + "} ")
        rest: dict[str, Attribute] = {
            "batch_group_count": self.batch_group_count,
            "feature_group_count": self.feature_group_count,
        }
        if self.precision_config is not None:
            rest["precision_config"] = self.precision_config
        printer.print_attr_dict({**rest, **self.attributes})
        print_types(self, printer)


def _parse_window(parser: Parser) -> dict[str, Attribute]:
    """Parse `stride = [1, 1]`, `pad = [[0, 0], [1, 1]]` or `reverse = [false]`; the property."""
    place = parser.pos
    word = parser.parse_identifier()
    parser.parse_punctuation("=")
    match word:
        case "pad":
            pairs = parse_list(parser, lambda: parse_list(parser, parser.parse_integer))
            if any(len(pair) != 2 for pair in pairs):
                parser.raise_error("expected pairs of amounts", place)
            type_ = TensorType(i64, [len(pairs), 2])
            numbers = [number for pair in pairs for number in pair]
            return {"padding": DenseIntOrFPElementsAttr.from_list(type_, numbers)}
        case "reverse":
            flags = parse_list(parser, parser.parse_boolean)
            return {"window_reversal": DenseArrayBase.from_list(i1, [int(f) for f in flags])}
        case "stride" | "lhs_dilate" | "rhs_dilate":
            name = "window_strides" if word == "stride" else f"{word.removesuffix('e')}ion"
            numbers = parse_list(parser, parser.parse_integer)
            return {name: DenseArrayBase.from_list(i64, numbers)}
        case _:
            parser.raise_error(f"expected {', '.join(_WINDOW)}, found {word}", place)


def _window_text(word: str, numbers: Sequence[int]) -> str:
    if word == "pad":
        return str([list(numbers[i : i + 2]) for i in range(0, len(numbers), 2)])
    if word == "reverse":
        return "[" + ", ".join("true" if flag else "false" for flag in numbers) + "]"
    return str(list(numbers))


OPS = [ConvolutionOp]
