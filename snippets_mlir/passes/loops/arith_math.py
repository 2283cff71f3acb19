"""The builder that math expansions are written against, on `arith` and `math`.

Values are scalars or vectors of any rank; see `expansions/builder.py` for what each step means.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from xdsl.dialects import arith, math, memref
from xdsl.dialects.arith import FastMathFlagsAttr, IntegerOverflowAttr
from xdsl.dialects.builtin import IndexType, IntegerAttr, VectorType, f32, f64, i1, i32, i64
from xdsl.ir import Attribute, Operation, SSAValue

from snippets_mlir.dialects.arith import casts
from snippets_mlir.dialects.arith.compare import CmpfOp, CmpiOp
from snippets_mlir.dialects.arith.ops import NegfOp, SelectOp
from snippets_mlir.dialects.arith.types import with_element
from snippets_mlir.dialects.builtin.shaped import element_of
from snippets_mlir.dialects.vector.masked import GatherOp
from snippets_mlir.passes.loops.arith_place import Place, Table

_EXACT: dict[str, Attribute] = {"fastmath": FastMathFlagsAttr("none")}
_WRAPPING: dict[str, Attribute] = {"overflowFlags": IntegerOverflowAttr("none")}


class ArithMathBuilder:
    """`MathBuilder` on `arith` and `math`, for elements `f32` (with i32) or `f64` (with i64)."""

    def __init__(self, place: Place, element: str, fma_is_fast: bool) -> None:
        self.place = place
        self.element = element
        self.fma_is_fast = fma_is_fast
        self.permutes = False
        self._float, self._int = (f32, i32) if element == "f32" else (f64, i64)

    def f64(self) -> Self:
        """A builder for f64 elements."""
        return type(self)(self.place, "f64", self.fma_is_fast)

    def constant(self, x: float) -> SSAValue:
        """x in every element."""
        return self.place.constant(float(x), self._float)

    def integer(self, x: int) -> SSAValue:
        """x in every element."""
        return self.place.constant(x, self._int)

    def _float_op(self, cls: type[Operation], *operands: SSAValue) -> SSAValue:
        return self._make(cls, operands, operands[0].type, _EXACT)

    def _make(
        self,
        cls: type[Operation],
        operands: Sequence[SSAValue],
        type: Attribute,
        properties: dict[str, Attribute] | None = None,
    ) -> SSAValue:
        return self.place.put(
            cls.create(operands=operands, result_types=[type], properties=properties or {})
        )

    def add(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """`a + b`."""
        return self._float_op(arith.AddfOp, a, b)

    def sub(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """`a - b`."""
        return self._float_op(arith.SubfOp, a, b)

    def mul(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """`a * b`."""
        return self._float_op(arith.MulfOp, a, b)

    def div(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """`a / b`."""
        return self._float_op(arith.DivfOp, a, b)

    def fma(self, a: SSAValue, b: SSAValue, c: SSAValue) -> SSAValue:
        """`a * b + c`, rounded once."""
        return self._float_op(math.FmaOp, a, b, c)

    def neg(self, a: SSAValue) -> SSAValue:
        """-a."""
        return self._float_op(NegfOp, a)

    def abs(self, a: SSAValue) -> SSAValue:
        """|a|."""
        return self._float_op(math.AbsFOp, a)

    def sqrt(self, a: SSAValue) -> SSAValue:
        """Square root."""
        return self._float_op(math.SqrtOp, a)

    def floor(self, a: SSAValue) -> SSAValue:
        """`a` rounded down."""
        return self._float_op(math.FloorOp, a)

    def ceil(self, a: SSAValue) -> SSAValue:
        """`a` rounded up."""
        return self._float_op(math.CeilOp, a)

    def trunc(self, a: SSAValue) -> SSAValue:
        """`a` rounded toward zero."""
        return self._float_op(math.TruncOp, a)

    def round_even(self, a: SSAValue) -> SSAValue:
        """`a` rounded to nearest, halves to even."""
        return self._float_op(math.RoundEvenOp, a)

    def max(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """IEEE 754-2019 maximum."""
        return self._float_op(arith.MaximumfOp, a, b)

    def min(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """IEEE 754-2019 minimum."""
        return self._float_op(arith.MinimumfOp, a, b)

    def _compare(self, predicate: str, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.place.put(CmpfOp(a, b, predicate))

    def lt(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """`a < b`."""
        return self._compare("olt", a, b)

    def le(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """`a <= b`."""
        return self._compare("ole", a, b)

    def gt(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """`a > b`."""
        return self._compare("ogt", a, b)

    def ge(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """`a >= b`."""
        return self._compare("oge", a, b)

    def eq(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """`a == b`."""
        return self._compare("oeq", a, b)

    def ne(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """`a != b`, true for NaN."""
        return self._compare("une", a, b)

    def select(self, mask: SSAValue, a: SSAValue, b: SSAValue) -> SSAValue:
        """`a` where `mask`, else `b`."""
        return self.place.put(SelectOp(mask, a, b))

    def mask_and(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """Both masks."""
        return self._make(arith.AndIOp, (a, b), a.type)

    def mask_or(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """Either mask."""
        return self._make(arith.OrIOp, (a, b), a.type)

    def mask_xor(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """One of both masks."""
        return self._make(arith.XOrIOp, (a, b), a.type)

    def mask_not(self, a: SSAValue) -> SSAValue:
        """The inverse mask."""
        return self.mask_xor(a, self.place.constant(1, i1))

    iand, ior, ixor = mask_and, mask_or, mask_xor

    def iadd(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """`a + b`, wrapping."""
        return self._make(arith.AddiOp, (a, b), a.type, _WRAPPING)

    def isub(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """`a - b`, wrapping."""
        return self._make(arith.SubiOp, (a, b), a.type, _WRAPPING)

    def imul(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """`a * b`, wrapping."""
        return self._make(arith.MuliOp, (a, b), a.type, _WRAPPING)

    def ishl(self, a: SSAValue, n: int) -> SSAValue:
        """`a << n`."""
        return self._make(arith.ShLIOp, (a, self.integer(n)), a.type, _WRAPPING)

    def iashr(self, a: SSAValue, n: int) -> SSAValue:
        """`a >> n`, the sign shifted in."""
        return self._make(arith.ShRSIOp, (a, self.integer(n)), a.type)

    def ieq(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """`a == b`."""
        return self.place.put(CmpiOp(a, b, "eq"))

    def ilt(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """`a < b`, signed."""
        return self.place.put(CmpiOp(a, b, "slt"))

    def igt(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """`a > b`, signed."""
        return self.place.put(CmpiOp(a, b, "sgt"))

    def cast(self, cls: type[Operation], value: SSAValue, element: Attribute) -> SSAValue:
        """A cast to elements of another type."""
        return self._make(cls, (value,), with_element(value.type, element))

    def to_int(self, x: SSAValue) -> SSAValue:
        """`x`, which is in range, truncated."""
        return self.cast(casts.FPToSIOp, x, self._int)

    def to_float(self, i: SSAValue) -> SSAValue:
        """The integer as a float."""
        return self.cast(casts.SIToFPOp, i, self._float)

    def as_int(self, x: SSAValue) -> SSAValue:
        """The bits of a float."""
        return self.cast(arith.BitcastOp, x, self._int)

    def as_float(self, i: SSAValue) -> SSAValue:
        """The float of these bits."""
        return self.cast(arith.BitcastOp, i, self._float)

    def lookup(self, table: Table, index: SSAValue, *, wraps: bool = False) -> SSAValue:
        """`table[index]`, the index clamped to the table, or modulo its size."""
        element = self._float if isinstance(table[0], float) else self._int
        last = self.place.constant(len(table) - 1, element_of(index.type))
        if wraps:
            index = self._make(arith.AndIOp, (index, last), index.type)
        else:
            index = self._make(arith.MinSIOp, (index, last), index.type)
            zero = self.place.constant(0, element_of(index.type))
            index = self._make(arith.MaxSIOp, (index, zero), index.type)
        symbol = self.place.table(table, element)
        base = self.place.put(memref.GetGlobalOp(symbol.sym_name.data, symbol.type))
        if not isinstance(self.place.like, VectorType):
            place = self.cast(casts.IndexCastOp, index, IndexType())
            return self.place.put(memref.LoadOp.get(base, [place]))
        zero = self.place.put(arith.ConstantOp(IntegerAttr(0, IndexType())))
        mask = self.place.constant(1, i1)
        rest = self.place.constant(0.0 if element == self._float else 0, element)
        return self.place.put(GatherOp(base, [zero], index, mask, rest))

    def widen(self, x: SSAValue) -> SSAValue:
        """An f32 value as f64."""
        return self.cast(casts.ExtFOp, x, f64)

    def narrow(self, x: SSAValue) -> SSAValue:
        """An f64 value rounded to f32."""
        return self.cast(casts.TruncFOp, x, f32)

    def wide_int(self, i: SSAValue) -> SSAValue:
        """An i32 value as i64."""
        return self.cast(casts.ExtSIOp, i, i64)

    def narrow_int(self, i: SSAValue) -> SSAValue:
        """The low bits of an i64 value."""
        return self.cast(casts.TruncIOp, i, i32)
