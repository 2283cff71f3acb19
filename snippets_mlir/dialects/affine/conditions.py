"""`affine.if`: upstream's, with MLIR's text, rules and effects.

affine.if affine_set<(d0)[s0] : (s0 - d0 - 1 >= 0)>(%i)[%m] { ... } else { ... }
"""

from __future__ import annotations

from collections.abc import Sequence

from typing_extensions import override
from xdsl.dialects import affine as upstream
from xdsl.dialects.builtin import AffineSetAttr
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.irdl import traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import RecursivelySpeculatable, RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.affine.map_text import parse_set, print_map_operands
from snippets_mlir.dialects.affine.regions import (
    parse_types,
    print_body,
    print_types,
    terminate,
    verify_yield,
)
from snippets_mlir.dialects.affine.scope import verify_operands


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

    @override
    def verify_(self) -> None:
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

    @override
    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_attribute(self.condition)
        print_map_operands(printer, self.condition.data.num_dims, self.args)
        print_types(printer, self.result_types)
        print_body(printer, self.then_region, yields=bool(self.results))
        if self.else_region.blocks:
            printer.print_string(" else")
            print_body(printer, self.else_region, yields=bool(self.results))
        printer.print_op_attributes(self.attributes)


OPS: tuple[type[Operation], ...] = (IfOp,)
