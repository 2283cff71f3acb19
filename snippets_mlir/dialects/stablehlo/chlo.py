"""The ops of CHLO: elementwise functions, and the largest elements of rows.

    %1 = chlo.erf %a : tensor<4xf32> -> tensor<4xf32>
    %2, %3 = chlo.top_k(%a, k = 3) : tensor<4xf32> -> (tensor<3xf32>, tensor<3xi32>)

Source: the specification of CHLO in the StableHLO repository.
"""

from __future__ import annotations

from abc import ABC
from typing import Self

from typing_extensions import override
from xdsl.dialects.builtin import IntegerAttr, TensorType, i64
from xdsl.ir import Operation
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure

from snippets_mlir.dialects.stablehlo.elementwise import ElementwiseOp, defined_op

_WORDS = {
    1: "acos acosh asin asinh atan atanh bessel_i1e conj cosh digamma erf erf_inv erfc is_inf "
    "is_neg_inf is_pos_inf lgamma sinh square tan",
    2: "next_after polygamma zeta",
}


class ChloElementwiseOp(ElementwiseOp, ABC):
    """An elementwise op of CHLO, printed with the operand types, an arrow and the result type."""

    assembly_format = "$inputs attr-dict `:` type($inputs) `->` type($result)"


@irdl_op_definition
class TopKOp(IRDLOperation):
    """The `k` largest elements of each row of the last dim, in descending order, and their
    indices.
    """

    name = "chlo.top_k"
    operand = operand_def(TensorType)
    k = prop_def(IntegerAttr.constr(i64))
    values = result_def(TensorType)
    indices = result_def(TensorType)
    traits = traits_def(Pure())

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Parse `(%x, k = 3) {attributes} : type -> (type, type)`."""
        place = parser.pos
        with parser.in_parens():
            unresolved = parser.parse_unresolved_operand()
            parser.parse_punctuation(",")
            parser.parse_keyword("k")
            parser.parse_punctuation("=")
            k = parser.parse_integer()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        source = parser.parse_type()
        parser.parse_punctuation("->")
        results = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
        return cls.create(
            operands=parser.resolve_operands([unresolved], [source], place),
            result_types=results,
            properties={"k": IntegerAttr(k, i64)},
            attributes=attributes,
        )

    @override
    def print(self, printer: Printer) -> None:
        printer.print_string("(")
        printer.print_operand(self.operand)
        printer.print_string(f", k = {self.k.value.data})")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.operand.type)
        printer.print_string(" -> (")
        printer.print_list([v.type for v in self.results], printer.print_attribute)
        printer.print_string(")")


OPS: list[type[Operation]] = [
    TopKOp,
    *(
        defined_op(ChloElementwiseOp, "chlo", word, arity)
        for arity, words in _WORDS.items()
        for word in words.split()
    ),
]
