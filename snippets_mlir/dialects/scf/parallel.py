"""`scf.parallel` and `scf.reduce` with MLIR's text.

%r = scf.parallel (%i, %j) = (%a, %b) to (%m, %n) step (%s, %t) init (%x) -> f32 {
scf.reduce(%v : f32) {
^bb0(%l: f32, %r: f32):
%0 = arith.addf %l, %r : f32
scf.reduce.return %0 : f32
}
}
"""

from __future__ import annotations

from collections.abc import Sequence

from typing_extensions import override
from xdsl.dialects import scf as upstream
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Attribute, SSAValue
from xdsl.parser import Parser
from xdsl.printer import Printer

from snippets_mlir.dialects.affine.regions import parse_types


class ParallelOp(upstream.ParallelOp):
    """A nest of loops whose iterations may run at the same time, with reductions."""

    @classmethod
    def parse(cls, parser: Parser) -> ParallelOp:
        """Parse `(%i) = (lower) to (upper) step (steps) [init (...) -> types] region`."""
        names = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, lambda: parser.parse_argument(expect_type=False)
        )
        parser.parse_punctuation("=")
        lower = _indices(parser)
        parser.parse_keyword("to")
        upper = _indices(parser)
        parser.parse_keyword("step")
        step = _indices(parser)
        inits: Sequence[SSAValue] = ()
        types: Sequence[Attribute] = ()
        if parser.parse_optional_keyword("init"):
            position = parser.pos
            unresolved = parser.parse_comma_separated_list(
                parser.Delimiter.PAREN, parser.parse_unresolved_operand
            )
            parser.parse_punctuation("->")
            types = parse_types(parser)
            inits = parser.resolve_operands(unresolved, types, position)
        body = parser.parse_region([name.resolve(IndexType()) for name in names])
        if not isinstance(body.block.last_op, upstream.ReduceOp):
            body.block.add_op(ReduceOp())
        op = cls.build(operands=[lower, upper, step, inits], result_types=[types], regions=[body])
        op.attributes.update(parser.parse_optional_attr_dict())
        return op

    @override
    def print(self, printer: Printer) -> None:
        printer.print_string(" (")
        printer.print_list(
            self.body.block.args, lambda arg: printer.print_block_argument(arg, print_type=False)
        )
        printer.print_string(") = (")
        printer.print_list(self.lowerBound, printer.print_operand)
        printer.print_string(") to (")
        printer.print_list(self.upperBound, printer.print_operand)
        printer.print_string(") step (")
        printer.print_list(self.step, printer.print_operand)
        printer.print_string(")")
        if self.initVals:
            printer.print_string(" init (")
            printer.print_list(self.initVals, printer.print_operand)
            printer.print_string(") -> (")
            printer.print_list(self.result_types, printer.print_attribute)
            printer.print_string(")")
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False, print_empty_block=False)
        printer.print_op_attributes(self.attributes)


class ReduceOp(upstream.ReduceOp):
    """The values of the iterations of an `scf.parallel`, with a region for each that combines
    it.
    """

    @classmethod
    def parse(cls, parser: Parser) -> ReduceOp:
        """Parse `[(%values : types)] [region, ...] [attributes]`."""
        position = parser.pos
        values: Sequence[SSAValue] = ()
        if parser.parse_optional_punctuation("("):
            unresolved = parser.parse_comma_separated_list(
                parser.Delimiter.NONE, parser.parse_unresolved_operand
            )
            parser.parse_punctuation(":")
            types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
            parser.parse_punctuation(")")
            values = parser.resolve_operands(unresolved, types, position)
        regions = [parser.parse_region()] if values else []
        while parser.parse_optional_punctuation(","):
            regions.append(parser.parse_region())
        op = cls(values, regions)
        op.attributes.update(parser.parse_optional_attr_dict())
        return op

    @override
    def print(self, printer: Printer) -> None:
        if self.args:
            printer.print_string("(")
            printer.print_list(self.args, printer.print_operand)
            printer.print_string(" : ")
            printer.print_list(self.args.types, printer.print_attribute)
            printer.print_string(") ")
            printer.print_list(self.reductions, printer.print_region)
        printer.print_op_attributes(self.attributes)


def _indices(parser: Parser) -> Sequence[SSAValue]:
    return parser.parse_comma_separated_list(
        parser.Delimiter.PAREN, lambda: parser.parse_operand(IndexType())
    )
