"""The rows of `vector-unroll` that combine elements: reductions, outer products, contractions."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from xdsl.dialects.vector import CombiningKindFlag as Kind
from xdsl.dialects.vector import FMAOp
from xdsl.ir import Operation, SSAValue

from snippets_mlir.dialects.builtin.shaped import element_of, extents_of
from snippets_mlir.dialects.vector import contraction, multi_reduction, ops, outer_product
from snippets_mlir.dialects.vector.lanes import flat_index
from snippets_mlir.passes.loops.vectors.unroll_builder import Unroller
from snippets_mlir.passes.loops.vectors.unroll_pieces import Pieces, is_float


def unroll_reduction(op: Operation, u: Unroller) -> Pieces:
    """The pieces' reductions combined; floats in their order unless they may be reassociated."""
    assert isinstance(op, ops.ReductionOp)
    kind = op.kind.data
    reassociates = "reassoc" in {flag.value for flag in op.fastmath.data}
    vectors = list(u.values(op.vector))
    if kind in (Kind.ADD, Kind.MUL) and is_float(op.dest.type) and not reassociates:
        total = op.acc
        for vector in vectors:
            total = u.add(ops.ReductionOp(kind, vector, total, op.fastmath))
        assert total is not None
        return [[total]]
    result = u.reduce(kind, vectors, reassociates=reassociates)
    return [[result if op.acc is None else u.combine(kind, result, op.acc)]]


def unroll_multi_reduction(op: Operation, u: Unroller) -> Pieces:
    """Rows are combined element by element; along the last dimension each row becomes a scalar."""
    assert isinstance(op, multi_reduction.MultiReductionOp)
    shape, dims, kind = extents_of(op.source.type), op.dims, op.kind.data
    if not dims:
        return [
            [
                u.combine(kind, value, acc)
                for value, acc in zip(u.values(op.source), u.values(op.acc), strict=True)
            ]
        ]
    groups: dict[tuple[int, ...], list[SSAValue]] = {}
    along = len(shape) - 1 in dims
    for piece, value in zip(u.pieces(op.source.type), u.values(op.source), strict=True):
        row = tuple(p for d, p in enumerate(piece.row) if d not in dims)
        groups.setdefault(row if along else (*row, piece.start), []).append(value)
    made: list[SSAValue] = []
    for values in groups.values():
        if along:
            made.append(u.reduce(kind, values, reassociates=True))
            continue
        total = values[0]
        for value in values[1:]:
            total = u.combine(kind, total, value)
        made.append(total)
    if along and element_of(op.dest.type) != op.dest.type:
        made = list(u.of_lanes(op.dest, [(scalar, 0) for scalar in made]))
    accumulators = u.values(op.acc)
    return [[u.combine(kind, v, acc) for v, acc in zip(made, accumulators, strict=True)]]


def _multiply_add(u: Unroller, kind: Kind, lhs: SSAValue, rhs: SSAValue, acc: SSAValue) -> SSAValue:
    if kind == Kind.ADD and is_float(element_of(lhs.type)) and lhs.type != element_of(lhs.type):
        return u.add(FMAOp(lhs, rhs, acc))
    return u.combine(kind, u.combine(Kind.MUL, lhs, rhs), acc)


def unroll_outer_product(op: Operation, u: Unroller) -> Pieces:
    """For each piece of the result one element of the left times a piece of the right."""
    assert isinstance(op, outer_product.OuterProductOp)
    element = element_of(op.result.type)
    made: list[SSAValue] = []
    scalar = element_of(op.rhs.type) == op.rhs.type
    for k, piece in enumerate(u.pieces(op.result.type)):
        places = range(piece.start, piece.start + piece.size)
        if scalar:
            lhs = u.gather([u.lane(op.lhs, p) for p in places], element)
            rhs = u.gather([(op.rhs, 0)] * piece.size, element)
        else:
            lhs = u.gather([u.lane(op.lhs, piece.row[0])] * piece.size, element)
            rhs = u.gather([u.lane(op.rhs, p) for p in places], element)
        if op.acc is None:
            made.append(u.combine(Kind.MUL, lhs, rhs))
        else:
            made.append(_multiply_add(u, op.kind.data, lhs, rhs, u.values(op.acc)[k]))
    return [made]


def unroll_contract(op: Operation, u: Unroller) -> Pieces:
    """For each piece of the result one multiply-add a step of the reduction iterators."""
    assert isinstance(op, contraction.ContractOp)
    sizes, walks, kind = op.sizes, op.walks, op.kind.data
    element = element_of(op.lhs.type)
    reduced = [d for d, what in enumerate(op.iterators) if what == "reduction"]
    vector_dim = walks[2][-1] if walks[2] else reduced[-1]
    summed = [d for d in reduced if d != vector_dim]

    def operand(which: int, value: SSAValue, at: dict[int, int], places: Sequence[int]) -> SSAValue:
        shape = extents_of(value.type)
        lanes = [
            u.lane(value, flat_index(({**at, vector_dim: p}[d] for d in walks[which]), shape))
            for p in places
        ]
        return u.gather(lanes, element)

    def run(acc: SSAValue | None, at: dict[int, int], places: Sequence[int]) -> SSAValue | None:
        for steps in product(*(range(sizes[d]) for d in summed)):
            here = {**at, **dict(zip(summed, steps, strict=True))}
            lhs = operand(0, op.lhs, here, places)
            rhs = operand(1, op.rhs, here, places)
            if acc is None:
                acc = u.combine(Kind.MUL, lhs, rhs)
            else:
                acc = _multiply_add(u, kind, lhs, rhs, acc)
        return acc

    if not walks[2]:
        parts = [
            run(None, {}, range(start, min(start + u.lanes, sizes[vector_dim])))
            for start in range(0, sizes[vector_dim], u.lanes)
        ]
        total = u.reduce(kind, [p for p in parts if p is not None], reassociates=True)
        return [[u.combine(kind, total, op.acc)]]
    made: list[SSAValue] = []
    for piece, acc in zip(u.pieces(op.acc.type), u.values(op.acc), strict=True):
        at = dict(zip(walks[2][:-1], piece.row, strict=True))
        value = run(acc, at, range(piece.start, piece.start + piece.size))
        assert value is not None
        made.append(value)
    return [made]
