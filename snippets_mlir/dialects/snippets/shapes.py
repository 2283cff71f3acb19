"""NumPy broadcasting of shapes with dynamic dims, as pure functions.

A shape is a tuple of sizes; `DYNAMIC` (printed `?`) is a size known only at run time.
Source: NumPy's broadcasting rules; MLIR's `OpTrait::util::getBroadcastedShape`.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import DYNAMIC_INDEX

from snippets_mlir.dialects.builtin.dims import Dim, Shape, Size, format_size

DYNAMIC = DYNAMIC_INDEX


def _broadcast_dim(a: Dim, b: Dim) -> Dim | None:
    if a == b or b == 1:
        return a
    if a == 1:
        return b
    if a == DYNAMIC:
        return b
    if b == DYNAMIC:
        return a
    return None


def broadcast_shapes(*shapes: Sequence[Dim]) -> Shape | None:
    """The shape that all `shapes` broadcast to, or None when they do not.

    A dynamic dim against a size above 1 gives that size: at run time it must be 1 or equal.
    """
    rank = max((len(s) for s in shapes), default=0)
    result: list[Dim] = [1] * rank
    for shape in shapes:
        for i, size in enumerate(shape, start=rank - len(shape)):
            dim = _broadcast_dim(result[i], size)
            if dim is None:
                return None
            result[i] = dim
    return tuple(result)


def compatible(a: Sequence[Dim], b: Sequence[Dim]) -> bool:
    """Whether `a` and `b` may be the same shape at run time."""
    return len(a) == len(b) and all(x == y or DYNAMIC in (x, y) for x, y in zip(a, b, strict=True))


def may_be_equal(a: Dim, b: Dim) -> bool:
    """Whether two sizes may be the same at run time, also two different formulas."""
    return DYNAMIC in (a, b) or isinstance(a - b, Size) or a == b


def with_elements_of(source: Shape, target: Shape) -> Shape:
    """`target` with its one dynamic dim from the number of elements of `source`, if that says it.

    Both are shapes of the same elements: [?0, 8] and [2, ?] give [2, 4*?0].
    """
    if DYNAMIC in source or target.count(DYNAMIC) != 1:
        return target
    elements, known = prod(source), prod(size for size in target if size != DYNAMIC)
    if known == 0 or elements % known:
        return target
    return tuple(elements // known if size == DYNAMIC else size for size in target)


def is_static(shape: Sequence[Dim]) -> bool:
    """Whether no size is `DYNAMIC`."""
    return all([size.__class__ is Size or size != DYNAMIC for size in shape])


def format_shape(shape: Sequence[Dim]) -> str:
    """`4x?x8` as in a tensor type; `scalar` for rank 0."""
    return "x".join("?" if s == DYNAMIC else format_size(s) for s in shape) or "scalar"
