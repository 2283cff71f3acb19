"""Values of nodes with constant inputs, with which exporters compute shapes and parameters.

Only operators that move elements are evaluated here (elementwise operators fold as `snippets` ops),
and only on small constants. `Shape` and `Size` only need a static type. Sources: the operators'
definitions in ONNX; axes are an attribute in older versions and an input in newer ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from xdsl.ir import Attribute

from snippets_mlir.dialects.builtin.dtypes import Array
from snippets_mlir.dialects.builtin.shaped import is_tensor, shape_of
from snippets_mlir.dialects.snippets.shapes import is_static
from snippets_mlir.frontends.onnx.graph_view import Node
from snippets_mlir.frontends.onnx.node import LARGE
from snippets_mlir.frontends.onnx.slice_places import places


def _ints(node: Node, arrays: Sequence[Array], name: str, index: int) -> list[int] | None:
    """An integer list that is the attribute `name` or the input `index`, or None."""
    if name in node.attributes:
        return [int(n) for n in node.attributes[name]]
    return [int(n) for n in arrays[index].reshape(-1)] if index < len(arrays) else None


def _concat(node: Node, arrays: Sequence[Array]) -> Array:
    return np.concatenate(arrays, int(node.attributes["axis"]))


def _flatten(node: Node, arrays: Sequence[Array]) -> Array:
    axis, shape = int(node.attributes.get("axis", 1)), arrays[0].shape
    axis += arrays[0].ndim if axis < 0 else 0
    return arrays[0].reshape(math.prod(shape[:axis]), math.prod(shape[axis:]))


def _gather(node: Node, arrays: Sequence[Array]) -> Array:
    return np.take(arrays[0], arrays[1], int(node.attributes.get("axis", 0)))


def _range(node: Node, arrays: Sequence[Array]) -> Array:
    start, limit, delta = (a.item() for a in arrays)
    count = max(math.ceil((limit - start) / delta), 0)
    return np.array([start + i * delta for i in range(count)], arrays[0].dtype)


def _reshape(node: Node, arrays: Sequence[Array]) -> Array:
    data, wanted = arrays[0], [int(n) for n in arrays[1]]
    if not node.attributes.get("allowzero", 0):
        wanted = [data.shape[i] if n == 0 else n for i, n in enumerate(wanted)]
    return data.reshape(wanted)


def _slice(node: Node, arrays: Sequence[Array]) -> Array:
    starts, ends = _ints(node, arrays, "starts", 1), _ints(node, arrays, "ends", 2)
    if starts is None or ends is None:
        raise ValueError("Slice without bounds")
    axes = _ints(node, arrays, "axes", 3) or list(range(len(starts)))
    steps = _ints(node, arrays, "steps", 4) or [1] * len(starts)
    result = arrays[0]
    for start, end, axis, step in zip(starts, ends, axes, steps, strict=True):
        result = result.take(places(result.shape[axis], start, end, step), axis)
    return result


def _squeeze(node: Node, arrays: Sequence[Array]) -> Array:
    axes = _ints(node, arrays, "axes", 1)
    return np.squeeze(arrays[0], tuple(axes) if axes else None)  # as onnxruntime: [] is no list


def _tile(node: Node, arrays: Sequence[Array]) -> Array:
    return np.tile(arrays[0], [int(n) for n in arrays[1]])


def _transpose(node: Node, arrays: Sequence[Array]) -> Array:
    return np.transpose(arrays[0], node.attributes.get("perm"))


def _unsqueeze(node: Node, arrays: Sequence[Array]) -> Array:
    axes = _ints(node, arrays, "axes", 1)
    if axes is None:
        raise ValueError("Unsqueeze without axes")
    return np.expand_dims(arrays[0], tuple(axes))


def _reduce_prod(node: Node, arrays: Sequence[Array]) -> Array:
    axes = _ints(node, arrays, "axes", 1)
    if axes is None and node.attributes.get("noop_with_empty_axes", 0):
        return arrays[0]
    keep = bool(node.attributes.get("keepdims", 1))
    axis = tuple(axes) if axes else None
    return np.asarray(np.prod(arrays[0], axis, dtype=arrays[0].dtype, keepdims=keep))


MOVING: dict[str, Callable[[Node, Sequence[Array]], Array]] = {
    "Concat": _concat,
    "Flatten": _flatten,
    "Gather": _gather,
    "Range": _range,
    "ReduceProd": _reduce_prod,
    "Reshape": _reshape,
    "Slice": _slice,
    "Squeeze": _squeeze,
    "Tile": _tile,
    "Transpose": _transpose,
    "Unsqueeze": _unsqueeze,
}


def fold_shape(node: Node, type_: Attribute) -> Array | None:
    """The value of `Shape` or `Size` of a value of static type, else None."""
    if node.domain or node.op_type not in ("Shape", "Size"):
        return None
    if not is_tensor(type_) or not is_static(shape_of(type_)):
        return None
    shape = shape_of(type_)
    if node.op_type == "Size":
        return np.array(math.prod(shape), np.int64)
    return np.array(shape[node.attributes.get("start") : node.attributes.get("end")], np.int64)


def fold_moving(node: Node, arrays: Sequence[Array | None]) -> Array | None:
    """The output of a node of `MOVING` on small constants, else None.

    An invalid node stays unchanged: the engine reports the error.
    """
    if node.domain or node.op_type not in MOVING or "" in node.inputs:
        return None
    known = [a for a in arrays if a is not None]
    if len(known) != len(arrays) or sum(a.nbytes for a in known) > LARGE:
        return None
    if node.op_type == "Tile" and known[0].nbytes * math.prod(known[1].tolist()) > LARGE:
        return None
    if node.op_type == "Range" and abs(known[1].item() - known[0].item()) > abs(
        known[2].item() * LARGE
    ):
        return None
    try:
        result = np.asarray(MOVING[node.op_type](node, known))
    except (ArithmeticError, IndexError, KeyError, TypeError, ValueError):
        return None
    return result if result.nbytes <= LARGE else None
