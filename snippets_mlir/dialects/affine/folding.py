"""Folding of `affine` ops: the results of a map whose operands are constants."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
    AffineSymExpr,
)
from xdsl.traits import ConstantLike


def evaluate(expr: AffineExpr, dims: Sequence[int], symbols: Sequence[int]) -> int | None:
    """The value of an expression, None if it divides by a number that is not positive."""
    if isinstance(expr, AffineConstantExpr):
        return expr.value
    if isinstance(expr, AffineDimExpr):
        return dims[expr.position]
    if isinstance(expr, AffineSymExpr):
        return symbols[expr.position]
    assert isinstance(expr, AffineBinaryOpExpr)
    lhs, rhs = evaluate(expr.lhs, dims, symbols), evaluate(expr.rhs, dims, symbols)
    if lhs is None or rhs is None:
        return None
    if expr.kind == AffineBinaryOpKind.Add:
        return lhs + rhs
    if expr.kind == AffineBinaryOpKind.Mul:
        return lhs * rhs
    if rhs <= 0:
        return None
    if expr.kind == AffineBinaryOpKind.Mod:
        return lhs % rhs
    return lhs // rhs if expr.kind == AffineBinaryOpKind.FloorDiv else -(-lhs // rhs)


def folded_map(
    map: AffineMap, operands: Sequence[SSAValue], choose: Callable[[list[int]], int] | None
) -> Sequence[SSAValue | Attribute] | None:
    """The folded value of a map with one result, or of the chosen result; None if it does not
    fold.
    """
    if len(map.results) == 1:
        expr = map.results[0]
        if isinstance(expr, AffineDimExpr):
            return (operands[expr.position],)
        if isinstance(expr, AffineSymExpr):
            return (operands[map.num_dims + expr.position],)
    constants: list[int] = []
    for operand in operands:
        constant = ConstantLike.get_constant_value(operand)
        if not isinstance(constant, IntegerAttr):
            return None
        constants.append(constant.value.data)
    dims, symbols = constants[: map.num_dims], constants[map.num_dims :]
    values: list[int] = []
    for expr in map.results:
        value = evaluate(expr, dims, symbols)
        if value is None:
            return None
        values.append(value)
    result = values[0] if choose is None else choose(values)
    if not -(1 << 63) <= result < 1 << 63:
        return None
    return (IntegerAttr(result, IndexType()),)
