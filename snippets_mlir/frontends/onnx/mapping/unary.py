"""ONNX operators that are one unary `snippets` op, and the tests for NaN and infinity."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from xdsl.ir import SSAValue

from snippets_mlir.dialects.builtin.shaped import tensor_of
from snippets_mlir.dialects.snippets import trigonometry as t
from snippets_mlir.dialects.snippets import unary as s
from snippets_mlir.dialects.snippets.base import FLOAT, UnaryOp, kind_of
from snippets_mlir.dialects.snippets.binary import DivideOp
from snippets_mlir.dialects.snippets.comparison import EqualOp, LessOp
from snippets_mlir.dialects.snippets.unary_with_attributes import RoundOp
from snippets_mlir.frontends.onnx.node import Build, NodeBuilder, Opaque, Row


def simple(op: Callable[[SSAValue], UnaryOp]) -> Build:
    """The builder for one unary op on the first input."""

    def build(b: NodeBuilder) -> SSAValue:
        return b.emit(op(b.value(0)))

    return build


def _erf(b: NodeBuilder) -> SSAValue:
    x = b.value(0)
    if kind_of(tensor_of(x).element_type) != FLOAT:
        raise Opaque("the error function of integers is not compiled")
    return b.emit(s.ErfOp(x))


def _reciprocal(b: NodeBuilder) -> SSAValue:
    x = b.value(0)
    return b.emit(DivideOp(b.like(1.0, x), x))


def _round(b: NodeBuilder) -> SSAValue:
    return b.emit(RoundOp(b.value(0), "half_to_even"))


def _is_inf(b: NodeBuilder) -> SSAValue:
    x = b.value(0)
    negative, positive = b.flag("detect_negative", 1), b.flag("detect_positive", 1)
    if negative and positive:
        return b.emit(s.IsInfOp(x))
    if positive:
        return b.emit(EqualOp(x, b.like(float("inf"), x)))
    if negative:
        return b.emit(EqualOp(x, b.like(float("-inf"), x)))
    # No number is below itself.
    return b.emit(LessOp(x, x))


def _relu(b: NodeBuilder) -> SSAValue:
    return b.emit(s.ReluOp(b.value(0)))


def _rows(since: tuple[int, ...], **ops: Any) -> dict[str, Row]:
    return {name: Row(since, simple(op)) for name, op in ops.items()}


ROWS: dict[str, Row] = {
    **_rows((6, 13), Abs=s.AbsOp, Ceil=s.CeilingOp, Exp=s.ExpOp, Floor=s.FloorOp, Log=s.LogOp),
    **_rows((6, 13), Neg=s.NegativeOp, Sigmoid=s.SigmoidOp, Sqrt=s.SqrtOp, Tanh=t.TanhOp),
    **_rows((7, 22), Acos=t.AcosOp, Asin=t.AsinOp, Atan=t.AtanOp),
    **_rows((7, 22), Cos=t.CosOp, Sin=t.SinOp, Tan=t.TanOp),
    **_rows((9, 22), Acosh=t.AcoshOp, Asinh=t.AsinhOp, Atanh=t.AtanhOp),
    **_rows((9, 22), Cosh=t.CoshOp, Sinh=t.SinhOp),
    **_rows((1, 22), Softplus=s.SoftplusOp, Softsign=s.SoftsignOp),
    **_rows((1,), Not=s.LogicalNotOp),
    **_rows((9, 13), Sign=s.SignOp),
    **_rows((9, 13, 20), IsNaN=s.IsNanOp),
    **_rows((14, 22), HardSwish=s.HSwishOp),
    **_rows((18, 22), Mish=s.MishOp),
    **_rows((18,), BitwiseNot=s.BitwiseNotOp),
    "Erf": Row((9, 13), _erf),
    "IsInf": Row((10, 20), _is_inf),
    "Reciprocal": Row((6, 13), _reciprocal),
    "Relu": Row((6, 13, 14), _relu),
    "Round": Row((11, 22), _round),
}
