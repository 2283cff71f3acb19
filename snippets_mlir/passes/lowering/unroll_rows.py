"""The rows of `vector-unroll`: each op on vectors of any rank as ops on pieces."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from math import prod

from xdsl.dialects import arith as upstream_arith
from xdsl.dialects.builtin import DYNAMIC_INDEX, BytesAttr, DenseIntOrFPElementsAttr, i1
from xdsl.dialects.vector import CombiningKindFlag as Kind
from xdsl.dialects.vector import FMAOp
from xdsl.ir import Operation, SSAValue

from snippets_mlir.dialects.arith import CmpiOp, SelectOp
from snippets_mlir.dialects.shaped import element_of, shape_of
from snippets_mlir.dialects.vector import (
    contraction,
    masked,
    memory,
    ops,
    printing,
    shapes,
    transfer,
)
from snippets_mlir.dialects.vector.lanes import flat_index, integers_in, lanes_of
from snippets_mlir.passes.lowering.unroll_builder import INDEX, Unroller, is_float, vector_type
from snippets_mlir.passes.lowering.unroll_memory import (
    unroll_access,
    unroll_packed,
    unroll_transfer_read,
    unroll_transfer_write,
)
from snippets_mlir.passes.lowering.vector_printing import unroll_print

Pieces = Sequence[Sequence[SSAValue]]
"""For each result its pieces (a scalar is one)."""
Row = Callable[[Operation, Unroller], Pieces | None]


def unroll_elementwise(op: Operation, u: Unroller) -> Pieces:
    """The same op on each piece; a scalar operand (the condition of a select) serves all."""
    types = [u.types(result.type) for result in op.results]
    made: list[list[SSAValue]] = [[] for _ in op.results]
    for k in range(len(types[0])):
        operands = [u.values(value)[k] if u.splits(value.type) else value for value in op.operands]
        new = u.clone(op, operands, [kinds[k] for kinds in types])
        for place, result in enumerate(new.results):
            made[place].append(result)
    return made


def _constant(op: Operation, u: Unroller) -> Pieces | None:
    value = op.properties["value"]
    if not isinstance(value, DenseIntOrFPElementsAttr):
        return None
    type = op.results[0].type
    data = value.data.data
    size = len(data) // max(prod(shape_of(type)), 1)
    shape = shape_of(type)
    made: list[SSAValue] = []
    for piece, kind in zip(u.pieces(type), u.types(type), strict=True):
        start = flat_index((*piece.row, piece.start), shape) if shape else 0
        part = BytesAttr(data[start * size : (start + piece.size) * size])
        made.append(u.add(upstream_arith.ConstantOp(DenseIntOrFPElementsAttr(kind, part), kind)))  # pyright: ignore
    return [made]


def _moved(op: Operation, u: Unroller) -> Pieces | None:
    """An op that only moves elements, through its lanes."""
    found = lanes_of(op)
    if found is None:
        return _dynamic(op, u)
    made: list[Sequence[SSAValue]] = []
    for result, lanes in zip(op.results, found, strict=True):
        origins = [
            None if lane is None else u.lane(op.operands[lane[0]], lane[1]) for lane in lanes
        ]
        made.append(_of_lanes(u, result, origins))
    return made


def _of_lanes(
    u: Unroller, result: SSAValue, origins: Sequence[tuple[SSAValue, int] | None]
) -> Sequence[SSAValue]:
    """The pieces of `result`, whose elements are those of `origins`."""
    element = element_of(result.type)
    if element == result.type:
        assert origins[0] is not None
        return [u.element(*origins[0])]
    made: list[SSAValue] = []
    start = 0
    for piece in u.pieces(result.type):
        made.append(u.gather(origins[start : start + piece.size], element))
        start += piece.size
    return made


def _dynamic(op: Operation, u: Unroller) -> Pieces | None:
    """Extract or insert at a dynamic position: a choice between all that it may be."""
    if not isinstance(op, shapes.ExtractOp | shapes.InsertOp):
        return None
    static = integers_in(op.static_position)
    if any(p < 0 and p != DYNAMIC_INDEX for p in static):
        return None
    extracts = isinstance(op, shapes.ExtractOp)
    whole = op.vector if extracts else op.dest
    shape = shape_of(whole.type)
    rest = iter(op.dynamic_position)
    wanted = [next(rest) if p == DYNAMIC_INDEX else None for p in static]
    ranges = [range(shape[d]) if p == DYNAMIC_INDEX else (p,) for d, p in enumerate(static)]
    results: list[SSAValue] | None = None if extracts else list(u.values(whole))
    for position in product(*ranges):
        here = _is_here(u, wanted, position)
        probe = (
            shapes.ExtractOp(op.vector, list(position), op.result.type)
            if isinstance(op, shapes.ExtractOp)
            else shapes.InsertOp(op.source, op.dest, list(position), op.result.type)
        )
        found = lanes_of(probe)
        assert found is not None
        origins = [
            None if lane is None else u.lane(op.operands[lane[0]], lane[1]) for lane in found[0]
        ]
        probe.erase()
        values = _of_lanes(u, op.result, origins)
        old = results if results is not None else values
        results = [
            new if new is before else u.add(SelectOp(here, new, before))
            for new, before in zip(values, old, strict=True)
        ]
    return None if results is None else [results]


def _is_here(u: Unroller, wanted: Sequence[SSAValue | None], position: Sequence[int]) -> SSAValue:
    """Whether the dynamic indices are `position`."""
    here: SSAValue | None = None
    for value, place in zip(wanted, position, strict=True):
        if value is None:
            continue
        same = u.add(CmpiOp(value, u.index(place), "eq"))
        here = same if here is None else u.add(upstream_arith.AndIOp(here, same))
    assert here is not None
    return here


def _create_mask(op: Operation, u: Unroller) -> Pieces:
    """In each row what is left of the last size, if the row is inside, else nothing."""
    assert isinstance(op, ops.CreateMaskOp)
    if not op.mask_dim_sizes:
        return [[u.dense(i1, [1])]]
    *outer, last = op.mask_dim_sizes
    made: list[SSAValue] = []
    type = op.mask_vector.type
    for piece, kind in zip(u.pieces(type), u.types(type), strict=True):
        count = (
            last if not piece.start else u.add(upstream_arith.SubiOp(last, u.index(piece.start)))
        )
        for place, size in zip(piece.row, outer, strict=True):
            inside = u.add(CmpiOp(u.index(place), size, "slt"))
            count = u.add(SelectOp(inside, count, u.index(0)))
        made.append(u.add(ops.CreateMaskOp([count], kind)))  # pyright: ignore
    return [made]


def _constant_mask(op: Operation, u: Unroller) -> Pieces:
    assert isinstance(op, ops.ConstantMaskOp)
    sizes = op.sizes
    made: list[SSAValue] = []
    for piece in u.pieces(op.result.type):
        inside = all(p < s for p, s in zip(piece.row, sizes, strict=False))
        last = sizes[-1] if sizes else 1
        bits = [int(inside and piece.start + k < last) for k in range(piece.size)]
        made.append(u.dense(i1, bits))
    return [made]


def _step(op: Operation, u: Unroller) -> Pieces:
    type = op.results[0].type
    return [
        [u.dense(INDEX, range(piece.start, piece.start + piece.size)) for piece in u.pieces(type)]
    ]


def _bitcast(op: Operation, u: Unroller) -> Pieces:
    """Each piece by itself; where the number of elements changes, its parts find their places."""
    source, result = op.operands[0], op.results[0]
    before, after = shape_of(source.type), shape_of(result.type)
    rows = [v for v in u.values(source)]
    if before == after or not before:
        kinds = u.types(result.type)
        return [[u.add(ops.BitcastOp(v, k)) for v, k in zip(rows, kinds, strict=True)]]
    element = element_of(result.type)
    grown, shrunk = after[-1] // before[-1], before[-1] // after[-1]
    lanes: list[tuple[SSAValue, int]] = []
    for value in rows:
        size = shape_of(value.type)[0]
        new = size * grown if grown else size // shrunk
        cast = u.add(ops.BitcastOp(value, vector_type(element, new)))
        lanes += [(cast, k) for k in range(new)]
    return [_of_lanes(u, result, lanes)]


def _reduction(op: Operation, u: Unroller) -> Pieces:
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


def _multi_reduction(op: Operation, u: Unroller) -> Pieces:
    """Rows are combined element by element; along the last dimension each row becomes a scalar."""
    assert isinstance(op, contraction.MultiReductionOp)
    shape, dims, kind = shape_of(op.source.type), op.dims, op.kind.data
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
        made = list(_of_lanes(u, op.dest, [(scalar, 0) for scalar in made]))
    accumulators = u.values(op.acc)
    return [[u.combine(kind, v, acc) for v, acc in zip(made, accumulators, strict=True)]]


def _multiply_add(u: Unroller, kind: Kind, lhs: SSAValue, rhs: SSAValue, acc: SSAValue) -> SSAValue:
    if kind == Kind.ADD and is_float(element_of(lhs.type)) and lhs.type != element_of(lhs.type):
        return u.add(FMAOp(lhs, rhs, acc))
    return u.combine(kind, u.combine(Kind.MUL, lhs, rhs), acc)


def _outer_product(op: Operation, u: Unroller) -> Pieces:
    assert isinstance(op, contraction.OuterProductOp)
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


def _contract(op: Operation, u: Unroller) -> Pieces:
    """For each piece of the result one multiply-add a step of the reduction iterators."""
    assert isinstance(op, contraction.ContractOp)
    sizes, walks, kind = op.sizes, op.walks, op.kind.data
    element = element_of(op.lhs.type)
    reduced = [d for d, what in enumerate(op.iterators) if what == "reduction"]
    vector_dim = walks[2][-1] if walks[2] else reduced[-1]
    summed = [d for d in reduced if d != vector_dim]

    def operand(which: int, value: SSAValue, at: dict[int, int], places: Sequence[int]) -> SSAValue:
        shape = shape_of(value.type)
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


ROWS: dict[type[Operation], Row] = {
    contraction.ContractOp: _contract,
    contraction.MultiReductionOp: _multi_reduction,
    contraction.OuterProductOp: _outer_product,
    masked.CompressStoreOp: unroll_packed,
    masked.ExpandLoadOp: unroll_packed,
    masked.GatherOp: unroll_access,
    memory.LoadOp: unroll_access,
    masked.MaskedLoadOp: unroll_access,
    masked.MaskedStoreOp: unroll_access,
    masked.ScatterOp: unroll_access,
    memory.StoreOp: unroll_access,
    ops.BitcastOp: _bitcast,
    ops.ConstantMaskOp: _constant_mask,
    ops.CreateMaskOp: _create_mask,
    ops.ReductionOp: _reduction,
    ops.StepOp: _step,
    printing.PrintOp: unroll_print,
    transfer.TransferReadOp: unroll_transfer_read,
    transfer.TransferWriteOp: unroll_transfer_write,
    upstream_arith.ConstantOp: _constant,
}
MOVES: Row = _moved
