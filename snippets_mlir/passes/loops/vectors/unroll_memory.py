"""The rows of `vector-unroll` for ops on memory: one access for each piece.

If the last vector dimension of a transfer does not walk the last of its memory dimensions, the
transfer reads (or writes) its dimensions in memory order, and shuffles transpose them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn, cast

from xdsl.dialects import arith as upstream_arith
from xdsl.dialects import memref
from xdsl.dialects.builtin import VectorType, i1, i32
from xdsl.dialects.vector import CombiningKindFlag as Kind
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap

from snippets_mlir.dialects.arith import CmpiOp, ExtUIOp, IndexCastOp, SelectOp
from snippets_mlir.dialects.builtin.shaped import element_of, extents_of, rank_of
from snippets_mlir.dialects.memref.facts import DimOp
from snippets_mlir.dialects.vector import masked, memory
from snippets_mlir.dialects.vector.lanes import flat_index, indices_of
from snippets_mlir.dialects.vector.ops import CreateMaskOp, ReductionOp
from snippets_mlir.dialects.vector.shapes import BroadcastOp
from snippets_mlir.dialects.vector.transfer import TransferReadOp, TransferWriteOp
from snippets_mlir.dialects.vector.transfer_maps import walked_dims
from snippets_mlir.passes.loops.vectors.unroll_builder import INDEX, Unroller
from snippets_mlir.passes.loops.vectors.unroll_pieces import Piece, pieces_of_shape, vector_type
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError

Pieces = Sequence[Sequence[SSAValue]]


def unroll_access(op: Operation, u: Unroller) -> Pieces:
    """Loads, stores, gathers and scatters: the row moves the leading indices, the start the last.

    A gather counts from its base in the last dimension only, so its indices stay.
    """
    reads = bool(op.results)
    vector = op.results[0].type if reads else _stored(op).type
    indexed = isinstance(op, masked.GatherOp | masked.ScatterOp)
    indices = cast("Sequence[SSAValue]", getattr(op, "indices"))
    made: list[SSAValue] = []
    for k, (piece, kind) in enumerate(zip(u.pieces(vector), u.types(vector), strict=True)):
        moved = list(indices)
        if not indexed:
            where = (*piece.row, piece.start) if extents_of(vector) else ()
            lead = len(moved) - len(where)
            moved = [
                *moved[:lead],
                *(u.shifted(i, w) for i, w in zip(moved[lead:], where, strict=True)),
            ]
        operands: list[SSAValue] = []
        for value in op.operands:
            if any(value is index for index in indices):
                continue
            operands.append(u.values(value)[k] if u.splits(value.type) else value)
        base = _base_place(op)
        operands[base + 1 : base + 1] = moved
        new = u.clone(op, operands, [kind] if reads else [])
        made += new.results
    return [made] if reads else []


def unroll_packed(op: Operation, u: Unroller) -> Pieces:
    """Expanding loads and compressing stores: a piece starts after the earlier ones' elements."""
    assert isinstance(op, masked.ExpandLoadOp | masked.CompressStoreOp)
    masks = u.values(op.mask)
    vectors = u.values(op.operands[-1])
    *outer, last = op.indices
    made: list[SSAValue] = []
    for mask, vector in zip(masks, vectors, strict=True):
        operands = [op.base, *outer, last, mask, vector]
        made += u.clone(op, operands, [vector.type] if op.results else []).results
        wide = vector_type(i32, extents_of(mask.type)[0])
        bits = u.add(ExtUIOp(mask, wide))
        taken = u.add(IndexCastOp(u.add(ReductionOp(Kind.ADD, bits)), INDEX))
        last = u.add(upstream_arith.AddiOp(last, taken))
    return [made] if op.results else []


def _base_place(op: Operation) -> int:
    return 1 if isinstance(op, memory.StoreOp) else 0


def _stored(op: Operation) -> SSAValue:
    return op.operands[0] if isinstance(op, memory.StoreOp) else op.operands[-1]


def _walk(op: TransferReadOp | TransferWriteOp, vector: Attribute) -> tuple[list[int], list[int]]:
    """The vector dimensions that walk the memory, in the order of the memory, and their sizes."""
    dims = walked_dims(op.map)
    places = [place for place, dim in enumerate(dims) if dim is not None]
    places.sort(key=lambda place: cast("int", dims[place]))
    shape = extents_of(vector)
    return places, [shape[place] for place in places]


def _refuse(op: Operation, why: str) -> NoReturn:
    raise CompileError(f"'{op.name}' {why}", **position_of(op))


