"""`affine.for` and `affine.if`: upstream's, with MLIR's text, rules and effects.

%r = affine.for %i = 0 to %n step 2 iter_args(%a = %x) -> (f32) {
  affine.if affine_set<(d0)[s0] : (s0 - d0 - 1 >= 0)>(%i)[%m] { ... } else { ... }
  affine.yield %b : f32
}
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from xdsl.dialects import affine as upstream
from xdsl.dialects.affine import YieldOp
from xdsl.dialects.builtin import AffineMapAttr, AffineSetAttr, IndexType, IntegerAttr
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.irdl import traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import RecursivelySpeculatable, RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.affine.scope import verify_operands
from snippets_mlir.dialects.affine.text import (
    parse_bound,
    parse_set,
    print_bound,
    print_map_operands,
)


def parse_types(parser: Parser) -> Sequence[Attribute]:
    """Parse `(type, ...)` or one bare type."""
    if parser.parse_optional_punctuation("("):
        types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        parser.parse_punctuation(")")
        return types
    return [parser.parse_type()]


def print_types(printer: Printer, types: Sequence[Attribute]) -> None:
    """Print ` -> (type, ...)`, nothing when there is no type."""
    if not types:
        return
    printer.print_string(" -> ")
    with printer.in_parens():
        printer.print_list(types, printer.print_attribute)


def terminate(region: Region) -> None:
    """End the block of `region` with the `affine.yield` that text leaves out."""
    block = region.block
    if not isinstance(block.last_op, YieldOp):
        block.add_op(YieldOp.get())


def verify_yield(region: Region, types: Sequence[Attribute]) -> None:
    """Check that a block ends with an `affine.yield` of `types` (C5)."""
    last = region.block.last_op
    if not isinstance(last, YieldOp) or tuple(last.operand_types) != tuple(types):
        found = ", ".join(map(str, last.operand_types)) if isinstance(last, YieldOp) else "none"
        expected = ", ".join(map(str, types))
        raise VerifyException(
            f"C5: expected the block to end with affine.yield of ({expected}), found ({found})"
        )


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

    def print(self, printer: Printer) -> None:
        """Print what `parse` reads."""
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


def print_body(printer: Printer, region: Region, *, yields: bool) -> None:
    """Print a region, its terminator only if it yields something."""
    printer.print_string(" ")
    printer.print_region(
        region,
        print_entry_block_args=False,
        print_empty_block=False,
        print_block_terminators=yields
        or bool(region.block.last_op and region.block.last_op.attributes),
    )


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


class IfOp(upstream.IfOp):
    """A choice by an integer set.

    C1, C2, C3: the operands of the set (`scope.verify_operands`).
    C4: an op with results has both regions.
    C5: the blocks end with an `affine.yield` of the types of the results.
    """

    traits = traits_def(RecursiveMemoryEffect(), RecursivelySpeculatable())

    def __init__(
        self,
        condition: AffineSetAttr,
        operands: Sequence[SSAValue | Operation],
        then_region: Region,
        else_region: Region | None = None,
        result_types: Sequence[Attribute] = (),
    ) -> None:
        super().__init__(
            operands=[operands],
            result_types=[result_types],
            properties={"condition": condition},
            regions=[then_region, else_region or Region()],
        )

    def verify_(self) -> None:
        """Check C1 to C5."""
        verify_operands("condition", self.condition.data, self.args)
        if self.results and not self.else_region.blocks:
            raise VerifyException("C4: expected an else region of an op with results, found none")
        verify_yield(self.then_region, self.result_types)
        if self.else_region.blocks:
            verify_yield(self.else_region, self.result_types)

    @classmethod
    def parse(cls, parser: Parser) -> IfOp:
        """Parse `set(%dims)[%symbols] [-> types] region [else region] attr-dict`."""
        condition, operands = parse_set(parser)
        types = parse_types(parser) if parser.parse_optional_punctuation("->") else ()
        then_region = parser.parse_region()
        terminate(then_region)
        else_region = None
        if parser.parse_optional_keyword("else"):
            else_region = parser.parse_region()
            terminate(else_region)
        op = cls(condition, operands, then_region, else_region, types)
        op.attributes.update(parser.parse_optional_attr_dict())
        return op

    def print(self, printer: Printer) -> None:
        """Print what `parse` reads."""
        printer.print_string(" ")
        printer.print_attribute(self.condition)
        print_map_operands(printer, self.condition.data.num_dims, self.args)
        print_types(printer, self.result_types)
        print_body(printer, self.then_region, yields=bool(self.results))
        if self.else_region.blocks:
            printer.print_string(" else")
            print_body(printer, self.else_region, yields=bool(self.results))
        printer.print_op_attributes(self.attributes)


OPS: tuple[type[Operation], ...] = (ForOp, IfOp)
