"""BatchNormalization in inference form: one multiplication and one addition.

    y = (x - mean) / sqrt(var + epsilon) * scale + bias

With constant parameters the factors are computed in float64 and rounded once:

    %m = snippets.multiply %x, %s      s = scale / sqrt(var + epsilon)      : [C, 1, 1]
    %y = snippets.add %m, %b           b = bias - mean * s                  : [C, 1, 1]
"""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import f64
from xdsl.ir import SSAValue

from snippets_mlir.dialects.builtin.dims import Dim, Shape, static_shape
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.snippets.arithmetic import AddOp, DivideOp, MultiplyOp, SubtractOp
from snippets_mlir.dialects.snippets.conversion import ReshapeOp
from snippets_mlir.dialects.snippets.elementary import SqrtOp
from snippets_mlir.dialects.snippets.shapes import format_shape
from snippets_mlir.frontends.onnx.node import NodeBuilder, Opaque, Row


def _parameter_shape(rank: int, channels: Dim) -> Shape:
    """The shape under which a parameter broadcasts along the channels, dim 1."""
    return (channels, *(1,) * max(0, rank - 2))


def _batch_normalization(b: NodeBuilder) -> SSAValue:
    x = b.value(0)
    if b.flag("training_mode"):
        raise Opaque("BatchNormalization in training mode reduces over the batch")
    if any(b.wants(i) for i in range(1, 5)):
        raise Opaque("BatchNormalization with statistics as outputs is in training mode")
    if b.node.since == 7 and not b.flag("spatial", 1):
        raise Opaque("BatchNormalization with spatial=0 is not compiled")
    shapes = [shape_of(b.value(i)) for i in range(1, 5)]
    if len(set(shapes)) != 1 or len(shapes[0]) != 1:
        found = ", ".join(format_shape(s) for s in shapes)
        raise Opaque(f"the parameters of BatchNormalization have the shapes {found}")
    shape = _parameter_shape(len(shape_of(x)), shapes[0][0])
    folded = _folded(b, x, shape)
    return folded if folded is not None else _general(b, x, shape)


def _folded(b: NodeBuilder, x: SSAValue, shape: Shape) -> SSAValue | None:
    arrays = [b.array(i) for i in range(1, 5)]
    known = [a.astype(np.float64) for a in arrays if a is not None]
    if len(known) != 4:
        return None
    scale, bias, mean, variance = known
    dtype = np.float64 if tensor_of(x).element_type == f64 else np.float32
    with np.errstate(all="ignore"):
        factor = scale / np.sqrt(variance + b.number("epsilon", 1e-5))
        offset = bias - mean * factor
        factors = [a.astype(dtype).reshape(static_shape(shape)) for a in (factor, offset)]
    product = b.emit(MultiplyOp(x, b.constant(factors[0])))
    return b.emit(AddOp(product, b.constant(factors[1])))


def _general(b: NodeBuilder, x: SSAValue, shape: Shape) -> SSAValue:
    element = tensor_of(x).element_type
    scale, bias, mean, variance = (
        b.convert(b.emit(ReshapeOp(b.value(i), shape)), element) for i in range(1, 5)
    )
    epsilon = b.like(b.number("epsilon", 1e-5), x)
    deviation = b.emit(SqrtOp(b.emit(AddOp(variance, epsilon))))
    centred = b.emit(SubtractOp(x, mean))
    return b.emit(AddOp(b.emit(MultiplyOp(centred, b.emit(DivideOp(scale, deviation)))), bias))


ROWS: dict[str, Row] = {"BatchNormalization": Row((7, 9, 14, 15), _batch_normalization)}
