"""Facts of `convert-vector-to-scf` about vectors and ops: large vectors, and ops in tiles.

A *super-vector* is larger than a vector of the target. It is *large* if `vector-unroll` would make
more than `most` vectors of it. A *tile* is a part of it that is not large. An op *comes in tiles*
if each tile of its result, or of its written memory, needs only that tile of its operands.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import cast

from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, MemRefType, VectorType
from xdsl.dialects.ub import PoisonOp
from xdsl.ir import Attribute, Operation, SSAValue

from snippets_mlir.dialects.builtin.shaped import element_of, extents_of, rank_of
from snippets_mlir.dialects.vector import masked, memory, ops, shapes, transfer
from snippets_mlir.dialects.vector.transfer_maps import walked_dims

Transfer = transfer.TransferReadOp | transfer.TransferWriteOp
ACCESSES = (
    masked.GatherOp,
    masked.MaskedLoadOp,
    masked.MaskedStoreOp,
    masked.ScatterOp,
    memory.LoadOp,
    memory.StoreOp,
)
"""Accesses with vectors of only one shape."""


@dataclass(frozen=True)
class Bound:
    """The bounds of large vectors and of tiles.

    Attributes:
        lanes: elements of a vector of the target.
        most: the most vectors of the target in a vector that is not large.
        tile: the most vectors of the target in a tile.
    """

    lanes: int
    most: int
    tile: int

    def is_large(self, type: Attribute) -> bool:
        """Whether values of `type` are super-vectors that are too large to be unrolled."""
        if not _is_fixed(type):
            return False
        shape = extents_of(type)
        return bool(shape) and prod(shape[:-1]) * -(-shape[-1] // self.lanes) > self.most

    def touches(self, op: Operation) -> bool:
        """Whether an op has a large operand or result."""
        return any(self.is_large(value.type) for value in (*op.operands, *op.results))

    def shape(self, op: Operation) -> tuple[int, ...] | None:
        """The shape of the large vectors of an op that comes in tiles, None for another op."""
        if op.regions or not self.touches(op):
            return None
        if isinstance(op, Transfer):
            return _transfer_shape(op) if self.is_large(op.vector_type) else None
        if isinstance(op, ACCESSES):
            return _one_shape(op)
        if op.name.split(".")[0] in ("arith", "math") or isinstance(
            op, vector.FMAOp | ops.BitcastOp
        ):
            return _one_shape(op) if op.operands and op.results else None
        return None


def _is_fixed(type: Attribute) -> bool:
    """Whether `type` is a vector without scalable dimensions."""
    return type.name == VectorType.name and not cast("VectorType", type).get_num_scalable_dims()


def _one_shape(op: Operation) -> tuple[int, ...] | None:
    """The shape of all vectors of an op, None if they differ."""
    values = (*op.operands, *op.results)
    shapes = {extents_of(value.type) for value in values if value.type.name == VectorType.name}
    return shapes.pop() if len(shapes) == 1 else None


def _transfer_shape(op: Transfer) -> tuple[int, ...] | None:
    if op.memory.type.name != MemRefType.name or element_of(op.memory.type) != element_of(
        op.vector_type
    ):
        return None
    dims = walked_dims(op.map)
    known = [dim for dim in dims if dim is not None]
    mask = op.mask
    if mask is not None and not isinstance(mask.owner, ops.CreateMaskOp | ops.ConstantMaskOp):
        in_order = len(known) == len(dims) and known == sorted(known)
        if not in_order and splat_of(mask) is None:
            return None
    if mask is not None and not known:
        return None
    return extents_of(op.vector_type)


def splat_of(value: SSAValue) -> bytes | None:
    """The bytes of one element of a constant with elements of equal bits."""
    owner = value.owner
    if not isinstance(owner, arith.ConstantOp):
        return None
    dense = owner.value
    if not isinstance(dense, DenseIntOrFPElementsAttr):
        return None
    data, count = dense.data.data, prod(extents_of(value.type))
    first = data[: len(data) // count]
    return first if first * count == data else None


def is_made_again(value: SSAValue) -> bool:
    """Whether tiles of `value` are rebuilt at their uses: it is made only of scalars."""
    owner = value.owner
    if isinstance(owner, shapes.BroadcastOp):
        return rank_of(owner.operands[0].type) == 0
    made = ops.CreateMaskOp | ops.ConstantMaskOp | ops.StepOp | PoisonOp
    return isinstance(owner, made) or splat_of(value) is not None
