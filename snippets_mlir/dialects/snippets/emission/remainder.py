"""The exact remainder of a float division, on vectors.

    r = |x|; while r >= |y|: subtract from r the largest multiple q t, t = |y| 2^k, that fits

is exact, because each difference is a float again. k leaves a quotient of few bits, so that q t is
exact in one word (f32, computed in f64) or two (f64). The division may round q up by one; one
addition of t corrects this. The exponents determine the number of rounds: a `scf.for` runs as many
rounds as the lane with the largest quotient needs, mostly one.

    %r = snippets.mod %x, %y      becomes      ... %n = vector.reduction <maxsi>, %rounds
                                               %r = scf.for %i = %c0 to %n step %c1
                                                    iter_args(%a = %x1) -> (vector<8xf64>) {...}
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import cast

from xdsl.dialects import arith as upstream_arith
from xdsl.dialects import math as math_dialect
from xdsl.dialects import scf
from xdsl.dialects.arith import FastMathFlagsAttr
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    Float64Type,
    IntegerAttr,
    IntegerType,
    VectorType,
    f32,
    f64,
    i64,
)
from xdsl.dialects.vector import CombiningKindFlag
from xdsl.ir import Block, Operation, SSAValue

from snippets_mlir.dialects.arith.casts import ExtFOp, TruncFOp
from snippets_mlir.dialects.arith.compare import CmpfOp
from snippets_mlir.dialects.arith.ops import SelectOp
from snippets_mlir.dialects.vector.ops import ReductionOp

Append = Callable[[Operation], Operation]

_NO_FLAGS = FastMathFlagsAttr("none")
_SMALLEST_NORMAL = 2.0**-1022
_MANTISSA, _BIAS = 52, 1023
# Bits of a quotient: with the 24 bits of an f32, or the 27 of half an f64, products are exact.
_QUOTIENT_BITS = {"f32": 29, "f64": 26}
_LOW_HALF = (1 << 27) - 1


class _Lanes:
    """Appends ops on `vector<lanes x f64>` and `vector<lanes x i64>` values."""

    def __init__(self, append: Append, lanes: int) -> None:
        self.append = append
        self.lanes = lanes
        self.floats: VectorType[Float64Type] = VectorType(f64, [lanes])
        self.integers: VectorType[IntegerType] = VectorType(i64, [lanes])

    def add(self, op: Operation) -> SSAValue:
        """Append an op with one result."""
        return self.append(op).results[0]

    def float(self, x: float) -> SSAValue:
        attr = DenseIntOrFPElementsAttr.from_list(self.floats, [x])
        return self.add(upstream_arith.ConstantOp(attr, self.floats))

    def integer(self, x: int) -> SSAValue:
        attr = DenseIntOrFPElementsAttr.from_list(self.integers, [x])
        return self.add(upstream_arith.ConstantOp(attr, self.integers))

    def floating(self, op: type[Operation], *operands: SSAValue) -> SSAValue:
        """A float op without flags, of the type of its operands."""
        return self.add(
            op.create(
                operands=operands,
                result_types=[operands[0].type],
                properties={"fastmath": _NO_FLAGS},
            )
        )

    def minus(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.floating(upstream_arith.SubfOp, a, b)

    def plus(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.floating(upstream_arith.AddfOp, a, b)

    def times(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.floating(upstream_arith.MulfOp, a, b)

    def compare(self, predicate: str, a: SSAValue, b: SSAValue) -> SSAValue:
        """`arith.cmpf` with an MLIR predicate name, as a mask."""
        return self.add(CmpfOp(a, b, predicate))

    def select(self, mask: SSAValue, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.add(SelectOp(mask, a, b))

    def both(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """The bits, or masks, of both."""
        return self.add(upstream_arith.AndIOp(a, b))

    def bits(self, x: SSAValue) -> SSAValue:
        return self.add(upstream_arith.BitcastOp(x, self.integers))

    def power_of_two(self, k: SSAValue) -> SSAValue:
        """2^k for -1022 <= k <= 1023."""
        biased = self.add(upstream_arith.AddiOp(k, self.integer(_BIAS)))
        shifted = self.add(upstream_arith.ShLIOp(biased, self.integer(_MANTISSA)))
        return self.add(upstream_arith.BitcastOp(shifted, self.floats))

    def exponent(self, x: SSAValue, subnormals: bool) -> SSAValue:
        """floor(log2 x) + 1023 for finite x > 0, something below -50 for 0."""
        shift = self.integer(_MANTISSA)
        if not subnormals:
            return self.add(upstream_arith.ShRUIOp(self.bits(x), shift))
        small = self.compare("olt", x, self.float(_SMALLEST_NORMAL))
        scaled = self.select(small, self.times(x, self.float(2.0**54)), x)
        exponent = self.add(upstream_arith.ShRUIOp(self.bits(scaled), shift))
        less = self.add(upstream_arith.SubiOp(exponent, self.integer(54)))
        return self.select(small, less, exponent)


def _gap(code: _Lanes, r: SSAValue, y_exponent: SSAValue, wide: bool) -> SSAValue:
    """The difference between the exponents of r and y."""
    return code.add(upstream_arith.SubiOp(code.exponent(r, wide), y_exponent))


def _round(code: _Lanes, r: SSAValue, y: SSAValue, y_exponent: SSAValue, wide: bool) -> SSAValue:
    """r minus a multiple of y: below y 2^k, where k is 0 if the quotient has few bits."""
    few = _QUOTIENT_BITS["f64" if wide else "f32"] - 1
    k = code.add(upstream_arith.SubiOp(_gap(code, r, y_exponent, wide), code.integer(few)))
    k = code.add(upstream_arith.MaxSIOp(k, code.integer(0)))
    t = y
    for _ in range(2 if wide else 0):
        # k may be 2073: from the smallest subnormal to the largest float.
        part = code.add(upstream_arith.MinSIOp(k, code.integer(_BIAS)))
        t = code.times(t, code.power_of_two(part))
        k = code.add(upstream_arith.SubiOp(k, part))
    t = code.times(t, code.power_of_two(k))
    q = code.floating(math_dialect.FloorOp, code.floating(upstream_arith.DivfOp, r, t))
    product = code.times(q, t)
    difference = code.minus(r, product)
    if wide:
        high_bits = code.both(code.bits(t), code.integer(~_LOW_HALF))
        high = code.add(upstream_arith.BitcastOp(high_bits, code.floats))
        error = code.minus(code.times(q, high), product)
        error = code.plus(error, code.times(q, code.minus(t, high)))
        difference = code.minus(difference, error)
    negative = code.compare("olt", difference, code.float(0.0))
    return code.select(negative, code.plus(difference, t), difference)


def _reduce(code: _Lanes, x: SSAValue, y: SSAValue, wide: bool) -> SSAValue:
    """x modulo y for finite x >= 0 and y > 0."""
    few = _QUOTIENT_BITS["f64" if wide else "f32"] - 1
    y_exponent = code.exponent(y, wide)
    gap = _gap(code, x, y_exponent, wide)
    largest = code.add(ReductionOp(CombiningKindFlag.MAXSI, gap))

    def scalar(value: int) -> SSAValue:
        return code.add(upstream_arith.ConstantOp(IntegerAttr(value, i64)))

    # -1 (no lane with x >= y) gives 0 rounds, 0 to few - 1 one round, and so on.
    largest = code.add(upstream_arith.MaxSIOp(largest, scalar(-1)))
    largest = code.add(upstream_arith.AddiOp(largest, scalar(few)))
    rounds = code.add(upstream_arith.DivUIOp(largest, scalar(few)))
    body = Block(arg_types=[i64, code.floats])

    def inside(op: Operation) -> Operation:
        body.add_op(op)
        return op

    r = _round(_Lanes(inside, code.lanes), body.args[1], y, y_exponent, wide)
    body.add_op(scf.YieldOp(r))
    return code.add(scf.ForOp(scalar(0), rounds, scalar(1), [x], body))


def emit_float_mod(append: Append, lhs: SSAValue, rhs: SSAValue, *, floor: bool) -> SSAValue:
    """The remainder of `lhs / rhs` on `vector<NxT>`, T = f32 or f64, exact for every value.

    Without `floor` it has the sign of `lhs` (C's fmod); with it the sign of `rhs`, and where both
    differ `rhs` is added, which rounds once. NaN for rhs = 0 and infinite lhs; lhs for infinite
    rhs.
    """
    type_ = cast("VectorType[Float64Type]", lhs.type)
    element, lanes = type_.element_type, type_.get_shape()[0]
    assert element in (f32, f64), f"no remainder of {element}"
    wide = element == f64
    code = _Lanes(append, lanes)

    def widened(value: SSAValue) -> SSAValue:
        return value if wide else code.add(ExtFOp(value, code.floats))

    x = code.floating(math_dialect.AbsFOp, widened(lhs))
    y = code.floating(math_dialect.AbsFOp, widened(rhs))
    infinity, zero = code.float(math.inf), code.float(0.0)
    defined = code.both(code.compare("olt", x, infinity), code.compare("ogt", y, zero))
    regular = code.both(defined, code.compare("olt", y, infinity))
    r = _reduce(
        code,
        code.select(regular, x, zero),
        code.select(regular, y, code.float(1.0)),
        wide,
    )
    r = code.select(regular, r, code.select(defined, x, code.float(math.nan)))
    r = r if wide else code.add(TruncFOp(r, type_))
    r = code.floating(math_dialect.CopySignOp, r, lhs)
    return _toward(code, r, rhs) if floor else r


def _toward(code: _Lanes, r: SSAValue, rhs: SSAValue) -> SSAValue:
    """r, moved by `rhs` where their signs differ; a zero gets the sign of `rhs`."""
    type_ = cast("VectorType[Float64Type]", r.type)
    splat = DenseIntOrFPElementsAttr.from_list(type_, [0.0])
    zero = code.add(upstream_arith.ConstantOp(splat, type_))
    is_zero = code.compare("oeq", r, zero)
    below = code.compare("olt", r, zero)
    differ = code.add(upstream_arith.XOrIOp(below, code.compare("olt", rhs, zero)))
    moved = code.select(differ, code.plus(r, rhs), r)
    return code.select(is_zero, code.floating(math_dialect.CopySignOp, zero, rhs), moved)
