"""`memref` ops that give another view of a buffer, or facts about one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects import memref as upstream
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    FixedBitwidthType,
    IndexType,
    IntegerAttr,
    MemRefType,
    NoneAttr,
    StridedLayoutAttr,
    UnrankedMemRefType,
)
from xdsl.interfaces import HasFolderInterface
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap
from xdsl.irdl import (
    IRDLOperation,
    base,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import ConstantLike, NoMemoryEffect, Pure
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.extension import Folds
from snippets_mlir.dialects.shaped import element_of, rank_of, shape_of

Layout = tuple[tuple[int | None, ...], int | None]


def layout_of(type: Attribute) -> Layout | None:
    """Strides and offset in elements of a memref, None for what is dynamic.

    Returns None for a layout that is an affine map other than a strided one.
    """
    layout = cast(MemRefType, type).layout
    if isinstance(layout, StridedLayoutAttr):
        return tuple(_known(s) for s in layout.strides), _known(layout.offset)
    if isinstance(layout, NoneAttr) or cast(AffineMapAttr, layout).data == AffineMap.identity(
        rank_of(type)
    ):
        return _row_major(shape_of(type)), 0
    return None


def _row_major(shape: Sequence[int]) -> tuple[int | None, ...]:
    strides: list[int | None] = []
    stride: int | None = 1
    for size in reversed(shape):
        strides.insert(0, stride)
        stride = None if stride is None or size == DYNAMIC_INDEX else stride * size
    return tuple(strides)


def _known(entry: Attribute) -> int | None:
    value = getattr(entry, "data", None)
    return value if isinstance(value, int) else None


def strided_type(
    element: Attribute, shape: Sequence[int], layout: Layout, space: Attribute | None = None
) -> MemRefType:
    """A memref type; the layout is left out when it is row-major from offset 0."""
    strides, offset = layout
    attribute: Attribute = (
        NoneAttr()
        if offset == 0 and strides == _row_major(shape)
        else StridedLayoutAttr(list(strides), offset)
    )
    return MemRefType(element, shape, attribute, space or NoneAttr())


_ANY_MEMREF = base(MemRefType) | base(UnrankedMemRefType)


@irdl_op_definition
class CastOp(IRDLOperation, HasFolderInterface):
    """The same buffer with less or more known of its type.

    C1: the element types are the same, and sizes, strides and offset agree where both are known.
    """

    name = "memref.cast"

    source = operand_def(_ANY_MEMREF)
    dest = result_def(_ANY_MEMREF)
    traits = traits_def(Pure())
    assembly_format = "$source attr-dict `:` type($source) `to` type($dest)"

    def __init__(self, source: SSAValue | Operation, dest: Attribute) -> None:
        super().__init__(operands=[source], result_types=[dest])

    def verify_(self) -> None:
        """Check C1."""
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
        """A cast to the same type is nothing; so is one there and back."""
        if self.source.type == self.dest.type:
            return (self.source,)
        inner = self.source.owner
        if isinstance(inner, CastOp) and inner.source.type == self.dest.type:
            return (inner.source,)
        return None


def _sizes(type: Attribute) -> Sequence[int | None]:
    return [None if size == DYNAMIC_INDEX else size for size in shape_of(type)]


def _agree(before: Sequence[int | None], after: Sequence[int | None]) -> bool:
    return len(before) == len(after) and all(
        a is None or b is None or a == b for a, b in zip(before, after, strict=True)
    )


def _same_layout(before: Layout, after: Layout) -> bool:
    return _agree((*before[0], before[1]), (*after[0], after[1]))


class DimOp(upstream.DimOp):
    """The size of a dimension."""

    traits = traits_def(NoMemoryEffect(), Folds())

    def fold(self) -> Sequence[SSAValue | Attribute] | None:
        """A static size, or the operand that an allocation was made with."""
        index = ConstantLike.get_constant_value(self.index)
        if not isinstance(index, IntegerAttr) or self.source.type.name != MemRefType.name:
            return None
        shape = shape_of(self.source.type)
        place = index.value.data
        if not 0 <= place < len(shape):
            return None
        if shape[place] != DYNAMIC_INDEX:
            return (IntegerAttr(shape[place], IndexType()),)
        made = self.source.owner
        if isinstance(made, upstream.AllocOp | upstream.AllocaOp):
            return (made.dynamic_sizes[shape[:place].count(DYNAMIC_INDEX)],)
        return None

    @classmethod
    def parse(cls, parser: Parser) -> DimOp:
        """Parse MLIR's form."""
        parsed = upstream.DimOp.parse(parser)
        op = cls.create(
            operands=parsed.operands,
            result_types=parsed.result_types,
            attributes=parsed.attributes,
        )
        parsed.erase()
        return op


@irdl_op_definition
class RankOp(IRDLOperation):
    """The number of dimensions."""

    name = "memref.rank"

    memref = operand_def(_ANY_MEMREF)
    rank = result_def(IndexType)
    traits = traits_def(Pure())
    assembly_format = "$memref attr-dict `:` type($memref)"

    def __init__(self, memref: SSAValue | Operation) -> None:
        super().__init__(operands=[memref], result_types=[IndexType()])


@irdl_op_definition
class MemorySpaceCastOp(IRDLOperation):
    """The same buffer in another memory space."""

    name = "memref.memory_space_cast"

    source = operand_def(_ANY_MEMREF)
    dest = result_def(_ANY_MEMREF)
    traits = traits_def(Pure())
    assembly_format = "$source attr-dict `:` type($source) `to` type($dest)"

    def __init__(self, source: SSAValue | Operation, dest: Attribute) -> None:
        super().__init__(operands=[source], result_types=[dest])


@irdl_op_definition
class ExtractAlignedPointerAsIndexOp(IRDLOperation):
    """The address of the buffer, without its offset."""

    name = "memref.extract_aligned_pointer_as_index"

    source = operand_def(_ANY_MEMREF)
    aligned_pointer = result_def(IndexType)
    traits = traits_def(Pure())
    assembly_format = "$source `:` type($source) `->` type(results) attr-dict"

    def __init__(self, source: SSAValue | Operation) -> None:
        super().__init__(operands=[source], result_types=[IndexType()])


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
        """For each dimension of the result that of the source."""
        return tuple(
            e.position for e in self.permutation.data.results if isinstance(e, AffineDimExpr)
        )

    def verify_(self) -> None:
        """Check C1 and C2."""
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

    def print(self, printer: Printer) -> None:
        """Print what `parse` reads."""
        printer.print_string(" ")
        printer.print_operand(self.in_)
        printer.print_string(f" {self.permutation.data}")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.in_.type)
        printer.print_string(" to ")
        printer.print_attribute(self.result.type)


def transposed_type(type: Attribute, order: Sequence[int]) -> Attribute:
    """The type of a transposed memref."""
    shape, layout = shape_of(type), layout_of(type)
    space = cast(MemRefType, type).memory_space
    if layout is None:
        raise VerifyException(f"C2: expected a strided layout, found {type}")
    strides, offset = layout
    permuted = tuple(strides[d] for d in order), offset
    return strided_type(element_of(type), [shape[d] for d in order], permuted, space)


def byte_size(element: Attribute) -> int | None:
    """Bytes of an element in memory, None for a type without a fixed size."""
    if isinstance(element, IndexType):
        return 8
    if isinstance(element, FixedBitwidthType):
        return -(-element.bitwidth // 8)
    return None


OPS: tuple[type[Operation], ...] = (
    CastOp,
    DimOp,
    ExtractAlignedPointerAsIndexOp,
    MemorySpaceCastOp,
    RankOp,
    TransposeOp,
)
