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
from xdsl.ir import Attribute, Operation, SSAValue

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


_Step = Callable[..., SSAValue]
"""A method of the builder."""


def _unary(cls: type[Operation]) -> _Step:
    """An op of one operand; its result has the operand's element type."""

    def step(builder: ExpansionBuilder, a: SSAValue) -> SSAValue:
        return builder.same(cls, a)

    return step


def _binary(cls: type[Operation]) -> _Step:
    """An op of two operands; its result has their element type."""

    def step(builder: ExpansionBuilder, a: SSAValue, b: SSAValue) -> SSAValue:
        return builder.same(cls, a, b)

    return step


def _mask_of_two(cls: type[Operation]) -> _Step:
    """An op of two operands whose result is a mask."""

    def step(builder: ExpansionBuilder, a: SSAValue, b: SSAValue) -> SSAValue:
        return builder.mask(cls, a, b)

    return step


class LirMathBuilder(ExpansionBuilder):
    """`MathBuilder` on the linear IR."""

    add = _binary(arithmetic.AddOp)
    sub = _binary(arithmetic.SubtractOp)
    mul = _binary(arithmetic.MultiplyOp)
    div = _binary(arithmetic.DivideOp)
    neg = _unary(signs.NegativeOp)
    abs = _unary(signs.AbsOp)
    sqrt = _unary(elementary.SqrtOp)
    floor = _unary(signs.FloorOp)
    ceil = _unary(signs.CeilingOp)
    trunc = _unary(internal.TruncOp)
    round_even = _unary(RoundOp)
    max = _binary(extrema.MaximumOp)
    min = _binary(extrema.MinimumOp)
    lt = _mask_of_two(comparison.LessOp)
    le = _mask_of_two(comparison.LessEqualOp)
    gt = _mask_of_two(comparison.GreaterOp)
    ge = _mask_of_two(comparison.GreaterEqualOp)
    eq = _mask_of_two(comparison.EqualOp)
    ne = _mask_of_two(comparison.NotEqualOp)

    def fma(self, a: SSAValue, b: SSAValue, c: SSAValue) -> SSAValue:
        """`a * b + c`, rounded once."""
        return self.same(internal.FmaOp, a, b, c)

    def select(self, mask: SSAValue, a: SSAValue, b: SSAValue) -> SSAValue:
        """`a where mask`, else b."""
        return self.op(selection.SelectOp, (mask, a, b), tensor_of(a).element_type)

    def rare(self, mask: SSAValue, a: Callable[[], SSAValue], b: SSAValue) -> SSAValue:
        """`select`, marked for `sink-rare-operands`."""
        operands, element = (mask, a(), b), tensor_of(b).element_type
        return self.op(selection.SelectOp, operands, element, rare=UnitAttr())

    mask_and = _mask_of_two(logic.LogicalAndOp)
    mask_or = _mask_of_two(logic.LogicalOrOp)
    mask_xor = _mask_of_two(logic.LogicalXorOp)
    iadd, isub, imul = add, sub, mul
    iand = _binary(bitwise.BitwiseAndOp)
    ior = _binary(bitwise.BitwiseOrOp)
    ixor = _binary(bitwise.BitwiseXorOp)
    ieq, ilt, igt = eq, lt, gt

    def mask_not(self, a: SSAValue) -> SSAValue:
        """Lanes that are not set in the mask."""
        return self.mask(logic.LogicalNotOp, a)

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
