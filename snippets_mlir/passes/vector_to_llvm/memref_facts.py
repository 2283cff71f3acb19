"""The patterns of `finalize-memref-to-llvm` that read facts from a descriptor.

%n = memref.dim %A, %c1 : memref<4x?xf32>           %n = llvm.extractvalue %A[3, 1]
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import llvm, memref
from xdsl.dialects.builtin import IntegerAttr, i1, i64
from xdsl.ir import Operation, SSAValue
from xdsl.traits import ConstantLike

from snippets_mlir.dialects.builtin.shaped import rank_of
from snippets_mlir.dialects.llvm.values import SelectOp
from snippets_mlir.dialects.memref import facts
from snippets_mlir.passes.building.conversion import converts
from snippets_mlir.passes.building.lowering import Lowering
from snippets_mlir.passes.vector_to_llvm.convert_arith_to_llvm import NO_FLAGS
from snippets_mlir.passes.vector_to_llvm.descriptors import make_descriptor
from snippets_mlir.passes.vector_to_llvm.memref_views import descriptor


def _metadata(op: Operation, low: Lowering) -> Sequence[SSAValue]:
    """The pointers without an offset, then offset, sizes and strides as values."""
    assert isinstance(op, memref.ExtractStridedMetaDataOp)
    source = descriptor(low, op.source)
    base = make_descriptor(low, source.allocated(), source.aligned(), low.integer(0), (), ())
    return (base, source.offset(), *source.sizes(), *source.strides())


def _pointer(op: Operation, low: Lowering) -> Sequence[SSAValue]:
    """`llvm.ptrtoint` of the aligned pointer."""
    pointer = descriptor(low, op.operands[0]).aligned()
    return (low.make(llvm.PtrToIntOp, (pointer,), i64),)


def _dim(op: Operation, low: Lowering) -> Sequence[SSAValue]:
    """A size; for a dynamic index, the size that it selects."""
    source = descriptor(low, op.operands[0])
    known = ConstantLike.get_constant_value(op.operands[1])
    index = low.operand(op.operands[1])
    if isinstance(index.owner, llvm.ConstantOp):
        known = index.owner.value
    if isinstance(known, IntegerAttr):
        place = known.value.data
        return (source.size(place if 0 <= place < len(source.shape) else 0),)
    result = source.size(0)
    for d in range(1, len(source.shape)):
        operands = (index, low.integer(d))
        here = low.make(llvm.ICmpOp, operands, i1, {"predicate": IntegerAttr(0, i64)})
        result = low.make(SelectOp, (here, source.size(d), result), i64, NO_FLAGS)
    return (result,)


def _rank(op: Operation, low: Lowering) -> Sequence[SSAValue]:
    """A constant: the number of dims in the type."""
    return (low.integer(rank_of(op.operands[0].type)),)


FACTS = (
    converts(memref.ExtractStridedMetaDataOp, _metadata),
    converts(facts.DimOp, _dim),
    converts(facts.ExtractAlignedPointerAsIndexOp, _pointer),
    converts(facts.RankOp, _rank),
)
