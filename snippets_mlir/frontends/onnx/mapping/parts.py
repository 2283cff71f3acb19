"""ONNX operators that take tensors apart and put them together: Slice, Split and Concat.

    Slice(x, [1], [3], [0])        %y = snippets.slice %x {starts = [1, 0], steps = [1, 1]}
    Slice(x, [0], [LARGEST], [0])  %x: it takes every element
    Split(x) {axis = 1}            a snippets.slice for each output
    Concat(x, y) {axis = 1}        %z = snippets.concat %x, %y {axis = 1}

A kernel reads a slice as a view of its input, and computes the parts of a concat in their places in
the result. The bounds have to be constants, and the sizes along sliced dims have to be known. A
node on integers computes shapes in nearly all models, and stays with onnxruntime; so does one that
lies between nodes that stay there. A Slice of every element, which exporters write for `x[:, :]`,
is no node at all: onnxruntime would copy `x`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from math import prod

from xdsl.ir import SSAValue

from snippets_mlir.dialects.builtin.dims import Dim
from snippets_mlir.dialects.builtin.dtypes import numpy_dtype
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.snippets.base import FLOAT, kind_of
from snippets_mlir.dialects.snippets.concatenation import MAX_PARTS, ConcatOp
from snippets_mlir.dialects.snippets.slicing import SliceOp
from snippets_mlir.dialects.snippets.whole_tensor import normalized_axes
from snippets_mlir.frontends.onnx.mapping.layout import stays_between
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
    """Integers that are the attribute `name` or input `index`; None when neither is given."""
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


def _part(b: NodeBuilder, x: SSAValue, ranges: dict[int, range]) -> SSAValue:
    """`x` with the places of `ranges` along their axes."""
    sizes: list[Dim] = [*shape_of(x)]
    starts, steps = [0] * len(sizes), [1] * len(sizes)
    for axis, part in ranges.items():
        starts[axis], sizes[axis], steps[axis] = part.start, len(part), part.step
        if not part:
            starts[axis] = 0
    return b.emit(SliceOp(x, starts, sizes, steps))


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
    """What the size along `axis` does not exceed."""
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


def _concat(b: NodeBuilder) -> SSAValue:
    parts = [_floats(b, index) for index in range(len(b))]
    stays_between(b)
    if len(parts) > MAX_PARTS:
        raise Opaque(f"Concat of {len(parts)} parts, above {MAX_PARTS}")
    (axis,) = normalized_axes("Concat", [b.flag("axis")], len(shape_of(parts[0])))
    return b.emit(ConcatOp(parts, axis))


ROWS: dict[str, Row] = {
    "Concat": Row((4, 11, 13), _concat),
    "Slice": Row((1, 10, 11, 13), _slice),
    "Split": Row((2, 11, 13, 18), _split),
}
