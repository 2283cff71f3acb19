"""The shapes of operands of an op that moves before a reshape of another operand."""

from __future__ import annotations

from snippets_mlir.dialects.builtin.dims import Dim, Shape
from snippets_mlir.dialects.snippets.canonicalization.layouts import is_reshapable
from snippets_mlir.dialects.snippets.shapes import DYNAMIC
from snippets_mlir.passes.graph.canonicalize.snippets_reshape_first import parts_of


def differ_by_ones(before: Shape, after: Shape) -> bool:
    """Whether a reshape from one to the other only adds and drops dims of 1."""
    sizes = [[size for size in shape if size != 1] for shape in (before, after)]
    return sizes[0] == sizes[1] and is_reshapable(sizes[0])


def at_places_of(shape: Shape, before: Shape, after: Shape) -> Shape | None:
    """`shape`, which broadcasts to `after`, as it broadcasts to `before`, which differs by ones."""
    aligned = (1,) * (len(after) - len(shape)) + shape
    sizes = iter(size for size, whole in zip(aligned, after, strict=True) if whole != 1)
    found = tuple(1 if whole == 1 else next(sizes) for whole in before)
    return found if is_reshapable(found) else None


def at_parts_of(shape: Shape, before: Shape, after: Shape) -> Shape | None:
    """`shape`, which broadcasts to `after`, as it broadcasts to `before`, where dims are split.

    A mask `4x1x9x7` of scores `4x6x9x7` is `4x1x1x9x7` beside `4x2x3x9x7`.
    """
    parts = parts_of(after, before)
    if parts is None or DYNAMIC in (*shape, *before, *after):
        return None
    aligned, found = (1,) * (len(after) - len(shape)) + shape, list[Dim]()
    for size, whole, part in zip(aligned, after, parts, strict=True):
        found += part if size == whole else (1,) * len(part)
    return tuple(found)
