"""Tiles of ops on memory, and accesses that must not share loops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import memref
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.traits import ConstantLike

from snippets_mlir.analysis.loops.aliasing import Alias, alias, is_marked, root_of
from snippets_mlir.dialects.builtin.shaped import element_of, rank_of
from snippets_mlir.dialects.vector import masked
from snippets_mlir.dialects.vector.memory import StoreOp
from snippets_mlir.dialects.vector.transfer import TransferReadOp, TransferWriteOp
from snippets_mlir.dialects.vector.transfer_maps import walked_dims
from snippets_mlir.passes.loops.vectors.super_vectors import ACCESSES, Transfer
from snippets_mlir.passes.loops.vectors.vector_tiles import Place, put_tile, vector_of


@dataclass(frozen=True)
class Access:
    """The memory access of a member of a nest.

    Attributes:
        memory: the memref.
        values: the memref and the indices that are no constants.
        writes: whether it writes.
        cells: equal for accesses that touch the same cells with the same tiles, and with each
            tile other cells; None when tiles may share cells.
    """

    memory: SSAValue
    values: tuple[SSAValue, ...]
    writes: bool
    cells: object | None


def access_of(op: Operation) -> Access | None:
    """The access of an op; None for an op that accesses no memory in tiles."""
    if isinstance(op, Transfer):
        dims = walked_dims(op.map)
        writes = isinstance(op, TransferWriteOp)
        return _access(op.memory, op.indices, writes, None if None in dims else dims)
    if not isinstance(op, ACCESSES):
        return None
    writes = not op.results
    if isinstance(op, masked.GatherOp | masked.ScatterOp):
        return _access(op.base, op.indices, writes, None)
    vector = op.vector if isinstance(op, StoreOp) else op.operands[-1]
    walked = rank_of(op.results[0].type if op.results else vector.type)
    rank = rank_of(op.base.type)
    return _access(op.base, op.indices, writes, tuple(range(rank - walked, rank)))


def _access(
    base: SSAValue,
    indices: Sequence[SSAValue],
    writes: bool,
    dims: tuple[int | None, ...] | None,
) -> Access:
    start = tuple(_known(index) for index in indices)
    values = (index for index, known in zip(indices, start, strict=True) if known is index)
    return Access(base, (base, *values), writes, None if dims is None else (start, dims))


def _known(index: SSAValue) -> object:
    """A key that is equal for equal indices: the number, if it is constant."""
    constant = ConstantLike.get_constant_value(index)
    return constant.value.data if isinstance(constant, IntegerAttr) else index


def is_outside(value: SSAValue, op: Operation) -> bool:
    """Whether a value does not come from the regions of an op."""
    owner = value.owner
    above = owner.parent_op() if isinstance(owner, Block) else owner
    return above is None or not op.is_ancestor(above)


def disturbs(first: Access, second: Access) -> bool:
    """Whether two accesses may have another order tile by tile than vector by vector."""
    if not (first.writes or second.writes):
        return False
    how = alias(first.memory, second.memory)
    if how is Alias.NONE:
        return not _surely_apart(first.memory, second.memory)
    return how is Alias.MAY or first.cells is None or first.cells != second.cells


def _surely_apart(left: SSAValue, right: SSAValue) -> bool:
    """Whether memory that affine passes take as distinct is distinct by the text alone.

    Two arguments may be the same memory, unless one of them is marked.
    """
    roots = root_of(left), root_of(right)
    arguments = [root for root in roots if isinstance(root, BlockArgument)]
    if not arguments or any(is_marked(root) for root in arguments):
        return True
    fresh = memref.AllocOp | memref.AllocaOp
    return any(isinstance(root.owner, fresh) for root in roots)


def put_access(op: Operation, place: Place) -> None:
    """Put a load, store, gather or scatter in a tile.

    Gathers and scatters count from their base with all lanes, so their indices stay.
    """
    assert isinstance(op, ACCESSES)
    indices = [place.tile(index) for index in op.indices]
    if not isinstance(op, masked.GatherOp | masked.ScatterOp):
        lead = len(indices) - len(place.at)
        indices[lead:] = [place.plus(index, dim) for dim, index in enumerate(indices[lead:])]
    first = 2 if isinstance(op, StoreOp) else 1
    others = [place.tile(value) for value in op.operands]
    put_tile(op, place, [*others[:first], *indices, *others[first + len(indices) :]])


def put_transfer(op: Transfer, place: Place) -> None:
    """Put a transfer in a tile: the same map at other indices, which check the bounds as before."""
    dims, memory = walked_dims(op.map), place.tile(op.memory)
    indices = [place.tile(index) for index in op.indices]
    walked = [(dim, place_of) for place_of, dim in enumerate(dims) if dim is not None]
    for dim, place_of in walked:
        indices[dim] = place.plus(indices[dim], place_of)
    mask = op.mask
    if mask is not None:
        mask = place.tile(mask, [place_of for _, place_of in sorted(walked)])
    if isinstance(op, TransferReadOp):
        type = vector_of(element_of(op.vector_type), place.shape)
        padding = place.tile(op.padding)
        new = TransferReadOp(memory, indices, padding, type, op.in_bounds, op.map, mask)
        place.made[op.results[0]] = new.results[0]
        new.results[0].name_hint = op.results[0].name_hint
    else:
        vector = place.tile(op.vector)
        new = TransferWriteOp(vector, memory, indices, op.in_bounds, mask, op.map)
    place.b.put(new)
    new.location = op.location
