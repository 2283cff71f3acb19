"""End loops over tiles early: after the last tile that writes memory.

A super-vector may extend past the end of all memory that a nest writes: a vector of 32x256 elements
at the edge, or in a smaller array. Tiles without an element inside do nothing, and do not run.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Operation, SSAValue

from snippets_mlir.dialects.memref.facts import DimOp
from snippets_mlir.dialects.vector import ops
from snippets_mlir.dialects.vector.transfer import TransferWriteOp
from snippets_mlir.dialects.vector.transfer_maps import walked_dims
from snippets_mlir.passes.building.affine_values import IndexBuilder
from snippets_mlir.passes.loops.vectors.tile_accesses import access_of, is_outside

Size = tuple[SSAValue, int, SSAValue]
"""A memref, one of its dims, and the begin of the vectors in it."""
End = Size | SSAValue | int


def tile_ends(
    members: Sequence[Operation], loops: Sequence[bool], b: IndexBuilder
) -> list[SSAValue | None]:
    """For each dimension with a loop, the end of all members' writes; None: unknown."""
    ends: list[list[list[End]] | None] = [[] if loop else None for loop in loops]
    for member in members:
        for op in member.walk():
            access = access_of(op)
            if access is None or not access.writes:
                continue
            for dim, known in enumerate(ends):
                if known is None:
                    continue
                found = _ends_of(op, member, dim) if isinstance(op, TransferWriteOp) else []
                if not found:
                    ends[dim] = None
                elif found not in known:
                    known.append(found)
    return [None if known is None else _last(known, b) for known in ends]


def _ends_of(op: TransferWriteOp, member: Operation, dim: int) -> list[End]:
    """The ends of a write along a dimension: of the memory, and of the mask."""
    walked, found = walked_dims(op.map), list[End]()
    place = walked[dim]
    if place is None:
        return found
    if not op.bounds[dim] and all(is_outside(v, member) for v in (op.memory, op.indices[place])):
        found.append((op.memory, place, op.indices[place]))
    mask = None if op.mask is None else op.mask.owner
    number = sorted(d for d in walked if d is not None).index(place)
    if isinstance(mask, ops.CreateMaskOp) and is_outside(mask.mask_dim_sizes[number], member):
        found.append(mask.mask_dim_sizes[number])
    elif isinstance(mask, ops.ConstantMaskOp):
        found.append(mask.sizes[number])
    return found


def _last(ends: Sequence[Sequence[End]], b: IndexBuilder) -> SSAValue:
    """The largest end of all writes; each write ends at the smallest of its ends."""
    writes = [b.extremum([_value(end, b) for end in each], arith.MinSIOp) for each in ends]
    return b.extremum(writes, arith.MaxSIOp)


def _value(end: End, b: IndexBuilder) -> SSAValue:
    if isinstance(end, SSAValue):
        return end
    if isinstance(end, int):
        return b.constant(end)
    memory, dim, index = end
    assert isinstance(memory.type, MemRefType)
    return b.add(arith.SubiOp(b.add(DimOp(memory, b.constant(dim))), index))
