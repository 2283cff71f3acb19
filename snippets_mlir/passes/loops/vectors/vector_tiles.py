"""Loops over the tiles of super-vectors: the place of a tile, and ops on tiles.

    %s = arith.addf %a, %b : vector<4x20xf32>

becomes, for tiles of 2 rows and 8 lanes,

    scf.for %r = %c0 to %c4 step %c2 {
      scf.for %c = %c0 to %c16 step %c8 {
        ... the tile of 2x8 elements at %r, %c
      }
      ... the tile of 2x4 elements at %r, 16
    }

A dimension that a tile fills has no loop.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from math import prod

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import BytesAttr, DenseIntOrFPElementsAttr, VectorType
from xdsl.dialects.ub import PoisonOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from snippets_mlir.dialects.builtin.shaped import element_of, rank_of
from snippets_mlir.dialects.vector import ops
from snippets_mlir.dialects.vector.shapes import BroadcastOp
from snippets_mlir.passes.building.affine_values import INDEX, IndexBuilder
from snippets_mlir.passes.loops.vectors.super_vectors import Bound, splat_of

Index = SSAValue | None
"""An index; None is 0."""
ROW = 4
"""The most vectors of the target from one row in a tile, if there are more rows."""


@cache
def vector_of(element: Attribute, shape: tuple[int, ...]) -> VectorType:
    """The type of a vector with these sizes and elements."""
    return VectorType(element, shape)


def tile_of(shape: tuple[int, ...], bound: Bound, *, repeats: bool) -> tuple[int, ...]:
    """The shape of the tiles; along the last dimension it is for all but the last elements.

    Each of its sizes divides the dimension, so there are at most two kinds of tiles. Several rows
    are better than one: values that rows, or neighbouring rows, share are read once. Tiles of one
    row are longer in a nest that `repeats` a tile in a loop, because the next iteration reads other
    memory.
    """
    *rows, last = shape
    vectors = max(last // bound.lanes, 1)
    most = bound.most if repeats else bound.tile
    wide = _divisor(vectors, most if prod(rows) == 1 else min(ROW, bound.tile))
    left = max(bound.tile // wide, 1)
    tile = [wide * min(bound.lanes, last)]
    for size in reversed(rows):
        tile.insert(0, _divisor(size, left))
        left = left // size if tile[0] == size else 1
    return tuple(tile)


def _divisor(number: int, most: int) -> int:
    """The largest divisor of a number that is at most `most`."""
    return next(k for k in range(max(min(number, most), 1), 0, -1) if number % k == 0)


@dataclass
class Place:
    """One tile during the creation of its ops.

    Attributes:
        at: the index of its first element.
        shape: its sizes.
        b: makes ops at their place.
        made: the existing tiles.
        scalars: the replacements for values of loops that are copied into the tile.
    """

    at: tuple[Index, ...]
    shape: tuple[int, ...]
    b: IndexBuilder
    made: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    scalars: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])

    def plus(self, index: SSAValue, dim: int) -> SSAValue:
        """`index`, moved by the place of the tile along dimension `dim` of the vector."""
        by = self.at[dim]
        return index if by is None else self.b.add(arith.AddiOp(index, by))

    def tile(self, value: SSAValue, dims: Sequence[int] | None = None) -> SSAValue:
        """The tile of an operand; a scalar serves all tiles.

        Dimension `k` of the operand is dimension `dims[k]` of the vectors of this nest.
        """
        if value.type.name != VectorType.name or value in self.scalars:
            return self.scalars.get(value, value)
        own = range(len(self.at))
        if dims is not None and list(dims) != list(own):
            return self._again(value, dims)
        if value not in self.made:
            self.made[value] = self._again(value, own)
        return self.made[value]

    def _again(self, value: SSAValue, dims: Sequence[int]) -> SSAValue:
        """The tile of a value that is made only of scalars."""
        owner, b = value.owner, self.b
        shape = tuple(self.shape[dim] for dim in dims)
        type = vector_of(element_of(value.type), shape)
        if isinstance(owner, ops.CreateMaskOp | ops.ConstantMaskOp):
            return self._mask(owner, type, dims)
        if isinstance(owner, PoisonOp):
            return b.add(PoisonOp(type))
        if isinstance(owner, ops.StepOp):
            lanes, start = b.add(ops.StepOp(type)), self.at[-1]
            if start is None:
                return lanes
            return b.add(arith.AddiOp(lanes, b.add(BroadcastOp(start, type))))
        if isinstance(owner, BroadcastOp):
            return b.add(BroadcastOp(self.tile(owner.operands[0]), type))
        number = splat_of(value)
        assert number is not None
        data = BytesAttr(number * prod(shape))
        return b.add(arith.ConstantOp(DenseIntOrFPElementsAttr(type, data), type))  # pyright: ignore

    def _mask(
        self, owner: ops.CreateMaskOp | ops.ConstantMaskOp, type: VectorType, dims: Sequence[int]
    ) -> SSAValue:
        b = self.b
        sizes = (
            [self.tile(size) for size in owner.mask_dim_sizes]
            if isinstance(owner, ops.CreateMaskOp)
            else [b.constant(size) for size in owner.sizes]
        )
        for place, dim in enumerate(dims):
            start = self.at[dim]
            if start is not None:
                sizes[place] = b.add(arith.SubiOp(sizes[place], start))
        return b.add(ops.CreateMaskOp([*sizes], type))


def build_nest(
    op: Operation,
    shape: tuple[int, ...],
    tile: tuple[int, ...],
    ends: Sequence[Index],
    body: Callable[[Place], None],
) -> None:
    """Make the loops over the tiles of a shape before `op`; `body` fills each tile.

    `ends` has for each dimension the index from which on there is no work, or None.
    """
    at: list[Index] = []
    b = IndexBuilder(op)
    for size, step, end in zip(shape, tile, ends, strict=True):
        whole = size - size % step
        inner, index = b, None
        if whole > step:
            index, inner = _loop(b, whole, step, end)
        if len(at) + 1 < len(shape):
            at.append(index)
            b = inner
            continue
        body(Place((*at, index), tile, inner))
        if size > whole:
            body(Place((*at, b.constant(whole)), (*tile[:-1], size - whole), b))


def _loop(b: IndexBuilder, size: int, step: int, end: Index) -> tuple[SSAValue, IndexBuilder]:
    """A loop from 0: its index, and a builder in its body."""
    block = Block(arg_types=[INDEX])
    last = scf.YieldOp()
    block.add_op(last)
    stop = b.constant(size)
    if end is not None:
        stop = b.add(arith.MinSIOp(stop, end))
    b.put(scf.ForOp(b.constant(0), stop, b.constant(step), (), Region(block)))
    return block.args[0], IndexBuilder(last)


def put_tile(op: Operation, place: Place, operands: Sequence[SSAValue]) -> None:
    """Put `op` in a tile, on the tiles of its operands."""
    new = type(op).create(
        operands=operands,
        result_types=[vector_of(element_of(v.type), place.shape) for v in op.results],
        properties=op.properties,
        attributes=op.attributes,
    )
    place.b.put(new)
    new.location = op.location
    for old, made in zip(op.results, new.results, strict=True):
        assert rank_of(old.type) == len(place.shape)
        made.name_hint = old.name_hint
        place.made[old] = made


def put_again(op: Operation, place: Place) -> None:
    """Copy an op without super-vectors into a tile."""
    new = op.clone({value: place.scalars.get(value, value) for value in op.operands})
    place.b.put(new)
    new.location = op.location
    place.scalars.update(zip(op.results, new.results, strict=True))
