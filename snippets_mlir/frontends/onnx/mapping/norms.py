"""Softmax and the normalizations of ONNX that sum over dims.

Each is one `snippets` op; passes decompose it. Exceptions:

* Softmax and LogSoftmax before opset 13 run over all dims from `axis` on, which are merged.
* LayerNormalization with used statistics is expanded, so that they are computed once.
* SimplifiedLayerNormalization (of onnxruntime, in ONNX's domain) is rms_norm; with the reciprocal
  of the deviation as an output it is also expanded.
* GroupNormalization of opset 18 has parameters for each group, which are repeated for the channels.

The statistics are computed in the type of the input; a `stash_type` with more bits stays opaque.
Source: the operators' definitions in ONNX and docs/ContribOperators.md of onnxruntime.
"""

from __future__ import annotations

from math import prod

import numpy as np
import onnx
from xdsl.ir import SSAValue

from snippets_mlir.dialects.builtin.dims import format_size
from snippets_mlir.dialects.builtin.shaped import bit_width, shape_of, tensor_of
from snippets_mlir.dialects.builtin.size_facts import known_multiple
from snippets_mlir.dialects.onnx.types import ELEMENT_TYPES
from snippets_mlir.dialects.snippets.arithmetic import AddOp, DivideOp, MultiplyOp, SubtractOp
from snippets_mlir.dialects.snippets.base import FLOAT, kind_of
from snippets_mlir.dialects.snippets.channel_norms import (
    OUTSIDE,
    GroupNormOp,
    InstanceNormOp,
    MvnOp,
)
from snippets_mlir.dialects.snippets.conversion import BroadcastOp
from snippets_mlir.dialects.snippets.elementary import ExpOp, LogOp, SqrtOp
from snippets_mlir.dialects.snippets.normalization import (
    LayerNormOp,
    LogSoftmaxOp,
    RmsNormOp,
    SoftmaxOp,
)
from snippets_mlir.dialects.snippets.reduction import ReduceMaxOp, ReduceMeanOp, ReduceSumOp
from snippets_mlir.dialects.snippets.shapes import DYNAMIC, is_static
from snippets_mlir.frontends.onnx.mapping.layout import reshaped
from snippets_mlir.frontends.onnx.node import Build, Built, NodeBuilder, Opaque, Row

MVN_EPSILON = float(np.float32(1e-9))
"""The epsilon that the operator adds to the deviation; ONNX stores it as float32."""

_Softmax = type[SoftmaxOp] | type[LogSoftmaxOp]


def axis_of(b: NodeBuilder, x: SSAValue, default: int) -> int:
    """The attribute `axis`, not negative; Opaque when the input has no such dim."""
    rank, axis = len(shape_of(x)), b.flag("axis", default)
    if not -rank <= axis < rank:
        raise Opaque(f"axis {axis} of {b.node.op_type} is no dim of a tensor of rank {rank}")
    return axis + rank if axis < 0 else axis


def _softmax_of(op: _Softmax) -> Build:
    def build(b: NodeBuilder) -> SSAValue:
        x = b.value(0)
        if (b.node.since or 0) >= 13:
            return b.emit(op(x, axis_of(b, x, -1)))
        axis, shape = axis_of(b, x, 1), shape_of(x)
        tail = shape[axis:]
        if all(size == 1 for size in tail[1:]):
            return b.emit(op(x, axis))
        if not is_static(tail) or shape.count(DYNAMIC) > 1:
            return _softmax_of_dims(b, x, axis, op)
        rows = reshaped(b, x, (*shape[:axis], prod(tail)))
        return reshaped(b, b.emit(op(rows, axis)), shape)

    return build


def _softmax_of_dims(b: NodeBuilder, x: SSAValue, axis: int, op: _Softmax) -> SSAValue:
    """Softmax over all dims from `axis` on, written out."""
    axes = range(axis, len(shape_of(x)))
    distance = b.emit(SubtractOp(x, b.emit(ReduceMaxOp(x, axes, keep_dims=True))))
    powers = b.emit(ExpOp(distance))
    total = b.emit(ReduceSumOp(powers, axes, keep_dims=True))
    if op is SoftmaxOp:
        return b.emit(DivideOp(powers, total))
    return b.emit(SubtractOp(distance, b.emit(LogOp(total))))


def _check_stash_type(b: NodeBuilder, x: SSAValue) -> None:
    """Opaque for statistics in a type that is not float, or has more bits than `x`."""
    stash = ELEMENT_TYPES.get(b.flag("stash_type", onnx.TensorProto.FLOAT))
    element = tensor_of(x).element_type
    if stash is None or kind_of(stash) != FLOAT or bit_width(stash) > bit_width(element):
        raise Opaque(f"{b.node.op_type} of {element} with statistics in {stash} is not compiled")


def _parameters(b: NodeBuilder, x: SSAValue) -> list[SSAValue | None]:
    """The inputs after the first, converted to the element type of `x`; None for omitted ones."""
    element = tensor_of(x).element_type
    values = [b.value(i) if b.has(i) else None for i in range(1, len(b))]
    return [None if v is None else b.convert(v, element) for v in values]


def _layer_normalization(b: NodeBuilder) -> Built:
    x = b.value(0)
    _check_stash_type(b, x)
    scale, bias = (*_parameters(b, x), None)[:2]
    axis, epsilon = axis_of(b, x, -1), b.number("epsilon", 1e-5)
    if b.wants(1) or b.wants(2):
        return _with_statistics(b, x, scale, bias, axis)
    return b.emit(LayerNormOp(x, scale, bias, axis, epsilon))


