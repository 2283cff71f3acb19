"""Loops that come in tiles: each tile runs the loop's ops on super-vectors by itself.

    %s = scf.for %k = %a to %b step %c iter_args(%v = %init) -> (vector<32x256xf32>) {
      %x = vector.transfer_read %A[%k, %j], %p : memref<?x?xf32>, vector<32x256xf32>
      %w = arith.addf %v, %x : vector<32x256xf32>
      scf.yield %w : vector<32x256xf32>
    }

becomes, in each tile, a loop over %k that carries the tile in registers; the whole vector would be
in memory. This is correct if the iterations of one tile may run before those of the next: the loop
has no effects except accesses in tiles, it writes the same cells in all iterations, and no other op
of it touches these cells in another way. Refused: loops that carry other values, with ops that do
not come in tiles, or with vectors of several shapes.
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, Region
from xdsl.traits import is_side_effect_free

from snippets_mlir.dialects.builtin.shaped import element_of, extents_of
from snippets_mlir.passes.building.affine_values import IndexBuilder
from snippets_mlir.passes.loops.vectors.super_vectors import Bound, is_made_again
from snippets_mlir.passes.loops.vectors.tile_accesses import Access, access_of, disturbs, is_outside
from snippets_mlir.passes.loops.vectors.vector_tiles import Place, vector_of


def accesses_in(op: Operation) -> list[Access]:
    """The accesses of an op and its regions, each once."""
    found = (access_of(inner) for inner in op.walk())
    return list(dict.fromkeys(access for access in found if access is not None))


def tiled_shape(loop: scf.ForOp, bound: Bound) -> tuple[int, ...] | None:
    """The shape of the super-vectors of a loop that comes in tiles, None for any other loop."""
    shapes = {extents_of(init.type) for init in loop.iter_args if bound.is_large(init.type)}
    if any(not bound.is_large(init.type) for init in loop.iter_args):
        return None
    for op in loop.body.block.ops:
        if isinstance(op, scf.YieldOp):
            continue
        shape = tiled_shape(op, bound) if isinstance(op, scf.ForOp) else bound.shape(op)
        if shape is not None:
            shapes.add(shape)
        elif not _is_scalar(op, bound):
            return None
    return shapes.pop() if len(shapes) == 1 and _may_run_tile_by_tile(loop) else None


def _is_scalar(op: Operation, bound: Bound) -> bool:
    """Whether an op may be copied into each tile."""
    if op.regions or not is_side_effect_free(op):
        return False
    return not bound.touches(op) or all(is_made_again(result) for result in op.results)


def _may_run_tile_by_tile(loop: scf.ForOp) -> bool:
    accesses = accesses_in(loop)
    written = [access for access in accesses if access.writes]
    return all(
        access.cells is not None
        and all(is_outside(value, loop) for value in access.values)
        and not any(disturbs(access, other) for other in accesses)
        for access in written
    )


def put_loop(loop: scf.ForOp, place: Place, fill: Callable[[list[Operation], Place], None]) -> None:
    """Put a loop in a tile; `fill` makes the tiles of ops that come in tiles."""
    inits = [place.tile(init) for init in loop.iter_args]
    old = loop.body.block
    block = Block(arg_types=[old.args[0].type, *(init.type for init in inits)])
    end = scf.YieldOp()
    block.add_op(end)
    bounds = [place.tile(value) for value in (loop.lb, loop.ub, loop.step)]
    new = scf.ForOp(bounds[0], bounds[1], bounds[2], inits, Region(block))
    place.b.put(new)
    new.location = loop.location
    inner = Place(place.at, place.shape, IndexBuilder(end), dict(place.made), dict(place.scalars))
    for before, after in zip(old.args, block.args, strict=True):
        after.name_hint = before.name_hint
        (inner.scalars if before is old.args[0] else inner.made)[before] = after
    last = old.last_op
    assert last is not None
    fill([op for op in old.ops if op is not last], inner)
    end.operands = [inner.tile(value) for value in last.operands]
    for before, after in zip(loop.results, new.results, strict=True):
        assert after.type == vector_of(element_of(before.type), place.shape)
        after.name_hint = before.name_hint
        place.made[before] = after
