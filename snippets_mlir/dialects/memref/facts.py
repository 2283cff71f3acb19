"""`memref` ops that return facts about a buffer: a size, the rank, the address."""

from __future__ import annotations

from collections.abc import Sequence

from typing_extensions import override
from xdsl.dialects import memref as upstream
from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, IntegerAttr, MemRefType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, result_def, traits_def
from xdsl.parser import Parser
from xdsl.traits import ConstantLike, NoMemoryEffect, Pure

from snippets_mlir.dialects.builtin.shaped import extents_of
from snippets_mlir.dialects.memref.layout import ANY_MEMREF
from snippets_mlir.support.extension import Folds


class DimOp(upstream.DimOp):
    """`memref.dim %m, %i`: the size of dimension `%i` as an index."""

    traits = traits_def(NoMemoryEffect(), Folds())

    def fold(self) -> Sequence[SSAValue | Attribute] | None:
        """A static size, or the size operand of the allocation."""
        index = ConstantLike.get_constant_value(self.index)
        if not isinstance(index, IntegerAttr) or self.source.type.name != MemRefType.name:
            return None
        shape = extents_of(self.source.type)
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
    @override
    def parse(cls, parser: Parser) -> DimOp:
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
    """`memref.rank %m`: the number of dimensions as an index."""

    name = "memref.rank"

    memref = operand_def(ANY_MEMREF)
    rank = result_def(IndexType)
    traits = traits_def(Pure())
    assembly_format = "$memref attr-dict `:` type($memref)"

    def __init__(self, memref: SSAValue | Operation) -> None:
        super().__init__(operands=[memref], result_types=[IndexType()])


@irdl_op_definition
class ExtractAlignedPointerAsIndexOp(IRDLOperation):
    """The address of the buffer, without its offset."""

    name = "memref.extract_aligned_pointer_as_index"

    source = operand_def(ANY_MEMREF)
    aligned_pointer = result_def(IndexType)
    traits = traits_def(Pure())
    assembly_format = "$source `:` type($source) `->` type(results) attr-dict"

    def __init__(self, source: SSAValue | Operation) -> None:
        super().__init__(operands=[source], result_types=[IndexType()])


OPS: tuple[type[Operation], ...] = (DimOp, ExtractAlignedPointerAsIndexOp, RankOp)
