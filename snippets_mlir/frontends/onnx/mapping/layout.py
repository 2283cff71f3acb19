"""ONNX operators that move elements or rename dims: Transpose, Reshape, Squeeze and similar.

    Transpose {perm = [1, 0]}      %y = snippets.transpose %x {permutation = array<i64: 1, 0>}
    Reshape, Squeeze, ...          %y = snippets.reshape %x   (an op with axes for dynamic shapes)

A shape or axes that are known only at run time are allowed if the model states the shape of the
result. A node that only onnxruntime's nodes read, or that is between them, stays with them: taking
it out would cut their session in two.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.ir import SSAValue

from snippets_mlir.dialects.builtin.dims import Dim, Shape, divided, product
from snippets_mlir.dialects.builtin.shaped import is_tensor, shape_of, tensor_of
from snippets_mlir.dialects.snippets.canonicalization.layouts import is_reshapable
from snippets_mlir.dialects.snippets.conversion import ReshapeOp
from snippets_mlir.dialects.snippets.layout import (
    SqueezeOp,
    TransposeOp,
    UnsqueezeOp,
    with_ones,
    without,
)
from snippets_mlir.dialects.snippets.shapes import DYNAMIC, format_shape, is_static
from snippets_mlir.dialects.snippets.whole_tensor import normalized_axes
from snippets_mlir.frontends.onnx.mapping.reduction import constant_axes
from snippets_mlir.frontends.onnx.node import NodeBuilder, Opaque, Row


def stays_between(b: NodeBuilder) -> None:
    """Raises Opaque for a node that moves elements from or to nodes that stay in onnxruntime."""
    if b.is_between_opaque_nodes():
        raise Opaque(f"{b.node.op_type} moves elements for nodes that stay in onnxruntime")


def _operand(b: NodeBuilder) -> SSAValue:
    x = b.value(0)
    stays_between(b)
    return x


def _static_result(b: NodeBuilder) -> Shape | None:
    """The shape of the result as the model says it, when it says every size."""
    type_ = b.result_type()
    if is_tensor(type_) and is_static(shape_of(type_)):
        return shape_of(type_)
    return None


def reshaped(b: NodeBuilder, x: SSAValue, shape: Sequence[Dim]) -> SSAValue:
    """`x` under another shape; raises Opaque if this would not determine the shape at run time."""
    if not is_reshapable(shape):
        raise Opaque(f"{b.node.op_type} to {format_shape(shape)} is not known before run time")
    if tuple(shape) == shape_of(x) and is_static(shape):
        return x
    return b.emit(ReshapeOp(x, shape))


def _transpose(b: NodeBuilder) -> SSAValue:
    x = _operand(b)
    rank = tensor_of(x).get_num_dims()
    given = b.node.attributes.get("perm", range(rank)[::-1])
    return b.emit(TransposeOp(x, [int(dim) for dim in given]))


def _squeeze(b: NodeBuilder) -> SSAValue:
    x = _operand(b)
    if (shape := _static_result(b)) is not None:
        return reshaped(b, x, shape)
    axes = constant_axes(b)
    if not axes:  # onnxruntime takes an empty list for none
        if not is_static(shape_of(x)):
            raise Opaque("Squeeze of all dims of size 1 is not known before run time")
        axes = [dim for dim, size in enumerate(shape_of(x)) if size == 1]
    axes = normalized_axes("Squeeze", axes, len(shape_of(x)))
    shape = without(shape_of(x), axes)
    return reshaped(b, x, shape) if is_static(shape_of(x)) else b.emit(SqueezeOp(x, axes))


def _unsqueeze(b: NodeBuilder) -> SSAValue:
    x = _operand(b)
    if (shape := _static_result(b)) is not None:
        return reshaped(b, x, shape)
    axes = constant_axes(b)
    if axes is None:
        raise Opaque("Unsqueeze without axes")
    axes = normalized_axes("Unsqueeze", axes, len(shape_of(x)) + len(axes))
    shape = with_ones(shape_of(x), axes)
    return reshaped(b, x, shape) if is_static(shape) else b.emit(UnsqueezeOp(x, axes))


def _reshape(b: NodeBuilder) -> SSAValue:
    x = _operand(b)
    if (shape := _static_result(b)) is not None:
        return reshaped(b, x, shape)
    wanted = b.node.attributes.get("shape")
    if wanted is None:
        wanted = b.array(1)
    if wanted is None:
        raise Opaque("the shape that Reshape gives is not known")
    return reshaped(b, x, _wanted_shape(b, shape_of(x), [int(n) for n in wanted]))


def _wanted_shape(b: NodeBuilder, source: Shape, wanted: Sequence[Dim]) -> Shape:
    """`wanted` with 0 replaced by the operand's size there, and -1 by the remaining size."""
    if not b.flag("allowzero"):
        if any(n == 0 and dim >= len(source) for dim, n in enumerate(wanted)):
            raise Opaque("Reshape copies a dim that its input does not have")
        wanted = [source[dim] if n == 0 else n for dim, n in enumerate(wanted)]
    # The remaining size is known if every dynamic dim is copied.
    left: Dim = DYNAMIC
    known = product(n for n in wanted if n not in (0, -1, DYNAMIC))
    if source.count(DYNAMIC) == wanted.count(DYNAMIC) and known != 0:
        elements = product(size for size in source if size != DYNAMIC)
        left = DYNAMIC if (parts := divided(elements, known)) is None else parts[0]
    return tuple(left if n == -1 else n for n in wanted)


def _flatten(b: NodeBuilder) -> SSAValue:
    x = _operand(b)
    shape = shape_of(x)
    axis = b.flag("axis", 1)
    if not -len(shape) <= axis <= len(shape):
        raise Opaque(f"axis {axis} of Flatten is beyond the rank {len(shape)}")
    axis += len(shape) if axis < 0 else 0
    sides = (shape[:axis], shape[axis:])
    return reshaped(b, x, [prod(side) if is_static(side) else DYNAMIC for side in sides])


ROWS: dict[str, Row] = {
    "Flatten": Row((1, 9, 11, 13, 21, 23, 24, 25), _flatten),
    "Reshape": Row((5, 13, 14, 19, 21, 23, 24, 25), _reshape),
    "Squeeze": Row((1, 11, 13, 21, 23, 24, 25), _squeeze),
    "Transpose": Row((1, 13, 21, 23, 24, 25), _transpose),
    "Unsqueeze": Row((1, 11, 13, 21, 23, 24, 25), _unsqueeze),
}
