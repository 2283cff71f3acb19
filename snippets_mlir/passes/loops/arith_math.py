"""The builder of math expansions for `arith` and `math`.

Values are scalars or vectors of any rank; `expansions/builder.py` has the meaning of each step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
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

Step = Callable[..., SSAValue]
"""A method of the builder."""
_EXACT: dict[str, Attribute] = {"fastmath": FastMathFlagsAttr("none")}
_WRAPPING: dict[str, Attribute] = {"overflowFlags": IntegerOverflowAttr("none")}


def _of_floats(cls: type[Operation]) -> Step:
    """The op of that class on all operands, exact."""

    def step(b: ArithMathBuilder, *operands: SSAValue) -> SSAValue:
        return b.make(cls, operands, operands[0].type, _EXACT)

    return step


def _of_integers(cls: type[Operation], properties: dict[str, Attribute] | None = None) -> Step:
    """The op of that class on all operands, which are integers or masks."""

    def step(b: ArithMathBuilder, *operands: SSAValue) -> SSAValue:
        return b.make(cls, operands, operands[0].type, properties)

    return step


def _compares(cls: type[CmpfOp | CmpiOp], predicate: str) -> Step:
    def step(b: ArithMathBuilder, *operands: SSAValue) -> SSAValue:
        return b.place.put(cls(operands[0], operands[1], predicate))

    return step


class ArithMathBuilder:
    """`MathBuilder` on `arith` and `math`, for elements `f32` (with i32) or `f64` (with i64)."""

    def __init__(self, place: Place, element: str, fma_is_fast: bool) -> None:
        self.place = place
        self.element = element
        self.fma_is_fast = fma_is_fast
        self.permutes = False
        self.branches = False
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

    def make(
        self,
        cls: type[Operation],
        operands: Sequence[SSAValue],
        type: Attribute,
        properties: dict[str, Attribute] | None = None,
    ) -> SSAValue:
        """Insert an op of a class that has one result; that result."""
        return self.place.put(
            cls.create(operands=operands, result_types=[type], properties=properties or {})
        )

    add = _of_floats(arith.AddfOp)
    sub = _of_floats(arith.SubfOp)
    mul = _of_floats(arith.MulfOp)
    div = _of_floats(arith.DivfOp)
    fma = _of_floats(math.FmaOp)
    neg = _of_floats(NegfOp)
    abs = _of_floats(math.AbsFOp)
    sqrt = _of_floats(math.SqrtOp)
    floor = _of_floats(math.FloorOp)
    ceil = _of_floats(math.CeilOp)
    trunc = _of_floats(math.TruncOp)
    round_even = _of_floats(math.RoundEvenOp)
    max = _of_floats(arith.MaximumfOp)
    min = _of_floats(arith.MinimumfOp)
    lt = _compares(CmpfOp, "olt")
    le = _compares(CmpfOp, "ole")
    gt = _compares(CmpfOp, "ogt")
    ge = _compares(CmpfOp, "oge")
    eq = _compares(CmpfOp, "oeq")
    ne = _compares(CmpfOp, "une")

    def select(self, mask: SSAValue, a: SSAValue, b: SSAValue) -> SSAValue:
        """`a` where `mask`, else `b`."""
        return self.place.put(SelectOp(mask, a, b))

    def rare(self, mask: SSAValue, a: Callable[[], SSAValue], b: SSAValue) -> SSAValue:
        """`select`: blocks have no branches here."""
        return self.select(mask, a(), b)

    mask_and = _of_integers(arith.AndIOp)
    mask_or = _of_integers(arith.OrIOp)
    mask_xor = _of_integers(arith.XOrIOp)

    def mask_not(self, a: SSAValue) -> SSAValue:
        """The truth values that are not set in the mask."""
        return self.mask_xor(a, self.place.constant(1, i1))

    iand, ior, ixor = mask_and, mask_or, mask_xor
    iadd = _of_integers(arith.AddiOp, _WRAPPING)
    isub = _of_integers(arith.SubiOp, _WRAPPING)
    imul = _of_integers(arith.MuliOp, _WRAPPING)

    def ishl(self, a: SSAValue, n: int) -> SSAValue:
        """`a << n`."""
        return self.make(arith.ShLIOp, (a, self.integer(n)), a.type, _WRAPPING)

    def iashr(self, a: SSAValue, n: int) -> SSAValue:
        """`a >> n`, the sign shifted in."""
        return self.make(arith.ShRSIOp, (a, self.integer(n)), a.type)

    ieq = _compares(CmpiOp, "eq")
    ilt = _compares(CmpiOp, "slt")
    igt = _compares(CmpiOp, "sgt")

    def cast(self, cls: type[Operation], value: SSAValue, element: Attribute) -> SSAValue:
        """A cast to elements of another type."""
        return self.make(cls, (value,), with_element(value.type, element))

    def to_int(self, x: SSAValue) -> SSAValue:
        """`x`, which is in range, truncated."""
        return self.cast(casts.FPToSIOp, x, self._int)

    def to_float(self, i: SSAValue) -> SSAValue:
        """The integer as a float."""
        return self.cast(casts.SIToFPOp, i, self._float)

    def as_int(self, x: SSAValue) -> SSAValue:
        """The bits of a float as an integer of its width."""
        return self.cast(arith.BitcastOp, x, self._int)

    def as_float(self, i: SSAValue) -> SSAValue:
        """The float that has these bits."""
        return self.cast(arith.BitcastOp, i, self._float)

    def lookup(self, table: Table, index: SSAValue, *, wraps: bool = False) -> SSAValue:
        """`table[index]`, the index clamped to the table, or modulo its size."""
        element = self._float if isinstance(table[0], float) else self._int
        last = self.place.constant(len(table) - 1, element_of(index.type))
        if wraps:
            index = self.make(arith.AndIOp, (index, last), index.type)
        else:
            index = self.make(arith.MinSIOp, (index, last), index.type)
            zero = self.place.constant(0, element_of(index.type))
            index = self.make(arith.MaxSIOp, (index, zero), index.type)
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
        """An f32 value as f64, exact."""
        return self.cast(casts.ExtFOp, x, f64)

    def narrow(self, x: SSAValue) -> SSAValue:
        """An f64 value rounded to f32."""
        return self.cast(casts.TruncFOp, x, f32)

    def wide_int(self, i: SSAValue) -> SSAValue:
        """An i32 value as i64, with its sign."""
        return self.cast(casts.ExtSIOp, i, i64)
