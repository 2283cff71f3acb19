"""onnxruntime's own activations and norms, which its optimizer writes instead of ONNX's operators.

    BiasGelu(x, b)                     snippets.gelu of x + b
    FastGelu(x, b)                     the same by tanh
    QuickGelu(x) {alpha}               snippets.swish %x {beta = alpha}
    SkipLayerNormalization(x, s, g)    %sum = snippets.add %x, %s
                                       %y = snippets.layer_norm %sum, %g

A model that was saved after onnxruntime's optimization consists of these. The sum before a norm is
also an output, which the next block of a network reads. Shapes that onnxruntime refuses, or accepts
but does not broadcast, stay opaque, and so do the statistics of a norm. Products are in
`products.py`, attentions in `microsoft_attention.py`. Source: docs/ContribOperators.md of
onnxruntime, and what version 1.32 computes.
"""

from __future__ import annotations

from xdsl.ir import SSAValue

from snippets_mlir.dialects.builtin.dims import Shape
from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.snippets.arithmetic import AddOp
from snippets_mlir.dialects.snippets.gates import GeluOp, SwishOp
from snippets_mlir.dialects.snippets.normalization import LayerNormOp, RmsNormOp
from snippets_mlir.dialects.snippets.shapes import DYNAMIC, format_shape
from snippets_mlir.frontends.onnx.engine_operators import MICROSOFT
from snippets_mlir.frontends.onnx.node import Build, Built, NodeBuilder, Opaque, Row

EPSILON = 1e-12
"""The default epsilon of the norms."""


def _row(b: NodeBuilder, index: int, x: SSAValue) -> SSAValue:
    """Input `index`, a number for each column of `x`."""
    value, columns = b.value(index), shape_of(x)[-1:]
    if DYNAMIC in columns or shape_of(value) != columns:
        found, wanted = (format_shape(shape_of(v)) for v in (value, x))
        raise Opaque(f"input {index} of {b.node.op_type} has the shape {found} beside {wanted}")
    return value


def _optional_row(b: NodeBuilder, index: int, x: SSAValue) -> SSAValue | None:
    return _row(b, index, x) if b.has(index) else None


def _biased(b: NodeBuilder, x: SSAValue, index: int) -> SSAValue:
    """`x` plus input `index`, if the node has it."""
    bias = _optional_row(b, index, x)
    return x if bias is None else b.emit(AddOp(x, bias))


def _gelu(approximation: str) -> Build:
    def build(b: NodeBuilder) -> SSAValue:
        return b.emit(GeluOp(_biased(b, b.value(0), 1), approximation))

    return build


def _quick_gelu(b: NodeBuilder) -> SSAValue:
    return b.emit(SwishOp(b.value(0), b.number("alpha", 1.702)))


def _may_be_skip(skip: Shape, shape: Shape) -> bool:
    """Whether a residual is added to each batch of a tensor of `shape`: it may have no batch."""
    known = DYNAMIC not in (*skip, *shape)
    without_batch = (shape[1:], (1, *shape[1:])) if len(shape) == 3 else ()
    return known and skip in (shape, *without_batch)


def _residual(b: NodeBuilder, bias: int) -> SSAValue:
    """The first two inputs and a bias, added."""
    x, skip = b.value(0), b.value(1)
    shapes = shape_of(x), shape_of(skip)
    if len(shapes[0]) not in (2, 3) or not _may_be_skip(shapes[1], shapes[0]):
        found, added = map(format_shape, shapes)
        raise Opaque(f"{b.node.op_type} of {found} and {added} is not compiled")
    if b.wants(1) or b.wants(2):
        raise Opaque(f"the statistics of {b.node.op_type} are outputs")
    return _biased(b, b.emit(AddOp(x, skip)), bias)


def _skip_layer_normalization(b: NodeBuilder) -> Built:
    x, axis = _residual(b, 4), len(shape_of(b.value(0))) - 1
    scale, bias = _row(b, 2, x), _optional_row(b, 3, x)
    result = b.emit(LayerNormOp(x, scale, bias, axis, b.number("epsilon", EPSILON)))
    return _with_sum(b, result, x)


def _with_sum(b: NodeBuilder, result: SSAValue, total: SSAValue) -> Built:
    """The outputs: the norm, and its operand."""
    return (result, None, None, total) if b.wants(3) else result


def _skip_rms_normalization(b: NodeBuilder) -> Built:
    x, axis = _residual(b, 3), len(shape_of(b.value(0))) - 1
    result = b.emit(RmsNormOp(x, _row(b, 2, x), axis, b.number("epsilon", EPSILON)))
    return _with_sum(b, result, x)


ROWS: dict[tuple[str, str], Row] = {
    (MICROSOFT, "BiasGelu"): Row((1,), _gelu("erf"), ()),
    (MICROSOFT, "FastGelu"): Row((1,), _gelu("tanh"), ()),
    (MICROSOFT, "Gelu"): Row((1,), _gelu("erf"), ()),
    (MICROSOFT, "QuickGelu"): Row((1,), _quick_gelu, ("alpha",)),
    (MICROSOFT, "SkipLayerNormalization"): Row((1,), _skip_layer_normalization, ("epsilon",)),
    (MICROSOFT, "SkipSimplifiedLayerNormalization"): Row(
        (1,), _skip_rms_normalization, ("epsilon",)
    ),
}
"""Domain and operator -> its row."""
