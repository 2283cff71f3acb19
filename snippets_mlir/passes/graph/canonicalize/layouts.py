"""Named memory layouts: `NCHW` is planar, `NCHW16c` holds C in blocks of 16.

A blocked layout repeats one axis. Its shape has the number of blocks in the place of that axis, and
the block size as the last dim. `NCHW16c` of `2x40x5x7` is `2x3x5x7x16`; the last block is padded.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue

from snippets_mlir.dialects.builtin.dims import Dim, Shape
from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.snippets.conversion import ReshapeOp
from snippets_mlir.dialects.snippets.layout import SqueezeOp, TransposeOp, UnsqueezeOp
from snippets_mlir.dialects.snippets.shapes import DYNAMIC

_NAME = re.compile(r"([A-Z]+)(?:([1-9][0-9]*)([a-z]))?")


@dataclass(frozen=True)
class Layout:
    """Axes by their letters, outermost first; `axis` is repeated as `block` innermost elements."""

    name: str
    letters: str
    axis: int | None = None
    block: int = 1

    @property
    def blocked(self) -> bool:
        """Whether an axis occurs more than once: a layout in blocks, such as NCHW16c."""
        return self.axis is not None

    @property
    def rank(self) -> int:
        """The number of dims in memory."""
        return len(self.letters) + self.blocked

    def shape(self, planar: Sequence[Dim]) -> Shape:
        """The shape in memory of a planar shape, which may lack outer dims.

        Dims of size 1 that stand for the blocked axis stay one element.
        """
        dims = (1,) * (len(self.letters) - len(planar)) + tuple(planar)
        if self.axis is None:
            return dims
        size = dims[self.axis]
        if size == 1:
            return (*dims, 1)
        blocks = DYNAMIC if size == DYNAMIC else -(-size // self.block)
        return (*dims[: self.axis], blocks, *dims[self.axis + 1 :], self.block)

    def axis_size(self, planar: Sequence[Dim]) -> Dim:
        """The size of the blocked axis in a planar shape; 1 if it is absent."""
        assert self.axis is not None
        place = self.axis - (len(self.letters) - len(planar))
        return planar[place] if place >= 0 else 1


def parse_layout(name: str) -> Layout | None:
    """The layout called `name`; None if there is none."""
    match = _NAME.fullmatch(name)
    if match is None or len(set(match[1])) != len(match[1]):
        return None
    if match[3] is None:
        return Layout(name, match[1])
    axis = match[1].find(match[3].upper())
    return Layout(name, match[1], axis, int(match[2])) if axis >= 0 else None


def to_blocked(value: SSAValue, layout: Layout) -> list[Operation]:
    """Ops that put a planar value in a blocked layout; the axis size is a multiple of the block.

    The value has all axes, and at most one dynamic dim.
    """
    planar = shape_of(value)
    axis = layout.axis
    assert axis is not None
    blocks = layout.shape(planar)[axis]
    split = ReshapeOp(value, (*planar[:axis], blocks, layout.block, *planar[axis + 1 :]))
    rank = layout.rank
    order = [dim for dim in range(rank) if dim != axis + 1]
    return [split, TransposeOp(split, [*order, axis + 1])]


def from_blocked(value: SSAValue, layout: Layout, planar: Sequence[Dim]) -> list[Operation]:
    """Ops that give a value in a blocked layout its planar shape again."""
    axis = layout.axis
    assert axis is not None
    if shape_of(value)[-1] == 1:
        return [ReshapeOp(value, planar)]
    last = layout.rank - 1
    order = [*range(axis + 1), last, *range(axis + 1, last)]
    joined = TransposeOp(value, order)
    return [joined, ReshapeOp(joined, planar)]


def with_rank(value: SSAValue, prepend: int, append: int) -> Operation:
    """The value with dims of size 1 before and after its own (the guide's RankNormalization)."""
    shape = shape_of(value)
    if list(shape).count(DYNAMIC) <= 1:
        return ReshapeOp(value, (*[1] * prepend, *shape, *[1] * append))
    rank = prepend + len(shape) + append
    return UnsqueezeOp(value, [*range(prepend), *range(rank - append, rank)])


def without_rank(value: SSAValue, count: int) -> Operation:
    """The value without its first `count` dims, which have size 1."""
    shape = shape_of(value)
    if list(shape).count(DYNAMIC) <= 1:
        return ReshapeOp(value, shape[count:])
    return SqueezeOp(value, range(count))
