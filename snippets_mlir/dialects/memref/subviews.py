"""Facts from the types of `memref.subview`: static indices, and the dims that the result keeps.

%1 = memref.subview %0[%i, 0] [1, %n] [1, 1] : memref<8x16xf32> to memref<?xf32, ...>   keeps dim 1
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import memref
from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.ir import Attribute

from snippets_mlir.dialects.builtin.shaped import extents_of
from snippets_mlir.dialects.memref.layout import layout_of
from snippets_mlir.dialects.vector.lanes import integers_in


def static_indices(static: Attribute) -> tuple[int | None, ...]:
    """Static indices, None for indices that are operands."""
    return tuple(None if n == DYNAMIC_INDEX else n for n in integers_in(static))


def kept_dims(
    sizes: Sequence[int | None], strides: Sequence[int | None], result: Attribute
) -> tuple[int, ...] | None:
    """The dimensions of a subview that its result keeps; dropped dimensions have size 1.

    If several choices fit the sizes, the strides of the result decide.
    """
    shape = extents_of(result)
    layout = layout_of(result)
    wanted = layout[0] if layout is not None else (None,) * len(shape)

    def search(dim: int, place: int) -> tuple[int, ...] | None:
        if dim == len(sizes):
            return () if place == len(shape) else None
        if place < len(shape):
            size = None if shape[place] == DYNAMIC_INDEX else shape[place]
            strided = None in (wanted[place], strides[dim]) or wanted[place] == strides[dim]
            if size == sizes[dim] and strided:
                rest = search(dim + 1, place + 1)
                if rest is not None:
                    return (dim, *rest)
        return search(dim + 1, place) if sizes[dim] == 1 else None

    return search(0, 0)


def kept_dims_of(op: memref.SubviewOp) -> tuple[int, ...] | None:
    """The dims that the result keeps; None if its type does not determine them."""
    sizes, steps = static_indices(op.static_sizes), static_indices(op.static_strides)
    layout = layout_of(op.source.type)
    strides = layout[0] if layout is not None else (None,) * len(steps)
    moved = [
        None if stride is None or step is None else stride * step
        for stride, step in zip(strides, steps, strict=True)
    ]
    return kept_dims(sizes, moved, op.result.type)
