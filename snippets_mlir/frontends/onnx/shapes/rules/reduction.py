"""Reductions, and normalizations of a tensor: softmax and the norms."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import onnx

from snippets_mlir.frontends.onnx.shapes.dims import Size
from snippets_mlir.frontends.onnx.shapes.rules.elementwise import like_first
from snippets_mlir.frontends.onnx.shapes.rules.shaping import known
from snippets_mlir.frontends.onnx.shapes.types import Elements, Shape, UnknownShape
from snippets_mlir.frontends.onnx.shapes.view import NodeView, Out, Rule, normalized


def reduced(shape: Shape, axes: list[int], keep: bool) -> Shape:
    """`shape` without `axes`, or with 1 there."""
    if keep:
        return tuple(1 if i in axes else s for i, s in enumerate(shape))
    return tuple(s for i, s in enumerate(shape) if i not in axes)


def _axes(node: NodeView, rank: int) -> list[int]:
    given = node.given_axes(1)
    if given:
        return [normalized(a, rank) for a in given]
    return [] if node.integer("noop_with_empty_axes") else list(range(rank))


def _reduce(node: NodeView) -> list[Out]:
    shape, keep = node.shape(0), bool(node.integer("keepdims", 1))
    try:
        axes = _axes(node, len(shape))
    except UnknownShape:
        if not keep:
            raise
        return [Out(tuple(1 if s == 1 else None for s in shape))]
    return [Out(reduced(shape, axes, keep))]


def _of_known(combine: Callable[[Size, Size], Size], first: int) -> Rule:
    """A reduction whose result is known for a vector of known elements."""

    def rule(node: NodeView) -> list[Out]:
        (out,) = _reduce(node)
        found = node.elements(0)
        sizes = None if found is None else known(found.reshape(-1).tolist())
        if sizes is None or node.rank(0) != 1 or out.shape not in ((), (1,)):
            return [out]
        if node.type(1).shape is not None and not _axes(node, 1):
            return [out]
        total: Size = first
        for size in sizes:
            total = combine(total, size)
        result: Elements = np.empty(len(out.shape or ()) * (1,), np.object_)
        result[...] = total
        return [Out(out.shape, result)]

    return rule


def _layer_norm(node: NodeView) -> list[Out]:
    shape = node.shape(0)
    axis = node.axis("axis", -1, len(shape))
    stash = node.integer("stash_type", onnx.TensorProto.FLOAT)
    statistics = Out(reduced(shape, list(range(axis, len(shape))), keep=True), None, stash)
    return [Out(shape), statistics, statistics]


def _batch_norm(node: NodeView) -> list[Out]:
    parameters = [Out(node.type(i).shape) for i in (3, 4, 3, 4)]
    return [Out(node.shape(0)), *parameters]


def _dropout(node: NodeView) -> list[Out]:
    mask = onnx.TensorProto.BOOL if node.version >= 10 else node.type(0).element
    return [Out(node.shape(0)), Out(node.shape(0), None, mask)]


_REDUCTIONS = (
    "ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMean ReduceSumSquare ReduceMax ReduceMin"
)
_SAME = (
    "Softmax LogSoftmax Hardmax LpNormalization LRN MeanVarianceNormalization GroupNormalization "
    "InstanceNormalization RMSNormalization"
)

RULES: dict[str, Rule] = {
    **dict.fromkeys(_REDUCTIONS.split(), _reduce),
    **dict.fromkeys(_SAME.split(), like_first),
    "BatchNormalization": _batch_norm,
    "Dropout": _dropout,
    "LayerNormalization": _layer_norm,
    "ReduceProd": _of_known(lambda a, b: a * b, 1),
    "ReduceSum": _of_known(lambda a, b: a + b, 0),
}
