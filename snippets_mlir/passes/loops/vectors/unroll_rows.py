"""The table of `vector-unroll`: it maps each op on vectors of any rank to ops on pieces."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from math import prod

from xdsl.dialects import arith as upstream_arith
from xdsl.dialects.builtin import DYNAMIC_INDEX, BytesAttr, DenseIntOrFPElementsAttr, i1
from xdsl.ir import Operation, SSAValue

from snippets_mlir.dialects.arith import CmpiOp, SelectOp
from snippets_mlir.dialects.builtin.shaped import element_of, extents_of
from snippets_mlir.dialects.vector import (
    contraction,
    masked,
    memory,
    multi_reduction,
    ops,
    outer_product,
    printing,
    shapes,
    transfer,
)
from snippets_mlir.dialects.vector.lanes import flat_index, integers_in, lanes_of
from snippets_mlir.passes.loops.vectors.unroll_builder import INDEX, Unroller
from snippets_mlir.passes.loops.vectors.unroll_memory import (
    unroll_access,
    unroll_packed,
    unroll_transfer_read,
    unroll_transfer_write,
)
from snippets_mlir.passes.loops.vectors.unroll_pieces import Pieces, vector_type
from snippets_mlir.passes.loops.vectors.unroll_printing import unroll_print
from snippets_mlir.passes.loops.vectors.unroll_sums import (
    unroll_contract,
    unroll_multi_reduction,
    unroll_outer_product,
    unroll_reduction,
)

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
    size = len(data) // max(prod(extents_of(type)), 1)
    shape = extents_of(type)
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
        made.append(u.of_lanes(result, origins))
    return made


def _dynamic(op: Operation, u: Unroller) -> Pieces | None:
    """Extract or insert at a dynamic position: a select between all possible positions."""
    if not isinstance(op, shapes.ExtractOp | shapes.InsertOp):
        return None
    static = integers_in(op.static_position)
    if any(p < 0 and p != DYNAMIC_INDEX for p in static):
        return None
    extracts = isinstance(op, shapes.ExtractOp)
    whole = op.vector if extracts else op.dest
    shape = extents_of(whole.type)
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
        values = u.of_lanes(op.result, origins)
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
    """In each row the remainder of the last size, if the row is inside, else nothing."""
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
    """Cast each piece by itself; if the number of elements changes, its parts are rearranged."""
    source, result = op.operands[0], op.results[0]
    before, after = extents_of(source.type), extents_of(result.type)
    rows = [v for v in u.values(source)]
    if before == after or not before:
        kinds = u.types(result.type)
        return [[u.add(ops.BitcastOp(v, k)) for v, k in zip(rows, kinds, strict=True)]]
    element = element_of(result.type)
    grown, shrunk = after[-1] // before[-1], before[-1] // after[-1]
    lanes: list[tuple[SSAValue, int]] = []
    for value in rows:
        size = extents_of(value.type)[0]
        new = size * grown if grown else size // shrunk
        cast = u.add(ops.BitcastOp(value, vector_type(element, new)))
        lanes += [(cast, k) for k in range(new)]
    return [u.of_lanes(result, lanes)]


ROWS: dict[type[Operation], Row] = {
    contraction.ContractOp: unroll_contract,
    multi_reduction.MultiReductionOp: unroll_multi_reduction,
    outer_product.OuterProductOp: unroll_outer_product,
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
    ops.ReductionOp: unroll_reduction,
    ops.StepOp: _step,
    printing.PrintOp: unroll_print,
    transfer.TransferReadOp: unroll_transfer_read,
    transfer.TransferWriteOp: unroll_transfer_write,
    upstream_arith.ConstantOp: _constant,
}
MOVES: Row = _moved
