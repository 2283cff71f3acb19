"""The builder of math expansions for the linear IR.

Every step is an op of the `snippets` dialect; `expansions/builder.py` has their meaning.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    Float32Type,
    Float64Type,
    IntegerAttr,
    IntegerType,
    TensorType,
    UnitAttr,
    f32,
    f64,
    i32,
    i64,
)
from xdsl.ir import Attribute, SSAValue

from snippets_mlir.dialects.builtin.shaped import tensor_of
from snippets_mlir.dialects.snippets import (
    arithmetic,
    bitwise,
    comparison,
    conversion,
    elementary,
    extrema,
    internal,
    logic,
    selection,
    signs,
)
from snippets_mlir.dialects.snippets.signs import RoundOp
from snippets_mlir.passes.lir.expansion_builder import ExpansionBuilder


@cache
def _table(
    values: tuple[float, ...] | tuple[int, ...], element: Float32Type | Float64Type | IntegerType
) -> DenseIntOrFPElementsAttr:
    if isinstance(element, IntegerType):
        numbers = [int(v) for v in values]
        return DenseIntOrFPElementsAttr.from_list(TensorType(element, [len(values)]), numbers)
    return DenseIntOrFPElementsAttr.from_list(TensorType(element, [len(values)]), list(values))


class LirMathBuilder(ExpansionBuilder):
    """`MathBuilder` on the linear IR."""

    def add(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """`a + b`."""
        return self.same(arithmetic.AddOp, a, b)

    def sub(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """`a - b`."""
        return self.same(arithmetic.SubtractOp, a, b)

    def mul(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """`a * b`."""
        return self.same(arithmetic.MultiplyOp, a, b)

    def div(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """`a / b`."""
        return self.same(arithmetic.DivideOp, a, b)

    def fma(self, a: SSAValue, b: SSAValue, c: SSAValue) -> SSAValue:
        """`a * b + c`, rounded once."""
        return self.same(internal.FmaOp, a, b, c)

    def neg(self, a: SSAValue) -> SSAValue:
        """-a."""
        return self.same(signs.NegativeOp, a)

    def abs(self, a: SSAValue) -> SSAValue:
        """|a|."""
        return self.same(signs.AbsOp, a)

    def sqrt(self, a: SSAValue) -> SSAValue:
        """Square root of a."""
        return self.same(elementary.SqrtOp, a)

    def floor(self, a: SSAValue) -> SSAValue:
        """`a rounded down`."""
        return self.same(signs.FloorOp, a)

    def ceil(self, a: SSAValue) -> SSAValue:
        """`a rounded up`."""
        return self.same(signs.CeilingOp, a)

    def trunc(self, a: SSAValue) -> SSAValue:
        """`a rounded toward zero`."""
        return self.same(internal.TruncOp, a)

    def round_even(self, a: SSAValue) -> SSAValue:
        """`a rounded to nearest`, halves to even."""
        return self.same(RoundOp, a)

    def max(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """IEEE 754-2019 maximum."""
        return self.same(extrema.MaximumOp, a, b)

    def min(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """IEEE 754-2019 minimum."""
        return self.same(extrema.MinimumOp, a, b)

    def lt(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """`a < b`."""
        return self.mask(comparison.LessOp, a, b)

    def le(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """`a <= b`."""
        return self.mask(comparison.LessEqualOp, a, b)

    def gt(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """`a > b`."""
        return self.mask(comparison.GreaterOp, a, b)

    def ge(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """`a >= b`."""
        return self.mask(comparison.GreaterEqualOp, a, b)

    def eq(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """`a == b`."""
        return self.mask(comparison.EqualOp, a, b)

    def ne(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """`a != b`, true for NaN."""
        return self.mask(comparison.NotEqualOp, a, b)

    def select(self, mask: SSAValue, a: SSAValue, b: SSAValue) -> SSAValue:
        """`a where mask`, else b."""
        return self.op(selection.SelectOp, (mask, a, b), tensor_of(a).element_type)

    def rare(self, mask: SSAValue, a: Callable[[], SSAValue], b: SSAValue) -> SSAValue:
        """`select`, marked for `sink-rare-operands`."""
        operands, element = (mask, a(), b), tensor_of(b).element_type
        return self.op(selection.SelectOp, operands, element, rare=UnitAttr())

    def mask_and(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """Lanes that are set in both masks."""
        return self.mask(logic.LogicalAndOp, a, b)

    def mask_or(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """Lanes that are set in one mask at least."""
        return self.mask(logic.LogicalOrOp, a, b)

    def mask_xor(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """Lanes that are set in exactly one of two masks."""
        return self.mask(logic.LogicalXorOp, a, b)

    def mask_not(self, a: SSAValue) -> SSAValue:
        """Lanes that are not set in the mask."""
        return self.mask(logic.LogicalNotOp, a)

    iadd, isub, imul = add, sub, mul

    def iand(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """Bits that are set in both integers."""
        return self.same(bitwise.BitwiseAndOp, a, b)

    def ior(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """Bits that are set in one integer at least."""
        return self.same(bitwise.BitwiseOrOp, a, b)

    def ixor(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """Bits that are set in exactly one of two integers."""
        return self.same(bitwise.BitwiseXorOp, a, b)

    def ishl(self, a: SSAValue, n: int) -> SSAValue:
        """`a << n`."""
        return self.same(bitwise.BitwiseLeftShiftOp, a, self._amount(a, n))

    def iashr(self, a: SSAValue, n: int) -> SSAValue:
        """`a >> n`, the sign shifted in."""
        return self.same(bitwise.BitwiseRightShiftOp, a, self._amount(a, n))

    def _amount(self, a: SSAValue, n: int) -> SSAValue:
        element = tensor_of(a).element_type
        assert element in (i32, i64)
        return self.scalar(IntegerAttr(n, i32 if element == i32 else i64))

    ieq, ilt, igt = eq, lt, gt

    def to_int(self, x: SSAValue) -> SSAValue:
        """`x`, which fits, as an integer of the same width, truncated."""
        return self.op(conversion.ConvertTruncationOp, (x,), self.int_type, in_range=UnitAttr())

    def to_float(self, i: SSAValue) -> SSAValue:
        """The integer i as a float."""
        return self.op(conversion.ConvertTruncationOp, (i,), self.float_type)

    def as_int(self, x: SSAValue) -> SSAValue:
        """The bits of x as an integer."""
        return self.op(internal.BitcastOp, (x,), self.int_type)

    def as_float(self, i: SSAValue) -> SSAValue:
        """The bits of i as a float."""
        return self.op(internal.BitcastOp, (i,), self.float_type)

    def lookup(
        self, table: tuple[float, ...] | tuple[int, ...], index: SSAValue, *, wraps: bool = False
    ) -> SSAValue:
        """table[index]; floats give floats, integers give integers."""
        element = self.float_type if isinstance(table[0], float) else self.int_type
        properties: dict[str, Attribute] = {"table": _table(table, element)}
        if wraps:
            properties["wraps"] = UnitAttr()
        return self.op(internal.LookupOp, (index,), element, **properties)

    def widen(self, x: SSAValue) -> SSAValue:
        """An f32 vector as f64, exact."""
        return self.op(conversion.ConvertTruncationOp, (x,), f64)

    def narrow(self, x: SSAValue) -> SSAValue:
        """An f64 vector as f32, rounded once."""
        return self.op(conversion.ConvertTruncationOp, (x,), f32)

    def wide_int(self, i: SSAValue) -> SSAValue:
        """An i32 vector as i64, with its sign."""
        return self.op(conversion.ConvertTruncationOp, (i,), i64)
