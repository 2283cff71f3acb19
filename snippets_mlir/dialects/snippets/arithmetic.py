"""Sums, differences, products and quotients of the `snippets` dialect.

Both operands have one element type and broadcast together by NumPy's rules. Integers are two's
complement: signless and `si` types are signed, `ui` types unsigned. `squared_difference` rounds
twice, every other op once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from xdsl.irdl import irdl_op_definition, traits_def
from xdsl.traits import Commutative

from snippets_mlir.dialects.snippets.base import FLOAT, INTEGER, BinaryOp
from snippets_mlir.dialects.snippets.counterparts import Aten, Engine, Onnx
from snippets_mlir.dialects.snippets.record import (
    Code,
    Expansion,
    OpRecord,
    value_in,
)
from snippets_mlir.dialects.snippets.values.forms import by_kind, once, plain, ufunc, unless_zero
from snippets_mlir.support.lazy import LazyModule

if TYPE_CHECKING:
    import numpy as np

    from snippets_mlir.dialects.builtin.dtypes import Array
else:
    np = LazyModule("numpy")


def _squared_difference(x: Array, y: Array) -> Array:
    difference = once(np.subtract)(x, y)
    return once(np.multiply)(difference, difference)


def _square_of_difference(x: Array, y: Array) -> Array:
    return (x - y) * (x - y)


def _quotient(x: Array, y: Array) -> Array:
    return (np.abs(x) // np.abs(y)) * np.sign(x) * np.sign(y)


@irdl_op_definition
class AddOp(BinaryOp):
    """lhs + rhs. Integers wrap."""

    name = "snippets.add"
    ELEMENT_KINDS: ClassVar = (FLOAT, INTEGER)
    traits = traits_def(Commutative())


_ADD = OpRecord(
    AddOp,
    value=plain(once(ufunc("add"))),
    aten=(Aten("add", scaled="alpha"),),
    code=Code("arith.addf", "arith.addi"),
    cheap=True,
    onnx=Onnx("Add", (7, 13, 14), bound="single"),
    engine=Engine(passes=1, quantized=True, blocked=True),
    formulas={FLOAT: ufunc("add"), INTEGER: ufunc("add")},
    names={"numpy": "add", "stablehlo": "stablehlo.add"},
)


@irdl_op_definition
class SubtractOp(BinaryOp):
    """lhs - rhs. Integers wrap."""

    name = "snippets.subtract"
    ELEMENT_KINDS: ClassVar = (FLOAT, INTEGER)


_SUBTRACT = OpRecord(
    SubtractOp,
    value=plain(once(ufunc("subtract"))),
    aten=(Aten("sub", scaled="alpha"),),
    code=Code("arith.subf", "arith.subi"),
    cheap=True,
    onnx=Onnx("Sub", (7, 13, 14), bound="single"),
    formulas={FLOAT: ufunc("subtract"), INTEGER: ufunc("subtract")},
    names={"numpy": "subtract", "stablehlo": "stablehlo.subtract"},
)


@irdl_op_definition
class MultiplyOp(BinaryOp):
    """lhs * rhs. Integers wrap."""

    name = "snippets.multiply"
    ELEMENT_KINDS: ClassVar = (FLOAT, INTEGER)
    traits = traits_def(Commutative())


_MULTIPLY = OpRecord(
    MultiplyOp,
    value=plain(once(ufunc("multiply"))),
    aten=(Aten("mul"),),
    code=Code("arith.mulf", "arith.muli"),
    cheap=True,
    onnx=Onnx("Mul", (7, 13, 14), bound="single"),
    engine=Engine(passes=1, quantized=True, blocked=True),
    formulas={FLOAT: ufunc("multiply"), INTEGER: ufunc("multiply")},
    names={"numpy": "multiply", "stablehlo": "stablehlo.multiply"},
)


@irdl_op_definition
class DivideOp(BinaryOp):
    """lhs / rhs. Integers truncate toward zero; x / 0 = 0 and INT_MIN / -1 = INT_MIN."""

    name = "snippets.divide"
    ELEMENT_KINDS: ClassVar = (FLOAT, INTEGER)


_DIVIDE = OpRecord(
    DivideOp,
    value=by_kind(once(ufunc("divide")), value_in("integer:divide")),
    aten=(Aten("div", given={"rounding_mode": None}),),
    code=Code(source="arithmetic:divide", vectors=3, masks=2),
    patterns=("chains:MultiplyByReciprocal",),
    weight=8.0,
    onnx=Onnx("Div", (7, 13, 14), rate=0.17, avx2_rate=0.34, bound="single"),
    formulas={FLOAT: ufunc("divide"), INTEGER: unless_zero(_quotient)},
    names={"numpy": "divide", "stablehlo": "stablehlo.divide"},
)


@irdl_op_definition
class SquaredDifferenceOp(BinaryOp):
    """(lhs - rhs)^2, the difference rounded before it is squared. Integers wrap."""

    name = "snippets.squared_difference"
    ELEMENT_KINDS: ClassVar = (FLOAT, INTEGER)
    traits = traits_def(Commutative())


_SQUARED_DIFFERENCE = OpRecord(
    SquaredDifferenceOp,
    value=plain(_squared_difference),
    floats=Expansion("piecewise:squared_difference", note="subtract and multiply"),
    integers=Expansion("integer:squared_difference", note="subtract and multiply"),
    formulas={FLOAT: _square_of_difference},
)


RECORDS = (_ADD, _SUBTRACT, _MULTIPLY, _DIVIDE, _SQUARED_DIFFERENCE)