def _row(
    op: TransferReadOp | TransferWriteOp, u: Unroller, piece: Piece, places: Sequence[int]
) -> tuple[list[SSAValue], SSAValue | None]:
    """The indices of a piece, and whether its row is inside the memory (None: it is)."""
    dims, bounds = walked_dims(op.map), op.bounds
    indices = list(op.indices)
    inside: SSAValue | None = None
    for start, place in zip(piece.row, places[:-1], strict=True):
        dim = cast("int", dims[place])
        indices[dim] = u.shifted(indices[dim], start)
        if bounds[place]:
            continue
        size = u.add(DimOp(op.memory, u.index(dim)))
        fits = u.add(CmpiOp(indices[dim], size, "slt"))
        inside = fits if inside is None else u.add(upstream_arith.AndIOp(inside, fits))
    last = cast("int", dims[places[-1]])
    indices[last] = u.shifted(indices[last], piece.start)
    return indices, inside


def _mask(
    u: Unroller, given: SSAValue | None, number: int, size: int, inside: SSAValue | None
) -> SSAValue | None:
    """The mask of a piece: the given one, and nothing if its row is outside."""
    mask = None if given is None else u.values(given)[number]
    if inside is None:
        return mask
    count = u.add(SelectOp(inside, u.index(size), u.index(0)))
    row = u.add(CreateMaskOp([count], vector_type(i1, size)))
    return row if mask is None else u.add(upstream_arith.AndIOp(mask, row))


def _check(op: TransferReadOp | TransferWriteOp) -> None:
    if isinstance(element_of(op.memory.type), VectorType):
        _refuse(op, "of memory of vectors cannot be taken apart")


def unroll_transfer_read(op: Operation, u: Unroller) -> Pieces:
    """Read the dimensions that walk the memory; broadcasts and transposes are shuffles of it."""
    assert isinstance(op, TransferReadOp)
    _check(op)
    vector = op.results[0].type
    element = element_of(vector)
    places, sizes = _walk(op, vector)
    dims, shape = walked_dims(op.map), extents_of(vector)
    if not places:
        if op.mask is not None:
            _refuse(op, "of one element for all lanes cannot have a mask")
        scalar = u.add(memref.LoadOp.get(op.memory, op.indices))
        return [[u.add(BroadcastOp(scalar, kind)) for kind in u.types(vector)]]  # pyright: ignore
    last = places[-1]
    rank = rank_of(op.memory.type)
    map = AffineMap(rank, 0, (AffineDimExpr(cast("int", dims[last])),))
    read: list[SSAValue] = []
    pieces = pieces_of_shape(tuple(sizes), u.lanes)
    for number, piece in enumerate(pieces):
        indices, inside = _row(op, u, piece, places)
        mask = _mask(u, op.mask, number, piece.size, inside)
        kind = vector_type(element, piece.size)
        made = TransferReadOp(op.memory, indices, op.padding, kind, [op.bounds[last]], map, mask)
        read.append(u.add(made))
    if tuple(places) == tuple(range(len(shape))):
        return [read]
    each = -(-sizes[-1] // u.lanes)
    lanes: list[tuple[SSAValue, int]] = []
    for index in indices_of(shape):
        *row, place = (index[p] for p in places)
        number = flat_index(row, tuple(sizes[:-1])) * each + place // u.lanes
        lanes.append((read[number], place % u.lanes))
    start, result = 0, list[SSAValue]()
    for piece in u.pieces(vector):
        result.append(u.gather(lanes[start : start + piece.size], element))
        start += piece.size
    return [result]


def unroll_transfer_write(op: Operation, u: Unroller) -> Pieces:
    """Write pieces in memory order, transposed through shuffles if needed."""
    assert isinstance(op, TransferWriteOp)
    _check(op)
    vector = op.vector.type
    element = element_of(vector)
    places, sizes = _walk(op, vector)
    dims, shape = walked_dims(op.map), extents_of(vector)
    if not places:
        if op.mask is not None:
            _refuse(op, "of one element cannot have a mask")
        scalar = u.element(u.values(op.vector)[0], 0)
        u.insert(memref.StoreOp.get(scalar, op.memory, op.indices))
        return []
    last = places[-1]
    map = AffineMap(rank_of(op.memory.type), 0, (AffineDimExpr(cast("int", dims[last])),))
    for number, piece in enumerate(pieces_of_shape(tuple(sizes), u.lanes)):
        lanes: list[tuple[SSAValue, int]] = []
        for place in range(piece.start, piece.start + piece.size):
            at = dict(zip(places, (*piece.row, place), strict=True))
            lanes.append(u.lane(op.vector, flat_index((at[p] for p in range(len(shape))), shape)))
        value = u.gather(lanes, element)
        indices, inside = _row(op, u, piece, places)
        mask = _mask(u, op.mask, number, piece.size, inside)
        u.insert(TransferWriteOp(value, op.memory, indices, [op.bounds[last]], mask, map))
    return []
