"""Control flow of StableHLO, barriers, and calls of code outside of it.

    %2 = stablehlo.while(%i = %c) : tensor<i32> cond {
      ...
      stablehlo.return %p : tensor<i1>
    } do {
      ...
      stablehlo.return %n : tensor<i32>
    }

`case`, `if` and `while` are printed in the generic form. Source: the StableHLO specification.
"""

from __future__ import annotations

from typing import Self

from typing_extensions import override
from xdsl.dialects.builtin import (
    StringAttr,
    SymbolRefAttr,
    TensorType,
)
from xdsl.ir import Attribute
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_region_def,
    var_result_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import Pure, RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.stablehlo.products import parse_types


@irdl_op_definition
class WhileOp(IRDLOperation):
    """Runs its second region on the values while the first region returns true."""

    name = "stablehlo.while"
    inputs = var_operand_def(Attribute)
    outputs = var_result_def(Attribute)
    cond = region_def("single_block")
    body = region_def("single_block")
    traits = traits_def(RecursiveMemoryEffect())

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Parse the text of the module docstring."""
        place = parser.pos
        names: list[Parser.UnresolvedArgument] = []
        inputs: list[UnresolvedOperand] = []

        def pair() -> None:
            names.append(parser.parse_argument(expect_type=False))
            parser.parse_punctuation("=")
            inputs.append(parser.parse_unresolved_operand())

        parser.parse_comma_separated_list(parser.Delimiter.PAREN, pair)
        types: list[Attribute] = []
        if parser.parse_optional_punctuation(":"):
            types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        attributes = parser.parse_optional_attr_dict_with_keyword()
        operands = parser.resolve_operands(inputs, types, place)
        arguments = [n.resolve(t) for n, t in zip(names, types, strict=True)]
        parser.parse_keyword("cond")
        cond = parser.parse_region(arguments)
        parser.parse_keyword("do")
        return cls.create(
            operands=operands,
            result_types=types,
            attributes=attributes.data if attributes else {},
            regions=[cond, parser.parse_region(arguments)],
        )


@irdl_op_definition
class CaseOp(IRDLOperation):
    """Runs the region that the index selects; the last region for an invalid index."""

    name = "stablehlo.case"
    index = operand_def(TensorType)
    outputs = var_result_def(Attribute)
    branches = var_region_def("single_block")
    traits = traits_def(RecursiveMemoryEffect())


@irdl_op_definition
class IfOp(IRDLOperation):
    """Runs the first region for true, else the second."""

    name = "stablehlo.if"
    pred = operand_def(TensorType)
    outputs = var_result_def(Attribute)
    on_true = region_def("single_block")
    on_false = region_def("single_block")
    traits = traits_def(RecursiveMemoryEffect())


@irdl_op_definition
class CustomCallOp(IRDLOperation):
    """A call of code outside of StableHLO."""

    name = "stablehlo.custom_call"
    inputs = var_operand_def(Attribute)
    call_target_name = prop_def(StringAttr)
    outputs = var_result_def(Attribute)
    traits = traits_def()

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Parse `@target(%a, %b) {attributes} : function-type`."""
        place = parser.pos
        target = parser.parse_symbol_name()
        unresolved = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, parser.parse_unresolved_operand
        )
        attributes = parser.parse_optional_attr_dict()
        operands, results = parse_types(parser, unresolved, place)
        return cls.create(
            operands=operands,
            result_types=results,
            properties={"call_target_name": target},
            attributes=attributes,
        )

    @override
    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_attribute(SymbolRefAttr(self.call_target_name))
        printer.print_string("(")
        printer.print_list(self.operands, printer.print_operand)
        printer.print_string(")")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_function_type(self.operand_types, self.result_types)


@irdl_op_definition
class OptimizationBarrierOp(IRDLOperation):
    """Its operands: a compiler moves no op across it."""

    name = "stablehlo.optimization_barrier"
    inputs = var_operand_def(Attribute)
    outputs = var_result_def(Attribute)
    traits = traits_def(Pure())

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Parse `%a, %b {attributes} : type, type`."""
        place = parser.pos
        unresolved = parser.parse_optional_undelimited_comma_separated_list(
            parser.parse_optional_unresolved_operand, parser.parse_unresolved_operand
        )
        attributes = parser.parse_optional_attr_dict()
        types = list[Attribute]()
        if parser.parse_optional_punctuation(":"):
            types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        operands = parser.resolve_operands(unresolved or [], types, place)
        return cls.create(operands=operands, result_types=types, attributes=attributes)

    @override
    def print(self, printer: Printer) -> None:
        if self.operands:
            printer.print_string(" ")
            printer.print_list(self.operands, printer.print_operand)
        printer.print_op_attributes(self.attributes)
        if self.operands:
            printer.print_string(" : ")
            printer.print_list(self.result_types, printer.print_attribute)

    @override
    def verify_(self) -> None:
        if self.operand_types != self.result_types:
            raise VerifyException(f"{self.name} expects results of the operands' types")


OPS = [
    CaseOp,
    CustomCallOp,
    IfOp,
    OptimizationBarrierOp,
    WhileOp,
]
