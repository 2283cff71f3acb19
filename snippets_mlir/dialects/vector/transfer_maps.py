"""Permutation maps, masks and flags of the vector transfers."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, BoolAttr, VectorType, i1
from xdsl.ir import Attribute
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineMap

from snippets_mlir.dialects.builtin.shaped import element_of, extents_of, rank_of


def minor_identity(memory: Attribute, vector: Attribute) -> AffineMap:
    """The default map, which is not printed: the last dimensions of the memory, in order."""
    if rank_of(memory) == 0 and extents_of(vector) == (1,):
        return AffineMap(0, 0, (AffineConstantExpr(0),))
    walked = rank_of(vector) - rank_of(element_of(memory))
    rank = rank_of(memory)
    return AffineMap(rank, 0, tuple(AffineDimExpr(d) for d in range(rank - walked, rank)))


def walked_dims(map: AffineMap) -> tuple[int | None, ...]:
    """For each dimension of the vector the dimension of the memory, None for a broadcast."""
    return tuple(e.position if isinstance(e, AffineDimExpr) else None for e in map.results)


def mask_type_of(vector: Attribute, map: AffineMap) -> VectorType:
    """The type of the mask: the dimensions that are walked, in the order of the memory."""
    sizes = {
        dim: size
        for dim, size in zip(walked_dims(map), extents_of(vector), strict=False)
        if dim is not None
    }
    return VectorType(i1, [sizes[dim] for dim in sorted(sizes)])


def flags_of(flags: Sequence[bool]) -> ArrayAttr[BoolAttr]:
    """`[true, false]`: an array attribute of booleans."""
    return ArrayAttr(BoolAttr.from_bool(flag) for flag in flags)
