"""Build affine expressions from `arith` on `index`.

As in affine expressions, divisions round down (or up) and remainders are not negative, also for
negative dividends; divisors are positive. No step overflows unless the result does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

from xdsl.dialects import arith as upstream
from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
    AffineSymExpr,
)
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint, Rewriter

from snippets_mlir.dialects.arith import CmpiOp, SelectOp

INDEX = IndexType()


@lru_cache(maxsize=256)
def _number(value: int) -> Attribute:
    """A cached attribute, because making one is slow."""
    return IntegerAttr(value, INDEX)


class IndexBuilder:
    """Makes `arith` ops on indices before an op, with its location.

    A pattern gives its rewriter.
    """

    def __init__(self, at: Operation, rewriter: PatternRewriter | None = None) -> None:
        self._at = at
        self._place = InsertPoint.before(at)
        self._insert = Rewriter.insert_op if rewriter is None else rewriter.insert

    @property
    def at(self) -> Operation:
        """The op before which it inserts ops."""
        return self._at

    def put(self, op: Operation) -> None:
        """Insert `op` at the builder's place, with the location of the op that it replaces."""
        op.location = self._at.location
        self._insert(op, self._place)

    def add(self, op: Operation) -> SSAValue:
        """Insert `op` at the builder's place; its first result."""
        self.put(op)
        return op.results[0]

    def constant(self, value: int) -> SSAValue:
        """A new constant of type `index` at the builder's place."""
        properties: dict[str, Attribute] = {"value": _number(value)}
        return self.add(upstream.ConstantOp.create(result_types=[INDEX], properties=properties))

    def select(
        self, predicate: str, a: SSAValue, b: SSAValue, x: SSAValue, y: SSAValue
    ) -> SSAValue:
        """`a predicate b ? x : y`."""
        return self.add(SelectOp(self.add(CmpiOp(a, b, predicate)), x, y))

    def expression(
        self, expr: AffineExpr, dims: Sequence[SSAValue], symbols: Sequence[SSAValue]
    ) -> SSAValue:
        """The value of an affine expression of dims and symbols, of type `index`."""
        if isinstance(expr, AffineConstantExpr):
            return self.constant(expr.value)
        if isinstance(expr, AffineDimExpr):
            return dims[expr.position]
        if isinstance(expr, AffineSymExpr):
            return symbols[expr.position]
        assert isinstance(expr, AffineBinaryOpExpr)
        lhs = self.expression(expr.lhs, dims, symbols)
        rhs = self.expression(expr.rhs, dims, symbols)
        return _BINARY[expr.kind](self, lhs, rhs)

    def map(self, map: AffineMap, operands: Sequence[SSAValue]) -> list[SSAValue]:
        """The values of all results of a map."""
        dims, symbols = operands[: map.num_dims], operands[map.num_dims :]
        return [self.expression(expr, dims, symbols) for expr in map.results]

    def extremum(self, values: Sequence[SSAValue], op: type[Operation]) -> SSAValue:
        """The smallest (`arith.minsi`) or largest (`arith.maxsi`) of some values."""
        result = values[0]
        for value in values[1:]:
            result = self.add(op.create(operands=[result, value], result_types=[INDEX]))
        return result


def _modulo(b: IndexBuilder, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    rest = b.add(upstream.RemSIOp(lhs, rhs))
    return b.select("slt", rest, b.constant(0), b.add(upstream.AddiOp(rest, rhs)), rest)


def _floor_div(b: IndexBuilder, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    """`a < 0 ? -1 - (-1 - a) / b : a / b`."""
    zero, minus_one = b.constant(0), b.constant(-1)
    mirrored = b.add(upstream.SubiOp(minus_one, lhs))
    quotient = b.add(upstream.DivSIOp(b.select("slt", lhs, zero, mirrored, lhs), rhs))
    back = b.add(upstream.SubiOp(minus_one, quotient))
    return b.select("slt", lhs, zero, back, quotient)


def _ceil_div(b: IndexBuilder, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    """`a > 0 ? (a - 1) / b + 1 : a / b`, with a truncating division."""
    zero, one = b.constant(0), b.constant(1)
    smaller = b.add(upstream.SubiOp(lhs, one))
    quotient = b.add(upstream.DivSIOp(b.select("sgt", lhs, zero, smaller, lhs), rhs))
    return b.select("sgt", lhs, zero, b.add(upstream.AddiOp(quotient, one)), quotient)


_BINARY: dict[AffineBinaryOpKind, Callable[[IndexBuilder, SSAValue, SSAValue], SSAValue]] = {
    AffineBinaryOpKind.Add: lambda b, x, y: b.add(upstream.AddiOp(x, y)),
    AffineBinaryOpKind.Mul: lambda b, x, y: b.add(upstream.MuliOp(x, y)),
    AffineBinaryOpKind.Mod: _modulo,
    AffineBinaryOpKind.FloorDiv: _floor_div,
    AffineBinaryOpKind.CeilDiv: _ceil_div,
}
