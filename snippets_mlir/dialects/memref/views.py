"""`memref` ops that give another view of a buffer."""

from __future__ import annotations

from collections.abc import Sequence

from typing_extensions import override
from xdsl.dialects.builtin import DYNAMIC_INDEX, AffineMapAttr, MemRefType
from xdsl.interfaces import HasFolderInterface
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap
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
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.builtin.shaped import element_of, extents_of, rank_of
from snippets_mlir.dialects.memref.layout import ANY_MEMREF, Layout, layout_of, transposed_type


@irdl_op_definition
class CastOp(IRDLOperation, HasFolderInterface):
    """The same buffer under a type that states more or less.

    C1: the element types are the same, and known sizes, strides and offsets are equal.
    """

    name = "memref.cast"

    source = operand_def(ANY_MEMREF)
    dest = result_def(ANY_MEMREF)
    traits = traits_def(Pure())
    assembly_format = "$source attr-dict `:` type($source) `to` type($dest)"

    def __init__(self, source: SSAValue | Operation, dest: Attribute) -> None:
        super().__init__(operands=[source], result_types=[dest])

    @override
    def verify_(self) -> None:
        source, dest = self.source.type, self.dest.type
        if MemRefType.name not in (source.name, dest.name) or source.name != dest.name:
            return
        before, after = layout_of(source), layout_of(dest)
        agrees = (
            element_of(source) == element_of(dest)
            and _agree(_sizes(source), _sizes(dest))
            and (before is None or after is None or _same_layout(before, after))
        )
        if not agrees:
            raise VerifyException(f"C1: expected types that may agree, found {source} and {dest}")

    def fold(self) -> Sequence[SSAValue | Attribute] | None:
        """A cast to the same type, or a cast and its inverse, folds to the operand."""
        if self.source.type == self.dest.type:
            return (self.source,)
        inner = self.source.owner
        if isinstance(inner, CastOp) and inner.source.type == self.dest.type:
            return (inner.source,)
        return None


def _sizes(type: Attribute) -> Sequence[int | None]:
    return [None if size == DYNAMIC_INDEX else size for size in extents_of(type)]


def _agree(before: Sequence[int | None], after: Sequence[int | None]) -> bool:
    return len(before) == len(after) and all(
        a is None or b is None or a == b for a, b in zip(before, after, strict=True)
    )


def _same_layout(before: Layout, after: Layout) -> bool:
    return _agree((*before[0], before[1]), (*after[0], after[1]))


@irdl_op_definition
class MemorySpaceCastOp(IRDLOperation):
    """The same buffer in another memory space."""

    name = "memref.memory_space_cast"

    source = operand_def(ANY_MEMREF)
    dest = result_def(ANY_MEMREF)
    traits = traits_def(Pure())
    assembly_format = "$source attr-dict `:` type($source) `to` type($dest)"

    def __init__(self, source: SSAValue | Operation, dest: Attribute) -> None:
        super().__init__(operands=[source], result_types=[dest])


@irdl_op_definition
class TransposeOp(IRDLOperation):
    """Dimensions in another order: `memref.transpose %A (d0, d1) -> (d1, d0) : ... to ...`.

    C1: the map is a permutation of the dimensions.
    C2: the result has the permuted sizes, strides and the offset.
    """

    name = "memref.transpose"

    in_ = operand_def(MemRefType)
    permutation = prop_def(AffineMapAttr)
    result = result_def(MemRefType)
    traits = traits_def(Pure())

    def __init__(self, source: SSAValue | Operation, order: Sequence[int]) -> None:
        source = SSAValue.get(source)
        map = AffineMap(len(order), 0, tuple(AffineDimExpr(d) for d in order))
        super().__init__(
            operands=[source],
            result_types=[transposed_type(source.type, order)],
            properties={"permutation": AffineMapAttr(map)},
        )

    @property
    def order(self) -> tuple[int, ...]:
        """For each dimension of the result the dimension of the source."""
        return tuple(
            e.position for e in self.permutation.data.results if isinstance(e, AffineDimExpr)
        )

    @override
    def verify_(self) -> None:
        rank = rank_of(self.in_.type)
        if sorted(self.order) != list(range(rank)):
            raise VerifyException(
                f"C1: expected a permutation of {rank} dimensions, found {self.permutation.data}"
            )
        expected = transposed_type(self.in_.type, self.order)
        if self.result.type != expected:
            raise VerifyException(f"C2: expected a result of {expected}, found {self.result.type}")

    @classmethod
    def parse(cls, parser: Parser) -> TransposeOp:
        """Parse `%A (names) -> (names) attr-dict : type to type`."""
        name = parser.parse_unresolved_operand()
        before = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_identifier)
        parser.parse_punctuation("->")
        position = parser.pos
        after = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_identifier)
        if not set(after) <= set(before):
            parser.raise_error(f"expected names of {before}, found {after}", position, parser.pos)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        source = parser.resolve_operand(name, parser.parse_type())
        parser.parse_keyword("to")
        exprs = tuple(AffineDimExpr(before.index(word)) for word in after)
        return cls.create(
            operands=[source],
            result_types=[parser.parse_type()],
            properties={"permutation": AffineMapAttr(AffineMap(len(before), 0, exprs))},
            attributes=attributes,
        )

    @override
    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.in_)
        printer.print_string(f" {self.permutation.data}")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.in_.type)
        printer.print_string(" to ")
        printer.print_attribute(self.result.type)


OPS: tuple[type[Operation], ...] = (CastOp, MemorySpaceCastOp, TransposeOp)
