"""ONNX operators that split and join tensors: Slice, Concat and similar operators.

    Slice(x, [1], [3], [0])        %y = snippets.slice %x {starts = [1, 0], steps = [1, 1]}
    Slice(x, [0], [LARGEST], [0])  %x: it takes every element
    Gather(x, 2) {axis = 1}        %y = snippets.slice %x {starts = [0, 2], steps = [1, 1],
                                                           drops = [1]}
    Gather(x, [3, 1]) {axis = 0}   %y = snippets.slice %x {starts = [3, 0], steps = [-2, 1]}
    Gather(x, [[0], [1]])          a snippets.slice, and a snippets.reshape of it
    Split(x) {axis = 1}            a snippets.slice for each output
    Concat(x, y) {axis = 1}        %z = snippets.concat %x, %y {axis = 1}
    Pad(x, [0, 1, 0, 2], v)        %y = snippets.pad %x, %v {low = [0, 1], high = [0, 2]}
    Pad(x, [0, 0, 0, 0])           %x

A kernel reads a slice as a view of its input, and computes the parts of a concat directly in the
result. The bounds have to be constants, and the sizes along sliced dims have to be known. The
places of a Gather are one number (`q, k, v = qkv.unbind(0)`) or a list at equal distances; a Gather
with places that are known only at run time, an embedding, stays with onnxruntime. Nodes on integers
compute shapes in nearly all models and also stay there, as do nodes between nodes that stay there.
Concat and Pad of truth values belong to masks, and kernels support them. A Slice of every element,
which exporters write for `x[:, :]`, and a Pad by nothing become no node: onnxruntime would copy
`x`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from math import prod

import numpy as np
from xdsl.dialects.builtin import i1
from xdsl.ir import SSAValue

from snippets_mlir.dialects.builtin.dims import Dim
from snippets_mlir.dialects.builtin.dtypes import numpy_dtype
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.snippets.base import FLOAT, kind_of
from snippets_mlir.dialects.snippets.concatenation import MAX_PARTS, ConcatOp
from snippets_mlir.dialects.snippets.padding import PadOp
from snippets_mlir.dialects.snippets.shapes import is_static
from snippets_mlir.dialects.snippets.slicing import SliceOp
from snippets_mlir.dialects.snippets.whole_tensor import normalized_axes
from snippets_mlir.frontends.onnx.mapping.layout import reshaped, stays_between
from snippets_mlir.frontends.onnx.node import NodeBuilder, Opaque, Row
from snippets_mlir.frontends.onnx.slice_places import LARGEST, places

MOST_BYTES = 1 << 48
"""No tensor has more: Linux gives a process addresses of 47 or 48 bits."""


def _floats(b: NodeBuilder, index: int) -> SSAValue:
    """Input `index`, whose elements are floats."""
    x = b.value(index)
    if kind_of(tensor_of(x).element_type) != FLOAT:
        raise Opaque(f"{b.node.op_type} moves elements of type {tensor_of(x).element_type}")
    return x


def _numbers(b: NodeBuilder, name: str, index: int) -> list[int] | None:
    """The integers of the attribute `name` or of input `index`; None if neither is given."""
    if name in b.node.attributes:
        return [int(n) for n in b.node.attributes[name]]
    if not b.has(index):
        return None
    if (array := b.array(index)) is None:
        raise Opaque(f"the {name} of {b.node.op_type} are no constant")
    return [int(n) for n in array.reshape(-1)]


def _size(b: NodeBuilder, x: SSAValue, axis: int) -> int:
    """The size along `axis`, which has to be known."""
    size = shape_of(x)[axis]
    if not isinstance(size, int) or size < 0:
        raise Opaque(f"{b.node.op_type} along a dynamic dim")
    return size


def _part(
    b: NodeBuilder, x: SSAValue, ranges: dict[int, range], drops: Sequence[int] = ()
) -> SSAValue:
    """`x` with the places of `ranges` along their axes, without the dims `drops`."""
    sizes: list[Dim] = [*shape_of(x)]
    starts, steps = [0] * len(sizes), [1] * len(sizes)
    for axis, part in ranges.items():
        starts[axis], sizes[axis], steps[axis] = part.start, len(part), part.step
        if not part:
            starts[axis] = 0
    return b.emit(SliceOp(x, starts, sizes, steps, drops))


def _bounds(b: NodeBuilder, rank: int) -> list[tuple[int, int, int, int]]:
    """The axis, start, end and step of each sliced dim."""
    starts, ends = _numbers(b, "starts", 1), _numbers(b, "ends", 2)
    if starts is None or ends is None:
        raise Opaque("Slice without bounds")
    given = _numbers(b, "axes", 3) or range(len(starts))
    normalized_axes("Slice", given, rank)  # which has them in another order than their bounds
    axes = [axis + rank if axis < 0 else axis for axis in given]
    steps = _numbers(b, "steps", 4) or [1] * len(starts)
    if not len(starts) == len(ends) == len(axes) == len(steps) or 0 in steps:
        raise Opaque("Slice with bounds that do not fit each other")
    return list(zip(axes, starts, ends, steps, strict=True))


def _most(x: SSAValue, axis: int) -> int:
    """An upper bound of the size along `axis`."""
    others: list[Dim] = [*shape_of(x)]
    size = others.pop(axis)
    if isinstance(size, int) and size >= 0:
        return size
    known = [other for other in others if isinstance(other, int) and other > 0]
    if len(known) < len(others):  # a tensor of no elements may have any size
        return LARGEST[-1]
    width = numpy_dtype(tensor_of(x).element_type).itemsize
    return MOST_BYTES // (prod(known) * width)


def _slice(b: NodeBuilder) -> SSAValue:
    x = b.value(0)
    bounds = _bounds(b, len(shape_of(x)))
    if all(start == 0 and step == 1 and end >= _most(x, axis) for axis, start, end, step in bounds):
        return x
    _floats(b, 0)
    stays_between(b)
    return _part(b, x, {axis: places(_size(b, x, axis), *rest) for axis, *rest in bounds})


def _parts(b: NodeBuilder, size: int) -> list[int]:
    """The sizes of the outputs of a Split along a dim of `size`."""
    given = _numbers(b, "split", 1)
    if given is not None:
        return given
    count = b.flag("num_outputs", len(b.node.outputs))
    each = -(-size // max(1, count))
    return [max(0, min(each, size - each * i)) for i in range(count)]


def _split(b: NodeBuilder) -> Sequence[SSAValue | None]:
    x = _floats(b, 0)
    stays_between(b)
    (axis,) = normalized_axes("Split", [b.flag("axis")], len(shape_of(x)))
    size = _size(b, x, axis)
    parts = _parts(b, size)
    if sum(parts) != size or len(parts) != len(b.node.outputs) or min(parts, default=0) < 0:
        raise Opaque(f"Split of {size} into {', '.join(map(str, parts))}")
    ends = [*accumulate(parts)]
    ranges = [range(end - part, end) for part, end in zip(parts, ends, strict=True)]
    return [_part(b, x, {axis: one}) if b.wants(i) else None for i, one in enumerate(ranges)]


def _range_of(taken: Sequence[int]) -> range:
    """The range of numbers at equal distances; raises Opaque for others."""
    first, step = taken[0], taken[1] - taken[0] if len(taken) > 1 else 1
    found = range(first, first + step * len(taken), step) if step else range(0)
    if [*found] != [*taken]:
        raise Opaque("Gather of places at several distances")
    return found


def _gather(b: NodeBuilder) -> SSAValue:
    if (array := b.array(1)) is None:
        raise Opaque("the places of Gather are no constant")
    if array.size == 0:
        raise Opaque("Gather of no places")
    x = _floats(b, 0)
    stays_between(b)
    shape = shape_of(x)
    (axis,) = normalized_axes("Gather", [b.flag("axis")], len(shape))
    size = _size(b, x, axis)
    places = [int(n) + size if n < 0 else int(n) for n in array.reshape(-1)]
    if not all(0 <= place < size for place in places):
        raise Opaque(f"Gather of places beyond a dim of {size}")
    taken = _part(b, x, {axis: _range_of(places)}, [] if array.ndim else [axis])
    if array.ndim < 2:
        return taken
    return reshaped(b, taken, (*shape[:axis], *array.shape, *shape[axis + 1 :]))


def _amounts(b: NodeBuilder, rank: int) -> tuple[list[int], list[int]]:
    """How many elements a Pad puts before and after those of each dim."""
    given = _numbers(b, "pads", 1)
    if given is None:
        raise Opaque("Pad without amounts")
    axes = [*range(rank)]
    if b.has(3):
        if (array := b.array(3)) is None:
            raise Opaque("the axes of Pad are no constant")
        named = [int(n) for n in array.reshape(-1)]
        normalized_axes("Pad", named, rank)  # which has them in another order than their amounts
        axes = [axis + rank if axis < 0 else axis for axis in named]
    if len(given) != 2 * len(axes):
        raise Opaque(f"Pad by {len(given)} amounts along {len(axes)} dims")
    low, high = [0] * rank, [0] * rank
    for i, axis in enumerate(axes):
        low[axis], high[axis] = given[i], given[len(axes) + i]
    return low, high


def _pad(b: NodeBuilder) -> SSAValue:
    x = b.value(0)
    low, high = _amounts(b, len(shape_of(x)))
    if not any((*low, *high)):
        return x
    if tensor_of(x).element_type != i1:
        _floats(b, 0)
    stays_between(b)
    mode = b.text("mode", "constant")
    if mode != "constant":
        raise Opaque(f"Pad of mode {mode}")
    if min(*low, *high) < 0:
        raise Opaque("Pad that takes elements away")
    if not is_static(shape_of(x)):
        raise Opaque("Pad of a dynamic dim")
    around = b.number("value") if not b.has(2) else b.array(2)
    if around is None or np.size(around) != 1:
        raise Opaque("the value of Pad is no constant")
    return b.emit(PadOp(x, b.like(float(np.reshape(around, ())), x), low, high))


def _concat(b: NodeBuilder) -> SSAValue:
    parts = [b.value(index) for index in range(len(b))]
    if not parts or tensor_of(parts[0]).element_type != i1:
        parts = [_floats(b, index) for index in range(len(b))]
    stays_between(b)
    if len(parts) > MAX_PARTS:
        raise Opaque(f"Concat of {len(parts)} parts, above {MAX_PARTS}")
    (axis,) = normalized_axes("Concat", [b.flag("axis")], len(shape_of(parts[0])))
    return b.emit(ConcatOp(parts, axis))


ROWS: dict[str, Row] = {
    "Concat": Row((4, 11, 13), _concat),
    "Gather": Row((1, 11, 13), _gather),
    "Pad": Row((2, 11, 13, 18, 19, 21, 23, 24, 25), _pad),
    "Slice": Row((1, 10, 11, 13), _slice),
    "Split": Row((2, 11, 13, 18), _split),
}
