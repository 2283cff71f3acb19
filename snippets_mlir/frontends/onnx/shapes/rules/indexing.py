"""Operators that pick, place or count elements: Gather, Slice, Split, TopK and similar ones."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import onnx

from snippets_mlir.frontends.onnx.shapes.bounds import at_least, maximum
from snippets_mlir.frontends.onnx.shapes.dims import Size, ceildiv, floordiv
from snippets_mlir.frontends.onnx.shapes.rules.elementwise import like_first
from snippets_mlir.frontends.onnx.shapes.rules.shaping import known
from snippets_mlir.frontends.onnx.shapes.types import MOST_ELEMENTS, Shape, UnknownShape
from snippets_mlir.frontends.onnx.shapes.view import NodeView, Out, Rule, normalized
from snippets_mlir.frontends.onnx.slice_places import LARGEST, places

FAR = 1 << 31
"""Bounds of a Slice from here on mean the end."""


def _gather(node: NodeView) -> list[Out]:
    shape, indices = node.shape(0), node.shape(1)
    axis = node.axis("axis", 0, len(shape))
    result = (*shape[:axis], *indices, *shape[axis + 1 :])
    found, at = node.elements(0), node.integers_of(1)
    if found is None or at is None or not all(isinstance(s, int) for s in indices):
        return [Out(result)]
    picked = found.take(np.array(at, np.int64).reshape([int(str(s)) for s in indices]), axis)
    return [Out(result, np.asarray(picked, np.object_))]


def _gather_nd(node: NodeView) -> list[Out]:
    shape, indices, batch = node.shape(0), node.shape(1), node.integer("batch_dims")
    depth = indices[-1]
    if not isinstance(depth, int):
        raise UnknownShape
    return [Out((*indices[:-1], *shape[batch + depth :]))]


def _slice(node: NodeView) -> list[Out]:
    shape = list(node.shape(0))
    starts, ends = node.given_sizes("starts", 1), node.given_sizes("ends", 2)
    if starts is None or ends is None:
        raise UnknownShape
    axes = node.given_axes(3) or list(range(len(starts)))
    steps = node.given_sizes("steps", 4) or [1] * len(starts)
    found = node.elements(0)
    for start, end, axis, step in zip(starts, ends, axes, steps, strict=True):
        axis = normalized(axis, len(shape))
        match shape[axis], start, end, step:
            case int(size), int(start), int(end), int(step) if step:
                taken = places(size, start, end, step)
                shape[axis] = len(taken)
                found = None if found is None else np.asarray(found.take(taken, axis), np.object_)
            case size, _, _, _:
                shape[axis], found = _sliced(node, size, start, end, step), None
    return [Out(tuple(shape), found)]


def _sliced(
    node: NodeView, size: Size | None, start: Size | None, end: Size | None, step: Size | None
) -> Size | None:
    """How many elements are from `start` to `end`."""
    if size is None or start is None or end is None or not isinstance(step, int) or step == 0:
        return None
    low, high = (0, size) if step > 0 else (-1, size - 1)
    first = _clamped(node, start, size, 0, high)
    if step < 0 and end in LARGEST:
        end = -end
    last = _clamped(node, end, size, low, size if step > 0 else size - 1)
    if first is None or last is None:
        return None
    distance = last - first if step > 0 else first - last
    return node.assumptions.not_negative(ceildiv(distance, abs(step)))


def _clamped(node: NodeView, at: Size, size: Size, low: int, high: Size) -> Size | None:
    """A bound of a Slice, counted from the front and inside of the dim."""
    assumptions = node.assumptions
    if isinstance(at, int) and abs(at) >= FAR:
        return high if at > 0 else low
    if at_least(at, 0, 0) or (not at_least(-at, 1) and at_least(at, 0)):
        return assumptions.at_most(assumptions.not_negative(at), high)
    if not at_least(-at, 1, 0):
        return None
    counted = at + size
    return assumptions.not_negative(counted) if low == 0 else maximum((counted, low))


def _split(node: NodeView) -> list[Out]:
    shape, count = node.shape(0), len(node.outputs)
    axis = node.axis("axis", 0, len(shape))
    sizes: Sequence[Size | None] | None = node.given_sizes("split", 1)
    if sizes is None:
        size = shape[axis]
        if size is None:
            sizes = [None] * count
        else:
            chunk = ceildiv(size, count) if node.integer("num_outputs") else floordiv(size, count)
            last = size - chunk * (count - 1)
            sizes = [*[chunk] * (count - 1), last if node.integer("num_outputs") else chunk]
    outs = [(*shape[:axis], s, *shape[axis + 1 :]) for s in sizes]
    found = node.elements(0)
    if found is None or not all(isinstance(s, int) for s in sizes):
        return [Out(s) for s in outs]
    ends = np.cumsum([int(str(s)) for s in sizes])[:-1]
    parts = np.split(found, ends, axis)
    return [Out(s, p) for s, p in zip(outs, parts, strict=True)]


def _tile(node: NodeView) -> list[Out]:
    repeats = node.given_sizes("", 1)
    if repeats is None:
        raise UnknownShape
    shape = node.shape(0)
    pairs = zip(shape, repeats, strict=True)
    result: Shape = tuple(None if s is None or r is None else s * r for s, r in pairs)
    numbers = [r for r in repeats if isinstance(r, int)]
    found = node.elements(0)
    total = 1
    for number in numbers:
        total *= number
    small = found is not None and len(numbers) == len(repeats)
    if found is None or not small or found.size * total > MOST_ELEMENTS:
        return [Out(result)]
    return [Out(result, np.tile(found, numbers))]


def _pad(node: NodeView) -> list[Out]:
    shape = list(node.shape(0))
    pads = node.given_sizes("pads" if node.version >= 2 else "paddings", 1)
    axes = node.given_axes(3) if node.has(3) else list(range(len(shape)))
    if pads is None or axes is None:
        raise UnknownShape
    half = len(axes)
    for i, axis in enumerate(axes):
        before, after, size = pads[i], pads[i + half], shape[normalized(axis, len(shape))]
        whole = None if before is None or after is None or size is None else size + before + after
        shape[normalized(axis, len(shape))] = whole
    return [Out(tuple(shape))]


def _top_k(node: NodeView) -> list[Out]:
    shape = list(node.shape(0))
    count: Size | None
    if "k" in node.attributes:
        count = node.integer("k")
    else:
        found = node.sizes(1)
        count = found[0] if found else None
    shape[node.axis("axis", -1, len(shape))] = count
    return [Out(tuple(shape)), Out(tuple(shape))]


def _arg(node: NodeView) -> list[Out]:
    shape = list(node.shape(0))
    axis = node.axis("axis", 0, len(shape))
    shape[axis : axis + 1] = [1] if node.integer("keepdims", 1) else []
    return [Out(tuple(shape))]


def _one_hot(node: NodeView) -> list[Out]:
    shape, depth = list(node.shape(0)), node.sizes(1)
    axis = normalized(node.integer("axis", -1), len(shape) + 1)
    shape.insert(axis, depth[0] if depth else None)
    return [Out(tuple(shape))]


def _non_zero(node: NodeView) -> list[Out]:
    return [Out((node.rank(0), None))]


def _compress(node: NodeView) -> list[Out]:
    if "axis" not in node.attributes:
        return [Out((None,))]
    shape = list(node.shape(0))
    flags = node.integers_of(1)
    size = shape[node.axis("axis", 0, len(shape))]
    exact = flags is not None and isinstance(size, int) and len(flags) <= size
    shape[node.axis("axis", 0, len(shape))] = sum(map(bool, flags or ())) if exact else None
    return [Out(tuple(shape))]


def _unique(node: NodeView) -> list[Out]:
    many = Out((None,), None, onnx.TensorProto.INT64)
    if "axis" not in node.attributes:
        return [Out((None,)), many, many, many]
    shape = list(node.shape(0))
    shape[node.axis("axis", 0, len(shape))] = None
    return [Out(tuple(shape)), many, many, many]


def _non_max_suppression(_: NodeView) -> list[Out]:
    return [Out((None, 3))]


def _eye_like(node: NodeView) -> list[Out]:
    return [Out(node.shape(0), None, node.integer("dtype") or node.type(0).element)]


def _random(node: NodeView) -> list[Out]:
    shape = node.integers("shape") or []
    return [Out(tuple(shape), None, node.integer("dtype", onnx.TensorProto.FLOAT))]


def _cumulated(node: NodeView) -> list[Out]:
    """CumSum of a small vector of known numbers, else the shape alone."""
    found, axis = node.elements(0), node.integers_of(1)
    plain = not node.integer("exclusive") and not node.integer("reverse")
    if (
        found is None
        or found.ndim != 1
        or axis is None
        or not plain
        or known(found.tolist()) is None
    ):
        return like_first(node)
    total: Size = 0
    sums = found.copy()
    for index, size in enumerate(found.tolist()):
        total = total + size
        sums[index] = total
    return [Out(node.shape(0), sums)]


RULES: dict[str, Rule] = {
    **dict.fromkeys(("Scatter", "ScatterElements", "ScatterND", "TensorScatter"), like_first),
    **dict.fromkeys(("Trilu", "ReverseSequence"), like_first),
    **dict.fromkeys(("EyeLike", "RandomNormalLike", "RandomUniformLike"), _eye_like),
    **dict.fromkeys(("RandomNormal", "RandomUniform"), _random),
    **dict.fromkeys(("ArgMax", "ArgMin"), _arg),
    "Compress": _compress,
    "CumSum": _cumulated,
    "CumProd": like_first,
    "Gather": _gather,
    "GatherElements": lambda node: [Out(node.shape(1))],
    "GatherND": _gather_nd,
    "NonMaxSuppression": _non_max_suppression,
    "NonZero": _non_zero,
    "OneHot": _one_hot,
    "Pad": _pad,
    "Slice": _slice,
    "Split": _split,
    "Tile": _tile,
    "TopK": _top_k,
    "Unique": _unique,
}
