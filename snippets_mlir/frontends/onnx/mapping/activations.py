"""ONNX's activation functions that are not one op each."""

from __future__ import annotations

from xdsl.dialects.builtin import FloatAttr, f64
from xdsl.ir import SSAValue

from snippets_mlir.dialects.builtin.shaped import tensor_of
from snippets_mlir.dialects.snippets.activations import HSigmoidOp
from snippets_mlir.dialects.snippets.arithmetic import AddOp, DivideOp, MultiplyOp, SubtractOp
from snippets_mlir.dialects.snippets.base import FLOAT, kind_of
from snippets_mlir.dialects.snippets.clamps import ClampOp
from snippets_mlir.dialects.snippets.comparison import GreaterOp, LessOp
from snippets_mlir.dialects.snippets.elementary import ExpOp
from snippets_mlir.dialects.snippets.extrema import MaximumOp, MinimumOp
from snippets_mlir.dialects.snippets.gates import SwishOp
from snippets_mlir.dialects.snippets.rectifiers import EluOp
from snippets_mlir.dialects.snippets.selection import SelectOp
from snippets_mlir.frontends.onnx.node import NodeBuilder, Row

SELU_ALPHA = 1.67326319217681884765625
SELU_GAMMA = 1.05070102214813232421875


def _celu(b: NodeBuilder) -> SSAValue:
    """max(0, x) + min(0, alpha * (e^(x / alpha) - 1)); with elu, which keeps small x exact."""
    x, alpha = b.value(0), b.number("alpha", 1.0)
    zero, factor = b.like(0.0, x), b.like(alpha, x)
    scaled = b.emit(DivideOp(x, factor))
    if alpha > 0:
        return b.emit(SelectOp(b.emit(GreaterOp(x, zero)), x, b.emit(EluOp(scaled, alpha))))
    grown = b.emit(SubtractOp(b.emit(ExpOp(scaled)), b.like(1.0, x)))
    low = b.emit(MinimumOp(zero, b.emit(MultiplyOp(factor, grown))))
    return b.emit(AddOp(b.emit(MaximumOp(zero, x)), low))


def _selu(b: NodeBuilder) -> SSAValue:
    """The value gamma * (x if x > 0, else alpha * (e^x - 1))."""
    elu = b.emit(EluOp(b.value(0), b.number("alpha", SELU_ALPHA)))
    return b.emit(MultiplyOp(elu, b.like(b.number("gamma", SELU_GAMMA), elu)))


def hard_sigmoid(b: NodeBuilder, x: SSAValue, prefix: str = "") -> SSAValue:
    """max(0, min(1, alpha * x + beta)); the names of its attributes begin with `prefix`."""
    alpha, beta = b.number(f"{prefix}alpha", 0.2), b.number(f"{prefix}beta", 0.5)
    # The attribute is a float32, so only float32 has the 1/6 of hsigmoid.
    if alpha == b.number("", 1 / 6) and beta == 0.5 and tensor_of(x).element_type != f64:
        return b.emit(HSigmoidOp(x))
    line = b.emit(AddOp(b.emit(MultiplyOp(x, b.like(alpha, x))), b.like(beta, x)))
    return b.emit(ClampOp(line, FloatAttr(0.0, f64), FloatAttr(1.0, f64)))


def _thresholded_relu(b: NodeBuilder) -> SSAValue:
    """The value x if x > alpha, else 0."""
    x = b.value(0)
    above = b.emit(GreaterOp(x, b.like(b.number("alpha", 1.0), x)))
    return b.emit(SelectOp(above, x, b.like(0.0, x)))


def _shrink(b: NodeBuilder) -> SSAValue:
    """For x < -lambd x + bias, for x > lambd x - bias, else 0; integers are computed in f64."""
    source, limit, bias = b.value(0), b.number("lambd", 0.5), b.number("bias", 0.0)
    element = tensor_of(source).element_type
    x = source if kind_of(element) == FLOAT else b.convert(source, f64)
    above = b.emit(GreaterOp(x, b.like(limit, x)))
    below = b.emit(LessOp(x, b.like(-limit, x)))
    high = b.emit(SelectOp(above, b.emit(SubtractOp(x, b.like(bias, x))), b.like(0.0, x)))
    result = b.emit(SelectOp(below, b.emit(AddOp(x, b.like(bias, x))), high))
    return b.convert(result, element)


def _swiglu(b: NodeBuilder) -> SSAValue:
    """swish(A) * B, of one shape."""
    gate = b.emit(SwishOp(b.value(0), b.number("alpha", 1.0)))
    return b.emit(MultiplyOp(gate, b.value(1)))


ROWS: dict[str, Row] = {
    "Celu": Row((12, 28), _celu),
    "HardSigmoid": Row((6, 22), lambda b: hard_sigmoid(b, b.value(0))),
    "Selu": Row((6, 22), _selu),
    "Shrink": Row((9,), _shrink),
    "SwiGLU": Row((28,), _swiglu),
    "ThresholdedRelu": Row((10, 22), _thresholded_relu),
}
