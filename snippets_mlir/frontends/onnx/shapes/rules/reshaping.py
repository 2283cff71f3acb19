"""Operators that change the shape of their input: Reshape, Flatten, Squeeze and Unsqueeze."""

from __future__ import annotations

from collections.abc import Sequence

from snippets_mlir.frontends.onnx.shapes.dims import Dim, Size, floordiv, product
from snippets_mlir.frontends.onnx.shapes.rules.shaping import known, viewed
from snippets_mlir.frontends.onnx.shapes.types import Shape, UnknownShape
from snippets_mlir.frontends.onnx.shapes.view import NodeView, Out, Rule, normalized


def reshaped(node: NodeView, source: Shape, wanted: Sequence[Size | None]) -> Shape:
    """`source` under the shape `wanted`, where 0 copies a size and -1 is the remaining size."""
    copies = not node.integer("allowzero")
    copied = {i: source[i] for i, s in enumerate(wanted) if s == 0 and copies}
    # An expression that may be negative may be -1 in a call.
    result = [s if s == -1 or _is_at_least(node, source, s, 0) else None for s in wanted]
    open_ = [i for i, s in enumerate(result) if s is None]
    # What is copied is on both sides, known or not.
    rest = [s for i, s in enumerate(source) if i not in copied]
    left: Size | None = None
    at = result.index(-1) if -1 in result else open_[0] if len(open_) == 1 else -1
    others = [s for i, s in enumerate(result) if i != at and i not in copied]
    if at in open_:
        # The unknown size is the remaining size, unless there are no elements.
        plain = all(_is_at_least(node, source, s, 1) for s in (*others, *copied.values()))
        left = _what_is_left(rest, others) if plain else None
    elif at >= 0 and None not in others:
        # A call in which another size is 0 fails.
        left = _what_is_left(rest, others)
    if copies:
        result = [s if _is_plain(node, source, i, s) else None for i, s in enumerate(result)]
    return tuple(left if i == at else copied.get(i, s) for i, s in enumerate(result))


def _is_at_least(node: NodeView, source: Shape, size: Size | None, bound: int) -> bool:
    """Whether `size >= bound`, which is 0 or 1; a size of the source is not negative."""
    if size is None or node.assumptions.is_at_least(size, bound):
        return size is not None
    is_size = isinstance(size, Dim) and size in source
    return is_size and (bound == 0 or node.assumptions.is_positive(size))


def _is_plain(node: NodeView, source: Shape, dim: int, size: Size | None) -> bool:
    """Whether a wanted size is the size of the result in calls where it is 0 too.

    There it copies the size of the source: the same, or none, which is an error.
    """
    same = not isinstance(size, Dim) or dim >= len(source) or source[dim] == size
    return same or _is_at_least(node, source, size, 1)


def _what_is_left(above: Sequence[Size | None], below: Sequence[Size | None]) -> Size | None:
    """The product of `above` divided by that of `below`, where sizes on both sides cancel."""
    above, below = list(above), list(below)
    for size in list(below):
        if size is not None and size in above:
            above.remove(size)
            below.remove(size)
    up, down = known(above), known(below)
    if up is None or down is None or 0 in down:
        return None
    return floordiv(product(up), product(down))


def _reshape(node: NodeView) -> list[Out]:
    wanted = node.given_sizes("shape", 1)
    if wanted is None:
        raise UnknownShape
    if None in wanted and node.type(0).shape is None:
        return [Out(tuple(None if s in (0, -1) else s for s in wanted))]
    if node.type(0).shape is None:
        plain = [s if isinstance(s, int) and s > 0 else None for s in wanted]
        return [Out(tuple(plain))]
    shape = reshaped(node, node.shape(0), wanted)
    return [Out(shape, viewed(node.elements(0), shape))]


def _flatten(node: NodeView) -> list[Out]:
    shape = node.shape(0)
    axis = node.integer("axis", 1)
    axis = normalized(axis, len(shape) + 1) if axis >= 0 else normalized(axis, len(shape))
    sides = [known(side) for side in (shape[:axis], shape[axis:])]
    result = tuple(None if side is None else product(side) for side in sides)
    return [Out(result, viewed(node.elements(0), result))]


def _squeeze(node: NodeView) -> list[Out]:
    shape, axes = node.shape(0), node.given_axes(1)
    if not axes:  # onnxruntime takes an empty list for none
        axes = [i for i, s in enumerate(shape) if _is_one(node, s)]
    dropped = {normalized(a, len(shape)) for a in axes}
    result = tuple(s for i, s in enumerate(shape) if i not in dropped)
    return [Out(result, viewed(node.elements(0), result))]


def _is_one(node: NodeView, size: Size | None) -> bool:
    if size is None:
        raise UnknownShape
    return node.assumptions.is_equal(size, 1)


def _unsqueeze(node: NodeView) -> list[Out]:
    axes = node.given_axes(1)
    if axes is None:
        raise UnknownShape
    rank = node.rank(0) + len(axes)
    ones = {normalized(a, rank) for a in axes}
    if len(ones) < len(axes):
        raise UnknownShape
    rest = iter(node.shape(0))
    result = tuple(1 if i in ones else next(rest) for i in range(rank))
    return [Out(result, viewed(node.elements(0), result))]


RULES: dict[str, Rule] = {
    "Flatten": _flatten,
    "Reshape": _reshape,
    "Squeeze": _squeeze,
    "Unsqueeze": _unsqueeze,
}
