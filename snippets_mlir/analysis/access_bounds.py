"""Which elements of its arguments a function on memrefs surely accesses, as formulas of a call.

    func.func @f(%x: memref<?xf32>, %y: memref<?xf32>) {
      %n = memref.dim %x, %c0 : memref<?xf32>
      affine.for %i = 0 to %n {
        affine.store %v, %y[%i + 1] : memref<?xf32>       elements 1 to dim(%x, 0) of %y

An access is known where its indices and the bounds of the loops around it are affine in sizes of
arguments, arguments of type index, counters of loops further out and constants, `floordiv`,
`ceildiv` and `mod` included, and nothing but loops is around it. So are triangular loops. Others
have no formula: conditions, indices that are loaded, views.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.dialects import arith
from xdsl.dialects.affine import ApplyOp, ForOp, LoadOp, StoreOp
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
from snippets_mlir.support.diagnostics import format_position, position_of


@dataclass(frozen=True)
class Loop:
    """A loop from the largest of `lower` to the smallest of `upper`, which is not in it."""

    lower: tuple[Affine, ...]
    upper: tuple[Affine, ...]
    step: int


@dataclass(frozen=True)
class Access:
    """Accesses of one dim of an argument.

    Attributes:
        argument: which one.
        dim: which of its dims.
        index: of an element, from the counters of `loops` and what is known in a call.
        loops: those around it, outermost first.
        where: the op, with its position in the source.
    """

    argument: int
    dim: int
    index: Affine
    loops: tuple[Loop, ...]
    where: str


def accesses_of(function: FuncOp) -> tuple[Access, ...]:
    """The accesses of a function's arguments that are known, in the order of the text."""
    if len(function.body.blocks) != 1:
        return ()
    return tuple(_accesses(function.body.block.ops, (), {}, function))


def _accesses(
    ops: Iterable[Operation],
    loops: tuple[Loop, ...],
    counters: Mapping[SSAValue, int],
    function: FuncOp,
) -> Iterator[Access]:
    """The accesses in a block; `counters` are those of `loops`, by depth."""

    def value(given: SSAValue) -> Affine | None:
        return _value(given, counters, function)

    for op in ops:
        if op.name in ("affine.for", "scf.for"):
            loop = _loop(op, value)
            if loop is not None:
                body = op.regions[0].block
                inside = {**counters, body.args[0]: len(loops)}
                yield from _accesses(body.ops, (*loops, loop), inside, function)
            continue
        memref, indices = _indices(op, value)
        if memref is None or memref not in function.args:
            continue
        for dim, index in enumerate(indices):
            if index is not None:
                where = f"{op.name} at {format_position(position_of(op))}"
                yield Access(function.args.index(memref), dim, index, loops, where)


def _indices(
    op: Operation, value: Callable[[SSAValue], Affine | None]
) -> tuple[SSAValue | None, Sequence[Affine | None]]:
    """The memref that an op accesses, and the indices; None for an op that accesses none."""
    if isinstance(op, LoadOp | StoreOp):
        return op.memref, _results(op.map.data, [value(index) for index in op.indices])
    if op.name == "memref.load":
        return op.operands[0], [value(index) for index in op.operands[1:]]
    if op.name == "memref.store":
        return op.operands[1], [value(index) for index in op.operands[2:]]
    return None, ()


def _loop(op: Operation, value: Callable[[SSAValue], Affine | None]) -> Loop | None:
    """The bounds of a loop, None where they are not known."""
    if isinstance(op, ForOp):
        lower = _results(op.lowerBoundMap.data, [value(v) for v in op.lowerBoundOperands])
        upper = _results(op.upperBoundMap.data, [value(v) for v in op.upperBoundOperands])
        step: int | None = op.step.value.data
    else:
        lower, upper = [value(op.operands[0])], [value(op.operands[1])]
        found = value(op.operands[2])
        step = found.constant if found is not None and not found.terms else None
    known = [bound for bound in (*lower, *upper) if bound is not None]
    if step is None or step < 1 or len(known) != len(lower) + len(upper):
        return None
    return Loop(tuple(known[: len(lower)]), tuple(known[len(lower) :]), step)


def _value(given: SSAValue, counters: Mapping[SSAValue, int], function: FuncOp) -> Affine | None:
    """An index as a formula, None where it is none."""
    if given in counters:
        return Affine(0, (((-1, counters[given]), 1),))
    if isinstance(given, BlockArgument):
        is_index = given in function.args and isinstance(given.type, IndexType)
        return Affine(0, (((given.index, -1), 1),)) if is_index else None
    owner = cast("Operation", given.owner)
    operands = [
        _value(operand, counters, function) if isinstance(operand.type, IndexType) else None
        for operand in owner.operands
    ]
    match owner:
        case arith.ConstantOp(value=IntegerAttr(value=constant)):
            return Affine(constant.data)
        case DimOp(source=source, index=index):
            dim = _value(index, counters, function)
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
            return _results(map.data, operands)[0]
        case _:
            return None


def _static_dim(source: SSAValue, dim: Affine | None) -> Affine | None:
    """The size of a dim of a memref that is no argument, if its type says it."""
    kind: Attribute = source.type
    if dim is None or dim.terms or not isinstance(kind, MemRefType):
        return None
    sizes = extents_of(cast("Attribute", kind))
    return Affine(sizes[dim.constant]) if sizes[dim.constant] >= 0 else None


def _results(map: AffineMap, operands: Sequence[Affine | None]) -> list[Affine | None]:
    return [_expression(expr, operands, map.num_dims) for expr in map.results]


def _expression(expr: AffineExpr, operands: Sequence[Affine | None], dims: int) -> Affine | None:
    match expr:
        case AffineConstantExpr():
            return Affine(expr.value)
        case AffineDimExpr():
            return operands[expr.position]
        case AffineSymExpr():
            return operands[dims + expr.position]
        case AffineBinaryOpExpr(kind=kind, lhs=lhs, rhs=rhs):
            a, b = (_expression(side, operands, dims) for side in (lhs, rhs))
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