def _with_statistics(
    b: NodeBuilder, x: SSAValue, scale: SSAValue | None, bias: SSAValue | None, axis: int
) -> Built:
    """LayerNormalization with its mean and the reciprocal of its deviation, written out."""
    stash = ELEMENT_TYPES[b.flag("stash_type", onnx.TensorProto.FLOAT)]
    axes = range(axis, len(shape_of(x)))
    mean = b.emit(ReduceMeanOp(x, axes, keep_dims=True))
    distance = b.emit(SubtractOp(x, mean))
    variance = b.emit(ReduceMeanOp(b.emit(MultiplyOp(distance, distance)), axes, keep_dims=True))
    shifted = b.emit(AddOp(variance, b.like(b.number("epsilon", 1e-5), x)))
    inverse = b.emit(DivideOp(b.like(1.0, x), b.emit(SqrtOp(shifted))))
    result = b.emit(MultiplyOp(distance, inverse))
    if scale is not None:
        result = b.emit(MultiplyOp(result, scale))
    if bias is not None:
        result = b.emit(AddOp(result, bias))
    return result, b.convert(mean, stash), b.convert(inverse, stash)


def _rms_normalization(b: NodeBuilder) -> SSAValue:
    x = b.value(0)
    _check_stash_type(b, x)
    (scale,) = _parameters(b, x)
    return b.emit(RmsNormOp(x, scale, axis_of(b, x, -1), b.number("epsilon", 1e-5)))


def _simplified_layer_normalization(b: NodeBuilder) -> Built:
    """RMSNormalization with the reciprocal of the deviation as a second output."""
    x = b.value(0)
    _check_stash_type(b, x)
    if not b.has(1) or tensor_of(b.value(1)).element_type != tensor_of(x).element_type:
        raise Opaque(f"{b.node.op_type} without a scale of the type of its input")
    scale, axis, epsilon = b.value(1), axis_of(b, x, -1), b.number("epsilon", 1e-5)
    if not b.wants(1):
        return b.emit(RmsNormOp(x, scale, axis, epsilon))
    stash = ELEMENT_TYPES[b.flag("stash_type", onnx.TensorProto.FLOAT)]
    axes = range(axis, len(shape_of(x)))
    squares = b.emit(ReduceMeanOp(b.emit(MultiplyOp(x, x)), axes, keep_dims=True))
    deviation = b.emit(SqrtOp(b.emit(AddOp(squares, b.like(epsilon, x)))))
    inverse = b.emit(DivideOp(b.like(1.0, x), deviation))
    result = b.emit(MultiplyOp(b.emit(MultiplyOp(x, inverse)), scale))
    return result, b.convert(inverse, stash)


def _group_normalization(b: NodeBuilder) -> SSAValue:
    x = b.value(0)
    groups, epsilon = b.flag("num_groups"), b.number("epsilon", 1e-5)
    scale, bias = (_given(b, p) for p in _parameters(b, x))
    if b.node.since == 18:
        scale, bias = (_per_channel(b, x, p, groups) for p in (scale, bias))
    else:
        _check_stash_type(b, x)
    return b.emit(GroupNormOp(x, scale, bias, groups, epsilon))


def _given(b: NodeBuilder, parameter: SSAValue | None) -> SSAValue:
    if parameter is None:
        raise Opaque(f"{b.node.op_type} without one of its parameters")
    return parameter


def _per_channel(b: NodeBuilder, x: SSAValue, parameter: SSAValue, groups: int) -> SSAValue:
    """A parameter of one element a group, repeated for the channels of each."""
    shape = shape_of(x)
    channels = shape[1] if len(shape) > 1 else DYNAMIC
    if channels == DYNAMIC or groups < 1 or not known_multiple(channels, groups):
        found = "an unknown number of" if channels == DYNAMIC else format_size(channels)
        raise Opaque(f"{b.node.op_type} cannot make {groups} groups of {found} channels")
    columns = reshaped(b, parameter, (groups, 1))
    spread = b.emit(BroadcastOp(columns, (groups, channels // groups)))
    return reshaped(b, spread, (channels,))


def _instance_normalization(b: NodeBuilder) -> SSAValue:
    x = b.value(0)
    scale, bias = (_given(b, p) for p in _parameters(b, x))
    return b.emit(InstanceNormOp(x, scale, bias, b.number("epsilon", 1e-5)))


def _mean_variance_normalization(b: NodeBuilder) -> SSAValue:
    x = b.value(0)
    axes = [int(axis) for axis in b.node.attributes.get("axes", (0, 2, 3))]
    return b.emit(MvnOp(x, axes, MVN_EPSILON, eps_mode=OUTSIDE))


ROWS: dict[str, Row] = {
    "GroupNormalization": Row((18, 21), _group_normalization),
    "InstanceNormalization": Row((6, 22), _instance_normalization),
    "LayerNormalization": Row((1, 17), _layer_normalization),
    "LogSoftmax": Row((1, 11, 13), _softmax_of(LogSoftmaxOp)),
    "MeanVarianceNormalization": Row((9, 13), _mean_variance_normalization),
    "RMSNormalization": Row((23,), _rms_normalization),
    "SimplifiedLayerNormalization": Row(
        (1,), _simplified_layer_normalization, ("axis", "epsilon", "stash_type")
    ),
    "Softmax": Row((1, 11, 13), _softmax_of(SoftmaxOp)),
}
