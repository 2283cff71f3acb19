"""Arithmetic, maximum and minimum of the `snippets` dialect.

Both operands have one element type and broadcast together by NumPy's rules. Integers are two's
complement: signless and `si` types are signed, `ui` types unsigned. `squared_difference` rounds
twice, every other op once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from xdsl.ir import Operation
from xdsl.irdl import irdl_op_definition, traits_def
from xdsl.traits import Commutative

from snippets_mlir.dialects.snippets.base import FLOAT, INTEGER, BinaryOp
from snippets_mlir.dialects.snippets.counterparts import Aten, Engine, Onnx
from snippets_mlir.dialects.snippets.record import (
    Code,
    Expansion,
    Formula,
    OpRecord,
    Value,
    value_in,
)
from snippets_mlir.dialects.snippets.values.forms import by_kind, once, plain, ufunc
from snippets_mlir.support.lazy import LazyModule

if TYPE_CHECKING:
    import numpy as np

    from snippets_mlir.dialects.builtin import dtypes
    from snippets_mlir.dialects.builtin.dtypes import Array
else:
    np = LazyModule("numpy")
    dtypes = LazyModule("snippets_mlir.dialects.builtin.dtypes")


def _pick(prefer: str, negative_zero: bool) -> Value:
    """The larger or the smaller: NaN wins; of two zeros, -0.0 wins if `negative_zero`."""

    def value(op: Operation, dtype: np.dtype[Any], x: Array, y: Array) -> Array:
        first = ufunc(prefer)(x, y)
        if dtypes.is_float(dtype):
            sign = np.signbit(x)
            first = np.where(x == y, sign if negative_zero else ~sign, first)
            first = np.isnan(x) | (first & ~np.isnan(y))
        return np.where(first, x, y)

    return value


def _floor_mod(x: Array, y: Array) -> Array:
    """fmod, moved into the range of y's sign; the one addition is the one rounding."""

    def value(x: Array, y: Array) -> Array:
        rest = np.fmod(x, y)
        moved = np.where((rest != 0) & ((rest < 0) != (y < 0)), rest + y, rest)
        return np.where(rest == 0, np.copysign(np.zeros((), x.dtype), y), moved)

    return once(value)(x, y)


def _squared_difference(x: Array, y: Array) -> Array:
    difference = once(np.subtract)(x, y)
    return once(np.multiply)(difference, difference)


def _square_of_difference(x: Array, y: Array) -> Array:
    return (x - y) * (x - y)


def _unless_zero(function: Formula) -> Formula:
    """Of integers: 0 where the second is 0."""

    def formula(x: Array, y: Array) -> Array:
        wider = np.where(y == 0, 1, y).astype(np.int64)
        return np.where(y == 0, 0, function(x.astype(np.int64), wider)).astype(x.dtype)

    return formula


def _quotient(x: Array, y: Array) -> Array:
    """Rounded towards zero."""
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
    onnx=Onnx("Div", (7, 13, 14), rate=0.17, bound="single"),
    formulas={FLOAT: ufunc("divide"), INTEGER: _unless_zero(_quotient)},
    names={"numpy": "divide", "stablehlo": "stablehlo.divide"},
)


@irdl_op_definition
class MaximumOp(BinaryOp):
    """The larger; NaN if either is NaN, and maximum(-0.0, 0.0) = 0.0 (IEEE 754-2019 maximum)."""

    name = "snippets.maximum"
    ELEMENT_KINDS: ClassVar = (FLOAT, INTEGER)
    traits = traits_def(Commutative())


_MAXIMUM = OpRecord(
    MaximumOp,
    value=_pick("greater", negative_zero=False),
    aten=(Aten("maximum"),),
    code=Code("arith.maximumf", "arith.maxsi", vectors=2, masks=1),
    onnx=Onnx("Max", (6, 8, 12, 13), variadic=True),
    formulas={FLOAT: ufunc("maximum"), INTEGER: ufunc("maximum")},
    keeps_exact=True,
    names={"numpy": "maximum", "stablehlo": "stablehlo.maximum"},
)


@irdl_op_definition
class MinimumOp(BinaryOp):
    """The smaller; NaN if either is NaN, and minimum(-0.0, 0.0) = -0.0 (IEEE 754-2019 minimum)."""

    name = "snippets.minimum"
    ELEMENT_KINDS: ClassVar = (FLOAT, INTEGER)
    traits = traits_def(Commutative())


_MINIMUM = OpRecord(
    MinimumOp,
    value=_pick("less", negative_zero=True),
    aten=(Aten("minimum"),),
    code=Code("arith.minimumf", "arith.minsi", vectors=2, masks=1),
    onnx=Onnx("Min", (6, 8, 12, 13), variadic=True),
    formulas={FLOAT: ufunc("minimum"), INTEGER: ufunc("minimum")},
    keeps_exact=True,
    names={"numpy": "minimum", "stablehlo": "stablehlo.minimum"},
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


@irdl_op_definition
class FloorModOp(BinaryOp):
    """Remainder with the sign of rhs (Python's %), a zero included.

    Floats: rounded once; NaN for rhs = 0 or lhs = inf; for an infinite rhs lhs, or rhs when the
    signs differ. Integers: x mod 0 = 0.
    """

    name = "snippets.floor_mod"
    ELEMENT_KINDS: ClassVar = (FLOAT, INTEGER)


_FLOOR_MOD = OpRecord(
    FloorModOp,
    value=by_kind(_floor_mod, value_in("integer:floor_mod")),
    aten=(Aten("remainder", kinds=(FLOAT,)),),
    code=Code(source="arithmetic:floor_mod", vectors=4, masks=2),
    formulas={INTEGER: _unless_zero(ufunc("mod"))},
    names={"numpy": "remainder"},
)


@irdl_op_definition
class ModOp(BinaryOp):
    """Remainder with the sign of lhs (C's fmod and %).

    Floats: exact; NaN for rhs = 0 or lhs = inf. Integers: x mod 0 = 0.
    """

    name = "snippets.mod"
    ELEMENT_KINDS: ClassVar = (FLOAT, INTEGER)


_MOD = OpRecord(
    ModOp,
    value=by_kind(once(ufunc("fmod")), value_in("integer:mod")),
    aten=(Aten("fmod", kinds=(FLOAT,)),),
    code=Code(source="arithmetic:mod", vectors=4, masks=2),
    onnx=Onnx("Mod", (), own_importer=True, rate=5.61),
    formulas={FLOAT: ufunc("fmod"), INTEGER: _unless_zero(ufunc("fmod"))},
    jumps=True,
    names={"numpy": "fmod", "stablehlo": "stablehlo.remainder"},
)


RECORDS = (
    _ADD,
    _SUBTRACT,
    _MULTIPLY,
    _DIVIDE,
    _MAXIMUM,
    _MINIMUM,
    _SQUARED_DIFFERENCE,
    _FLOOR_MOD,
    _MOD,
)
