"""Lower 1-D transfers along the last dimension of a memref to loads and stores.

    %v = vector.transfer_read %A[%i, %j], %pad : memref<?x?xf32>, vector<8xf32>

becomes

    %n = memref.dim %A, %c1 : memref<?x?xf32>
    %left = arith.subi %n, %j : index
    %mask = vector.create_mask %left : vector<8xi1>
    %pass = vector.broadcast %pad : f32 to vector<8xf32>
    %v = vector.maskedload %A[%i, %j], %mask, %pass : ...

and, when `in_bounds` is true and there is no mask, one `vector.load`. A transfer that broadcasts
becomes a `memref.load` and a broadcast. Left as they are: transfers along other dimensions or
memory whose last stride is not known to be 1 (`convert-vector-to-llvm` makes gathers and scatters
of them, which is why out-of-bounds lanes are masked here, too), vectors of another rank, tensors.
"""

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import arith as upstream_arith
from xdsl.dialects import memref
from xdsl.dialects.builtin import MemRefType, ModuleOp, VectorType, i1
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from snippets_mlir.dialects.builtin.shaped import element_of, extents_of, rank_of
from snippets_mlir.dialects.memref.facts import DimOp
from snippets_mlir.dialects.memref.layout import layout_of
from snippets_mlir.dialects.vector.masked import MaskedLoadOp, MaskedStoreOp
from snippets_mlir.dialects.vector.memory import LoadOp, StoreOp
from snippets_mlir.dialects.vector.ops import CreateMaskOp
from snippets_mlir.dialects.vector.shapes import BroadcastOp
from snippets_mlir.dialects.vector.transfer import TransferReadOp, TransferWriteOp
from snippets_mlir.dialects.vector.transfer_maps import walked_dims
from snippets_mlir.passes.building.affine_values import IndexBuilder

Transfer = TransferReadOp | TransferWriteOp


@dataclass(frozen=True)
class Plan:
    """What a transfer becomes.

    Attributes:
        dim: the dimension that it walks, None for a broadcast.
        contiguous: whether its elements lie side by side.
        bounded: whether lanes may be out of bounds.
    """

    dim: int | None
    contiguous: bool
    bounded: bool


def plan(op: Transfer) -> Plan | None:
    """What becomes of `op`; None when it stays."""
    memory = op.memory.type
    if not isinstance(memory, MemRefType) or rank_of(op.vector_type) != 1:
        return None
    if isinstance(element_of(op.memory.type), VectorType):
        return None
    dim = walked_dims(op.map)[0]
    if dim is None:
        return None if op.mask is not None or isinstance(op, TransferWriteOp) else _BROADCAST
    layout = layout_of(op.memory.type)
    last = layout is not None and layout[0][-1] == 1 and dim == rank_of(op.memory.type) - 1
    bounded = not op.bounds[0]
    return Plan(dim, last, bounded) if last or bounded else None


_BROADCAST = Plan(None, False, False)


def _mask(op: Transfer, b: IndexBuilder, dim: int) -> SSAValue:
    """1 for the lanes inside the memory that the op's own mask allows."""
    size = b.add(DimOp(op.memory, b.constant(dim)))
    left = b.add(upstream_arith.SubiOp(size, op.indices[dim]))
    type = VectorType(i1, extents_of(op.vector_type))
    mask = b.add(CreateMaskOp([left], type))
    return mask if op.mask is None else b.add(upstream_arith.AndIOp(mask, op.mask))


def _apply(op: Transfer, plan: Plan) -> None:
    b = IndexBuilder(op)
    if plan.dim is None:
        scalar = b.add(memref.LoadOp.get(op.memory, op.indices))
        _replace(op, b.add(BroadcastOp(scalar, op.vector_type)))  # pyright: ignore
        return
    mask = _mask(op, b, plan.dim) if plan.bounded else op.mask
    if isinstance(op, TransferWriteOp):
        if not plan.contiguous:
            made: Operation = TransferWriteOp(
                op.vector, op.memory, op.indices, [True], mask, op.map
            )
        elif mask is None:
            made = StoreOp(op.vector, op.memory, op.indices)
        else:
            made = MaskedStoreOp(op.memory, op.indices, mask, op.vector)
        made.location = op.location
        assert op.parent is not None
        op.parent.insert_op_before(made, op)
        _replace(op)
    elif not plan.contiguous:
        type = op.vector_type
        made = TransferReadOp(op.memory, op.indices, op.padding, type, [True], op.map, mask)
        _replace(op, b.add(made))
    elif mask is None:
        _replace(op, b.add(LoadOp(op.memory, op.indices, op.vector_type)))
    else:
        padding = b.add(BroadcastOp(op.padding, op.vector_type))  # pyright: ignore
        _replace(op, b.add(MaskedLoadOp(op.memory, op.indices, mask, padding)))


def _replace(op: Operation, *values: SSAValue) -> None:
    for result, value in zip(op.results, values, strict=True):
        value.name_hint = result.name_hint
        result.replace_all_uses_with(value)
    op.detach()
    op.erase()


@dataclass(frozen=True)
class LowerVectorTransfersPass(ModulePass):
    """Lower 1-D transfers to loads and stores, masked where they may run out of bounds."""

    name: ClassVar[str] = "lower-vector-transfers"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Replace each transfer that has a plan."""
        for inner in tuple(op.walk()):
            if isinstance(inner, TransferReadOp | TransferWriteOp):
                found = plan(inner)
                if found is not None:
                    _apply(inner, found)
