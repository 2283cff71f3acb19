"""`affine` ops that compute an index: apply, min, max, delinearize and linearize.

%a = affine.apply affine_map<(d0)[s0] -> (d0 + s0)>(%i)[%n]
%m = affine.min affine_map<(d0)[s0] -> (d0 + 8, s0)>(%i)[%n]
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import Self

from typing_extensions import override
from xdsl.dialects import affine as upstream
from xdsl.dialects.builtin import AffineMapAttr, IndexType
from xdsl.interfaces import HasFolderInterface
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.affine.folding import folded_map
from snippets_mlir.dialects.affine.map_text import parse_map, print_map_operands
from snippets_mlir.support.extension import Folds


def map_of(op: Operation) -> AffineMap:
    """The affine map in the property `map` of an op."""
    map = op.properties["map"]
    assert isinstance(map, AffineMapAttr)
    return map.data


class _Map(IRDLOperation, HasFolderInterface, ABC):
    """A value computed by a map.

    C1: one operand for each dimension and symbol of the map.
    """

    @override
    def verify_(self) -> None:
        map = map_of(self)
        if len(self.operands) != map.num_dims + map.num_symbols:
            raise VerifyException(
                f"C1: expected {map.num_dims} dimension and {map.num_symbols} symbol operands, "
                f"found {len(self.operands)}"
            )
        self._verify_results(len(map.results))

    def _verify_results(self, count: int) -> None:
        if not count:
            raise VerifyException("C7: expected a map with a result, found none")

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Parse `affine_map<...>(%dims)[%symbols] attr-dict`."""
        map, operands = parse_map(parser)
        attributes = parser.parse_optional_attr_dict()
        return cls.create(
            operands=operands,
            result_types=[IndexType()],
            properties={"map": map},
            attributes=attributes,
        )

    @override
    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_attribute(self.properties["map"])
        print_map_operands(printer, map_of(self).num_dims, self.operands)
        printer.print_op_attributes(self.attributes)


class ApplyOp(_Map, upstream.ApplyOp):  # pyright: ignore[reportIncompatibleMethodOverride]
    """The one result of a map.

    C7: the map has one result.
    """

    traits = traits_def(Pure(), Folds())

    def _verify_results(self, count: int) -> None:
        if count != 1:
            raise VerifyException(f"C7: expected a map with one result, found {count}")

    def fold(self) -> Sequence[SSAValue | Attribute] | None:
        """A constant, or an operand that the map passes on."""
        return folded_map(self.map.data, self.operands, None)


class MinOp(_Map, upstream.MinOp):  # pyright: ignore[reportIncompatibleMethodOverride]
    """The smallest result of a map.

    C7: the map has a result.
    """

    traits = traits_def(Pure(), Folds())

    def fold(self) -> Sequence[SSAValue | Attribute] | None:
        """A constant, or the operand that a map of one result passes on."""
        return folded_map(self.map.data, self.operands, min)


@irdl_op_definition
class MaxOp(_Map):
    """The largest result of a map.

    C7: the map has a result.
    """

    name = "affine.max"

    arguments = var_operand_def(IndexType())
    result = result_def(IndexType())
    map = prop_def(AffineMapAttr)
    traits = traits_def(Pure())

    def __init__(
        self, map_operands: Sequence[SSAValue | Operation], affine_map: AffineMapAttr
    ) -> None:
        super().__init__(
            operands=[map_operands], properties={"map": affine_map}, result_types=[IndexType()]
        )

    def fold(self) -> Sequence[SSAValue | Attribute] | None:
        """A constant, or the operand that a map of one result passes on."""
        return folded_map(self.map.data, self.operands, max)


OPS: tuple[type[Operation], ...] = (ApplyOp, MaxOp, MinOp)
