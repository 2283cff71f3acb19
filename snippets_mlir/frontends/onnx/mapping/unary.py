"""ONNX operators of one tensor that become several ops, or different ops for some attributes."""

from __future__ import annotations

from xdsl.ir import SSAValue

from snippets_mlir.dialects.snippets.arithmetic import DivideOp
from snippets_mlir.dialects.snippets.comparison import EqualOp, IsInfOp, LessOp
from snippets_mlir.frontends.onnx.node import NodeBuilder, Row


def _reciprocal(b: NodeBuilder) -> SSAValue:
    x = b.value(0)
    return b.emit(DivideOp(b.like(1.0, x), x))


def _is_inf(b: NodeBuilder) -> SSAValue:
    x = b.value(0)
    negative, positive = b.flag("detect_negative", 1), b.flag("detect_positive", 1)
    if negative and positive:
        return b.emit(IsInfOp(x))
    if positive:
        return b.emit(EqualOp(x, b.like(float("inf"), x)))
    if negative:
        return b.emit(EqualOp(x, b.like(float("-inf"), x)))
    # No number is below itself.
    return b.emit(LessOp(x, x))


ROWS: dict[str, Row] = {
    "IsInf": Row((10, 20), _is_inf),
    "Reciprocal": Row((6, 13), _reciprocal),
}
