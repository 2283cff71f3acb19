"""`affine.for`: upstream's, with MLIR's text, rules and effects.

%r = affine.for %i = 0 to %n step 2 iter_args(%a = %x) -> (f32) {
  ...
  affine.yield %b : f32
}
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from typing_extensions import override
from xdsl.dialects import affine as upstream
from xdsl.dialects.builtin import AffineMapAttr, IndexType, IntegerAttr
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.irdl import traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.affine.map_text import parse_bound, print_bound
from snippets_mlir.dialects.affine.regions import (
    parse_types,
    print_body,
    print_types,
    terminate,
    verify_yield,
)
from snippets_mlir.dialects.affine.scope import verify_operands


class ForOp(upstream.ForOp):
    """A counted loop whose bounds are maps: the largest lower and the smallest upper result.

    C1, C2, C3: the operands of both maps (`scope.verify_operands`).
    C4: the step is positive, and both maps have a result.
    C5: the block ends with an `affine.yield` of the types of the results.
    """

    traits = traits_def(RecursiveMemoryEffect())

    def verify_(self) -> None:
        """Check C1 to C5 and the types of the carried values."""
        super().verify_()
        verify_operands("lower bound", self.lowerBoundMap.data, self.lowerBoundOperands)
        verify_operands("upper bound", self.upperBoundMap.data, self.upperBoundOperands)
        if self.step.value.data <= 0:
            raise VerifyException(f"C4: expected a positive step, found {self.step.value.data}")
        if not self.lowerBoundMap.data.results or not self.upperBoundMap.data.results:
            raise VerifyException("C4: expected bounds with a result, found none")
        verify_yield(self.body, self.result_types)

    @staticmethod
    def from_region(
        lowerBoundOperands: Sequence[Operation | SSAValue],
        upperBoundOperands: Sequence[Operation | SSAValue],
        inits: Sequence[Operation | SSAValue],
        result_types: Sequence[Attribute],
        lower_bound: int | AffineMapAttr,
        upper_bound: int | AffineMapAttr,
        region: Region,
        step: int | IntegerAttr = 1,
    ) -> ForOp:
        """A loop around `region`; bounds may be integers."""
        return ForOp.build(
            operands=[lowerBoundOperands, upperBoundOperands, inits],
            result_types=[result_types],
            properties={
                "lowerBoundMap": _bound(lower_bound),
                "upperBoundMap": _bound(upper_bound),
                "step": IntegerAttr(step, IndexType()) if isinstance(step, int) else step,
            },
            regions=[region],
        )

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Parse `%i = bound to bound [step n] [iter_args(...) -> (types)] region attr-dict`."""
        induction = parser.parse_argument(expect_type=False)
        parser.parse_punctuation("=")
        lower, lower_operands = parse_bound(parser, "max")
        parser.parse_keyword("to")
        upper, upper_operands = parse_bound(parser, "min")
        step = 1
        if parser.parse_optional_keyword("step"):
            position = parser.pos
            step = parser.parse_integer(allow_boolean=False)
            if step <= 0:
                parser.raise_error(f"expected a positive step, found {step}", position, parser.pos)
        names, inits, types = _parse_iter_args(parser)
        arguments = [a.resolve(t) for a, t in zip(names, types, strict=True)]
        body = parser.parse_region([induction.resolve(IndexType()), *arguments])
        terminate(body)
        op = cls.build(
            operands=[lower_operands, upper_operands, inits],
            result_types=[types],
            properties={
                "lowerBoundMap": lower,
                "upperBoundMap": upper,
                "step": IntegerAttr(step, IndexType()),
            },
            regions=[body],
        )
        op.attributes.update(parser.parse_optional_attr_dict())
        return op

    @override
    def print(self, printer: Printer) -> None:
        induction, *carried = self.body.block.args
        printer.print_string(" ")
        printer.print_block_argument(induction, print_type=False)
        printer.print_string(" = ")
        print_bound(printer, "max", self.lowerBoundMap, self.lowerBoundOperands)
        printer.print_string(" to ")
        print_bound(printer, "min", self.upperBoundMap, self.upperBoundOperands)
        if self.step.value.data != 1:
            printer.print_string(f" step {self.step.value.data}")
        if carried:
            printer.print_string(" iter_args(")
            for place, (argument, init) in enumerate(zip(carried, self.inits, strict=True)):
                printer.print_string(", " if place else "")
                printer.print_block_argument(argument, print_type=False)
                printer.print_string(" = ")
                printer.print_operand(init)
            printer.print_string(")")
        print_types(printer, self.result_types)
        print_body(printer, self.body, yields=bool(carried))
        printer.print_op_attributes(self.attributes)


def _bound(bound: int | AffineMapAttr) -> AffineMapAttr:
    return AffineMapAttr(AffineMap.constant_map(bound)) if isinstance(bound, int) else bound


def _parse_iter_args(
    parser: Parser,
) -> tuple[Sequence[Parser.UnresolvedArgument], Sequence[SSAValue], Sequence[Attribute]]:
    if not parser.parse_optional_keyword("iter_args"):
        return (), (), ()

    def pair() -> tuple[Parser.UnresolvedArgument, object]:
        argument = parser.parse_argument(expect_type=False)
        parser.parse_punctuation("=")
        return argument, parser.parse_unresolved_operand()

    position = parser.pos
    pairs = parser.parse_comma_separated_list(parser.Delimiter.PAREN, pair)
    parser.parse_punctuation("->")
    types = parse_types(parser)
    inits = parser.resolve_operands([value for _, value in pairs], types, position)  # pyright: ignore[reportArgumentType]
    return [argument for argument, _ in pairs], inits, types


OPS: tuple[type[Operation], ...] = (ForOp,)
