"""Values of type index as formulas of a call.

%n = memref.dim %x, %c0                       dim 0 of argument 0
%k = affine.apply affine_map<(d0) -> (d0 floordiv 4)>(%n)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from xdsl.dialects import arith
from xdsl.dialects.affine import ApplyOp
from xdsl.dialects.builtin import IndexType, IntegerAttr, MemRefType
from xdsl.dialects.func import FuncOp
from xdsl.dialects.memref import DimOp
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
    AffineSymExpr,
)

from snippets_mlir.analysis.access_formulas import Affine
from snippets_mlir.dialects.builtin.shaped import extents_of


def value_of(given: SSAValue, counters: Mapping[SSAValue, int], function: FuncOp) -> Affine | None:
    """An index as a formula, None where it is none."""
    if given in counters:
        return Affine(0, (((-1, counters[given]), 1),))
    if isinstance(given, BlockArgument):
        is_index = given in function.args and isinstance(given.type, IndexType)
        return Affine(0, (((given.index, -1), 1),)) if is_index else None
    owner = cast("Operation", given.owner)
    operands = [
        value_of(operand, counters, function) if isinstance(operand.type, IndexType) else None
        for operand in owner.operands
    ]
    match owner:
        case arith.ConstantOp(value=IntegerAttr(value=constant)):
            return Affine(constant.data)
        case DimOp(source=source, index=index):
            dim = value_of(index, counters, function)
            if source not in function.args or dim is None or dim.terms:
                return _static_dim(source, dim)
            return Affine(0, (((function.args.index(source), dim.constant), 1),))
        case arith.AddiOp():
            return _sum(operands[0], operands[1], 1)
        case arith.SubiOp():
            return _sum(operands[0], operands[1], -1)
        case arith.MuliOp():
            return _product(operands[0], operands[1])
        case ApplyOp(map=map):
            return results_of(map.data, operands)[0]
        case _:
            return None


def _static_dim(source: SSAValue, dim: Affine | None) -> Affine | None:
    """The size of a dim of a memref that is no argument, if its type says it."""
    kind: Attribute = source.type
    if dim is None or dim.terms or not isinstance(kind, MemRefType):
        return None
    sizes = extents_of(cast("Attribute", kind))
    return Affine(sizes[dim.constant]) if sizes[dim.constant] >= 0 else None


def results_of(map: AffineMap, operands: Sequence[Affine | None]) -> list[Affine | None]:
    """The results of a map of `operands`, None where they are no formulas."""
    return [expression_of(expr, operands, map.num_dims) for expr in map.results]


def expression_of(expr: AffineExpr, operands: Sequence[Affine | None], dims: int) -> Affine | None:
    """An expression of `operands`, of which the first `dims` are dims."""
    match expr:
        case AffineConstantExpr():
            return Affine(expr.value)
        case AffineDimExpr():
            return operands[expr.position]
        case AffineSymExpr():
            return operands[dims + expr.position]
        case AffineBinaryOpExpr(kind=kind, lhs=lhs, rhs=rhs):
            a, b = (expression_of(side, operands, dims) for side in (lhs, rhs))
            return _binary(kind, a, b)
        case _:
            return None


def _binary(kind: AffineBinaryOpKind, a: Affine | None, b: Affine | None) -> Affine | None:
    if kind == AffineBinaryOpKind.Add:
        return _sum(a, b, 1)
    if kind == AffineBinaryOpKind.Mul:
        return _product(a, b)
    if a is None or b is None or b.terms or b.constant < 1:
        return None
    divisor = b.constant
    match kind:
        case AffineBinaryOpKind.FloorDiv:
            return Affine.quotient(a, divisor)
        case AffineBinaryOpKind.CeilDiv:
            return Affine.quotient(a.plus(Affine(divisor - 1)), divisor)
        case AffineBinaryOpKind.Mod:
            return a.plus(Affine.quotient(a, divisor), -divisor)


def _sum(a: Affine | None, b: Affine | None, times: int) -> Affine | None:
    return None if a is None or b is None else a.plus(b, times)


def _product(a: Affine | None, b: Affine | None) -> Affine | None:
    if a is None or b is None or (a.terms and b.terms):
        return None
    return b.scaled(a.constant) if not a.terms else a.scaled(b.constant)
