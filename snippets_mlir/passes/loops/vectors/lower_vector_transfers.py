"""Lower 1-D transfers along the last dimension of a memref to loads and stores.

    %v = vector.transfer_read %A[%i, %j], %pad : memref<?x?xf32>, vector<8xf32>

becomes

    %n = memref.dim %A, %c1 : memref<?x?xf32>
    %left = arith.subi %n, %j : index
    %mask = vector.create_mask %left : vector<8xi1>
    %pass = vector.broadcast %pad : f32 to vector<8xf32>
    %v = vector.maskedload %A[%i, %j], %mask, %pass : ...

and, if `in_bounds` is true and there is no mask, one `vector.load`. A transfer that broadcasts
becomes a `memref.load` and a broadcast. Leaves transfers along other dimensions or memory with a
last stride that is not known to be 1 (`convert-vector-to-llvm` turns them into gathers and
scatters, so out-of-bounds lanes are masked here, too), vectors of another rank, and tensors.
"""

from dataclasses import dataclass
from typing import ClassVar, Literal

from typing_extensions import override
from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import MemRefType, VectorType, i1
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.dialects.builtin.shaped import element_of, extents_of, rank_of
from snippets_mlir.dialects.memref.facts import DimOp
from snippets_mlir.dialects.memref.layout import layout_of
from snippets_mlir.dialects.vector.masked import MaskedLoadOp, MaskedStoreOp
from snippets_mlir.dialects.vector.memory import LoadOp, StoreOp
from snippets_mlir.dialects.vector.ops import CreateMaskOp
from snippets_mlir.dialects.vector.shapes import BroadcastOp
from snippets_mlir.dialects.vector.transfer import TransferReadOp, TransferWriteOp
from snippets_mlir.dialects.vector.transfer_maps import walked_dims
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.building.affine_values import IndexBuilder
from snippets_mlir.passes.patterns import Pattern, PatternPass

Transfer = TransferReadOp | TransferWriteOp


def between_memory_and_row(op: Transfer) -> bool:
    """The vector has one dimension, the memory is a memref of scalars."""
    memory = op.memory.type
    if not isinstance(memory, MemRefType) or rank_of(op.vector_type) != 1:
        return False
    return not isinstance(element_of(op.memory.type), VectorType)


def of_one_element(op: TransferReadOp) -> bool:
    """All lanes read one element, and nothing masks them."""
    return walked_dims(op.map)[0] is None and op.mask is None


def contiguous(op: Transfer) -> bool:
    """The lanes walk the last dimension of memory, with adjacent elements."""
    if walked_dims(op.map)[0] != rank_of(op.memory.type) - 1:
        return False
    layout = layout_of(op.memory.type)
    return layout is not None and layout[0][-1] == 1


def possibly_out_of_bounds(op: Transfer) -> bool:
    """Lanes may be outside of the memory."""
    return walked_dims(op.map)[0] is not None and not op.bounds[0]


def _mask(op: Transfer, b: IndexBuilder) -> SSAValue | None:
    """1 for the lanes inside the memory that the op's own mask allows; None: all are."""
    if not possibly_out_of_bounds(op):
        return op.mask
    dim = walked_dims(op.map)[0]
    assert dim is not None
    size = b.add(DimOp(op.memory, b.constant(dim)))
    left = b.add(arith.SubiOp(size, op.indices[dim]))
    mask = b.add(CreateMaskOp([left], VectorType(i1, extents_of(op.vector_type))))
    return mask if op.mask is None else b.add(arith.AndIOp(mask, op.mask))


class ReadElement(Pattern[TransferReadOp, Literal[True]]):
    """A read of one element into all lanes is a `memref.load` and a broadcast."""

    name = "read-element"
    ops = (TransferReadOp,)
    conditions = (between_memory_and_row, of_one_element)

    @override
    def match(self, op: TransferReadOp) -> Literal[True] | None:
        return True

    def rewrite(self, op: TransferReadOp, match: Literal[True], rewriter: PatternRewriter) -> None:
        """Load the element and broadcast it."""
        b = IndexBuilder(op, rewriter)
        scalar = b.add(memref.LoadOp.get(op.memory, op.indices))
        rewriter.replace(op, [], [b.add(BroadcastOp(scalar, op.vector_type))])  # pyright: ignore


class Contiguous(Pattern[Transfer, Literal[True]]):
    """A transfer of neighbours in memory is one load or store, masked if lanes are left out."""

    name = "contiguous"
    ops = (TransferReadOp, TransferWriteOp)
    conditions = (between_memory_and_row, contiguous)

    @override
    def match(self, op: Transfer) -> Literal[True] | None:
        return True

    def rewrite(self, op: Transfer, match: Literal[True], rewriter: PatternRewriter) -> None:
        """Make the mask, if there is one, then the access."""
        b = IndexBuilder(op, rewriter)
        mask = _mask(op, b)
        if isinstance(op, TransferWriteOp):
            made: Operation = (
                StoreOp(op.vector, op.memory, op.indices)
                if mask is None
                else MaskedStoreOp(op.memory, op.indices, mask, op.vector)
            )
        elif mask is None:
            made = LoadOp(op.memory, op.indices, op.vector_type)
        else:
            padding = b.add(BroadcastOp(op.padding, op.vector_type))  # pyright: ignore
            made = MaskedLoadOp(op.memory, op.indices, mask, padding)
        b.put(made)
        rewriter.replace(op, [], made.results)


class Strided(Pattern[Transfer, Literal[True]]):
    """A transfer with lanes out of bounds is one of the same lanes in bounds, with a mask."""

    name = "strided"
    ops = (TransferReadOp, TransferWriteOp)
    conditions = (between_memory_and_row, possibly_out_of_bounds)

    @override
    def match(self, op: Transfer) -> Literal[True] | None:
        return True

    def rewrite(self, op: Transfer, match: Literal[True], rewriter: PatternRewriter) -> None:
        """Make the mask, then the transfer."""
        b = IndexBuilder(op, rewriter)
        mask, inside = _mask(op, b), [True]
        made = (
            TransferWriteOp(op.vector, op.memory, op.indices, inside, mask, op.map)
            if isinstance(op, TransferWriteOp)
            else TransferReadOp(
                op.memory, op.indices, op.padding, op.vector_type, inside, op.map, mask
            )
        )
        b.put(made)
        rewriter.replace(op, [], made.results)


@dataclass(frozen=True)
class LowerVectorTransfersPass(PatternPass):
    """Lower 1-D transfers to loads and stores, masked if they may be out of bounds."""

    name = "lower-vector-transfers"
    STAGES: ClassVar[Stages] = Stages(("loops",))
    PATTERNS = (ReadElement, Contiguous, Strided)
