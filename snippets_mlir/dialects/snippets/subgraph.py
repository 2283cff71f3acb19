"""Subgraphs and their terminator.

%r = snippets.subgraph (%a = %x, %b = %w) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32> {
%0 = snippets.add %a, %b : tensor<2xf32>
snippets.yield %0 : tensor<2xf32>
}
"""

from __future__ import annotations

from collections.abc import Sequence

from typing_extensions import override
from xdsl.dialects.builtin import (
    TensorType,
    TupleType,
)
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    lazy_traits_def,
    region_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import (
    HasParent,
    IsolatedFromAbove,
    IsTerminator,
    Pure,
    SingleBlockImplicitTerminator,
)
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.builtin.op_class import Op

Binding = tuple[Parser.UnresolvedArgument, UnresolvedOperand]
"""An argument of a region, and the operand that it stands for."""


def parse_bindings(parser: Parser) -> list[Binding]:
    """Parse `(%argument = %operand, ...)`."""

    def binding() -> Binding:
        argument = parser.parse_argument(expect_type=False)
        parser.parse_punctuation("=")
        return argument, parser.parse_unresolved_operand()

    return parser.parse_comma_separated_list(parser.Delimiter.PAREN, binding)


def print_bindings(
    printer: Printer, arguments: Sequence[SSAValue], operands: Sequence[SSAValue]
) -> None:
    """Print what `parse_bindings` parses, after a space."""
    printer.print_string(" (")
    for i, (argument, value) in enumerate(zip(arguments, operands, strict=True)):
        printer.print_string(", " if i else "")
        printer.print_ssa_value(argument)
        printer.print_string(" = ")
        printer.print_ssa_value(value)
    printer.print_string(")")


@irdl_op_definition
class SubgraphOp(Op):
    """A part of the graph that becomes one kernel (the guide's Subgraph); isolated from above.

    Operands and results may be tuples; kernels have no tuples, so such a subgraph is inlined
    before.
    """

    name = "snippets.subgraph"
    inputs = var_operand_def(TensorType | TupleType)
    outputs = var_result_def(TensorType | TupleType)
    body = region_def("single_block")
    traits = lazy_traits_def(
        lambda: (
            Pure(),
            IsolatedFromAbove(),
            SingleBlockImplicitTerminator(YieldOp),
        )
    )

    def __init__(
        self, inputs: Sequence[SSAValue], output_types: Sequence[Attribute], body: Region
    ) -> None:
        super().__init__(operands=[inputs], result_types=[output_types], regions=[body])

    @property
    def block(self) -> Block:
        """The one block of the body."""
        return self.body.block

    @classmethod
    def parse(cls, parser: Parser) -> SubgraphOp:
        """Parse the syntax of the module docstring."""
        pos = parser.pos
        pairs = parse_bindings(parser)
        parser.parse_punctuation(":")
        type_ = parser.parse_function_type()
        inputs = list(type_.inputs.data)
        operands = parser.resolve_operands([p[1] for p in pairs], inputs, pos)
        arguments = [p[0].resolve(t) for p, t in zip(pairs, inputs, strict=True)]
        attributes = parser.parse_optional_attr_dict_with_keyword()
        body = parser.parse_region(arguments)
        return cls.create(
            operands=operands,
            result_types=list(type_.outputs.data),
            attributes=attributes.data if attributes else {},
            regions=[body],
        )

    @override
    def print(self, printer: Printer) -> None:
        print_bindings(printer, self.block.args, self.inputs)
        printer.print_string(" : ")
        printer.print_function_type(self.operand_types, self.result_types)
        printer.print_op_attributes(self.attributes, print_keyword=True)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False, print_empty_block=False)

    def verify_(self) -> None:
        """Operands match the block's arguments, results match the yield."""
        expected = [v.type for v in self.inputs]
        found = list(self.block.arg_types)
        if expected != found:
            raise VerifyException(
                f"C8: snippets.subgraph expects block arguments {[str(t) for t in expected]}, "
                f"found {[str(t) for t in found]}"
            )
        terminator = self.block.last_op
        assert isinstance(terminator, YieldOp)
        expected = [v.type for v in self.outputs]
        found = [v.type for v in terminator.values]
        if expected != found:
            raise VerifyException(
                f"C9: snippets.subgraph expects to yield {[str(t) for t in expected]}, "
                f"found {[str(t) for t in found]}"
            )


@irdl_op_definition
class YieldOp(Op):
    """The terminator of a `snippets.subgraph`; its operands are the results."""

    name = "snippets.yield"
    values = var_operand_def(TensorType | TupleType)
    traits = lazy_traits_def(lambda: (IsTerminator(), HasParent(SubgraphOp), Pure()))

    def __init__(self, values: Sequence[SSAValue] = ()) -> None:
        super().__init__(operands=[values])

    @classmethod
    def parse(cls, parser: Parser) -> YieldOp:
        """Parse `%a, %b : type, type`."""
        pos = parser.pos
        values = parser.parse_optional_undelimited_comma_separated_list(
            parser.parse_optional_unresolved_operand, parser.parse_unresolved_operand
        )
        types: list[Attribute] = []
        if values:
            parser.parse_punctuation(":")
            types = list(
                parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
            )
        return cls(parser.resolve_operands(values or [], types, pos))

    @override
    def print(self, printer: Printer) -> None:
        if self.values:
            printer.print_string(" ")
            printer.print_list(self.values, printer.print_operand)
            printer.print_string(" : ")
            printer.print_list([v.type for v in self.values], printer.print_attribute)
