"""ATen ops that are a few ops, element by element.

    reciprocal(x)       1 / x
    sign(x)             snippets.sign, and 0 for NaN as in torch
    clamp(x, 0, 6)      snippets.clamp; with one bound snippets.maximum or snippets.minimum

Source: the definitions of the ops in ATen.
"""

from __future__ import annotations

from xdsl.ir import SSAValue

from snippets_mlir.dialects.builtin.shaped import tensor_of
from snippets_mlir.dialects.snippets.arithmetic import DivideOp, MaximumOp, MinimumOp
from snippets_mlir.dialects.snippets.base import FLOAT, kind_of
from snippets_mlir.dialects.snippets.comparison import IsNanOp
from snippets_mlir.dialects.snippets.conversion import SelectOp
from snippets_mlir.dialects.snippets.rectifiers import ClampOp
from snippets_mlir.dialects.snippets.signs import SignOp
from snippets_mlir.frontends.torch.layout import Rule
from snippets_mlir.frontends.torch.node import NodeBuilder


def _reciprocal(b: NodeBuilder) -> SSAValue:
    return b.emit(DivideOp(b.scalar(1, b.element), b.operand("self", b.element)))


def _sign(b: NodeBuilder) -> SSAValue:
    x = b.tensor()
    sign = b.emit(SignOp(x))
    if kind_of(tensor_of(x).element_type) != FLOAT:
        return sign
    return b.emit(SelectOp(b.emit(IsNanOp(x)), b.scalar(0, b.element), sign))


def _clamped(b: NodeBuilder, low: str, high: str) -> SSAValue:
    x = b.operand("self", b.element)
    bounds = b.arguments[low], b.arguments[high]
    if all(isinstance(bound, int | float) and bound == bound for bound in bounds):
        return b.emit(ClampOp(x, *(b.number(bound, b.element) for bound in bounds)))
    if bounds[0] is not None:
        x = b.emit(MaximumOp(x, b.operand(low, b.element)))
    if bounds[1] is not None:
        x = b.emit(MinimumOp(x, b.operand(high, b.element)))
    return x


def _clamp(b: NodeBuilder) -> SSAValue:
    return _clamped(b, "min", "max")


def _hardtanh(b: NodeBuilder) -> SSAValue:
    return _clamped(b, "min_val", "max_val")


FORMULAS: dict[str, Rule] = {
    "clamp": _clamp,
    "hardtanh": _hardtanh,
    "reciprocal": _reciprocal,
    "sgn": _sign,
    "sign": _sign,
}
