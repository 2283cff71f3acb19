"""Memory for super-vectors: values between two loop nests are in a buffer.

    %r = scf.for %k = %a to %b step %c iter_args(%v = %init) -> (vector<32x256xf32>) {
      scf.yield %w : vector<32x256xf32>
    }

becomes, with one buffer of the function,

    vector.transfer_write %init, %B[%c0, %c0] : vector<32x256xf32>, memref<32x256xf32>
    scf.for %k = %a to %b step %c {
      %v = vector.transfer_read %B[%c0, %c0], %p : memref<32x256xf32>, vector<32x256xf32>
      vector.transfer_write %w, %B[%c0, %c0] : vector<32x256xf32>, memref<32x256xf32>
    }
    %r = vector.transfer_read %B[%c0, %c0], %p : memref<32x256xf32>, vector<32x256xf32>

Results of `scf.if` are handled in the same way, and so are ops that only move elements: a transpose
is a transfer along another map, and an extract is a transfer at other indices.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence

from xdsl.dialects import func, memref, scf
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr, AffineMap

from snippets_mlir.dialects.builtin.shaped import extents_of, rank_of
from snippets_mlir.dialects.vector import shapes
from snippets_mlir.dialects.vector.lanes import integers_in
from snippets_mlir.dialects.vector.slices import ExtractStridedSliceOp
from snippets_mlir.passes.building.affine_values import IndexBuilder
from snippets_mlir.passes.loops.vectors.super_vector_buffers import Buffers
from snippets_mlir.passes.loops.vectors.super_vectors import Bound


def put_into_memory(
    function: func.FuncOp, bound: Bound, buffers: Buffers, tiled: Container[Operation]
) -> None:
    """Rewrite ops that carry, select or move large vectors, except `tiled` loops."""
    for op in list(_outside(function, tiled)):
        if isinstance(op, scf.ForOp) and any(bound.is_large(v.type) for v in op.iter_args):
            _carried(op, bound, buffers)
        elif isinstance(op, scf.IfOp) and any(bound.is_large(v.type) for v in op.results):
            _chosen(op, bound, buffers)
        elif bound.touches(op):
            _moved(op, bound, buffers)


def _outside(op: Operation, tiled: Container[Operation]) -> Iterator[Operation]:
    """The ops in the regions of `op` that are not in a loop of `tiled`, nor one of them."""
    for inner in [inner for region in op.regions for block in region.blocks for inner in block.ops]:
        if inner not in tiled:
            yield inner
            yield from _outside(inner, tiled)


def _after(op: Operation) -> Operation:
    following = op.next_op
    assert following is not None
    return following


def _keep(block: Block, kept: Sequence[int], buffers: dict[int, SSAValue], to: Buffers) -> None:
    """Let the yield at the end of a block yield `kept`, and write the others."""
    last = block.last_op
    assert last is not None
    for place, buffer in buffers.items():
        to.write(last.operands[place], buffer, last)
    last.operands = [last.operands[place] for place in kept]


def _replace(op: Operation, new: Operation, kept: Sequence[int], made: dict[int, SSAValue]) -> None:
    for place, result in enumerate(op.results):
        value = new.results[kept.index(place)] if place in kept else made[place]
        value.name_hint = value.name_hint or result.name_hint
        result.replace_all_uses_with(value)
    op.detach()
    op.erase()


def _carried(op: scf.ForOp, bound: Bound, buffers: Buffers) -> None:
    kept, memory = list[int](), dict[int, SSAValue]()
    for place, init in enumerate(op.iter_args):
        if not bound.is_large(init.type):
            kept.append(place)
            continue
        memory[place] = buffers.new(init.type, op)
        buffers.write(init, memory[place], op)
    block = op.body.block
    first = block.first_op
    assert first is not None
    for place, buffer in memory.items():
        argument = block.args[1 + place]
        read = buffers.read(buffer, argument.type, first)
        read.results[0].name_hint = argument.name_hint
        argument.replace_all_uses_with(read.results[0])
    _keep(block, kept, memory, buffers)
    for place in reversed(memory):
        block.erase_arg(block.args[1 + place])
    region = Region()
    op.body.move_blocks(region)
    new = scf.ForOp(op.lb, op.ub, op.step, [op.iter_args[place] for place in kept], region)
    new.attributes = op.attributes.copy()
    _finish(op, new, kept, memory, buffers)


def _chosen(op: scf.IfOp, bound: Bound, buffers: Buffers) -> None:
    kept, memory = list[int](), dict[int, SSAValue]()
    for place, result in enumerate(op.results):
        if bound.is_large(result.type):
            memory[place] = buffers.new(result.type, op)
        else:
            kept.append(place)
    regions: list[Region] = []
    for region in op.regions:
        _keep(region.block, kept, memory, buffers)
        moved = Region()
        region.move_blocks(moved)
        regions.append(moved)
    types = [op.results[place].type for place in kept]
    new = scf.IfOp(op.cond, types, regions[0], regions[1])
    new.attributes = op.attributes.copy()
    _finish(op, new, kept, memory, buffers)


def _finish(
    op: Operation,
    new: Operation,
    kept: Sequence[int],
    memory: dict[int, SSAValue],
    buffers: Buffers,
) -> None:
    """Replace `op` by `new`; results in memory are read after it."""
    IndexBuilder(op).put(new)
    made: dict[int, SSAValue] = {}
    for place, buffer in memory.items():
        result = op.results[place]
        if result.first_use is not None:
            made[place] = buffers.read(buffer, result.type, _after(op)).results[0]
    for place in memory:
        if place not in made:
            made[place] = memory[place]  # not used
    _replace(op, new, kept, made)


def _moved(op: Operation, bound: Bound, buffers: Buffers) -> None:
    """An op that moves elements as a transfer from a buffer; others stay."""
    found = _map_of(op)
    if found is None:
        return
    source, result = op.operands[0], op.results[0]
    if not (bound.is_large(source.type) or bound.is_large(result.type)):
        return
    map, position = found
    buffer = buffers.new(source.type, op)
    buffers.write(source, buffer, op)
    b, zero = IndexBuilder(op), buffers.zero(op)
    indices = [b.constant(p) if p else zero for p in position]
    indices += [zero] * (rank_of(source.type) - len(indices))
    if rank_of(result.type) == 0:
        made = b.add(memref.LoadOp.get(buffer, indices))
    else:
        made = buffers.read(buffer, result.type, op, map, indices).results[0]
    made.name_hint = result.name_hint
    result.replace_all_uses_with(made)
    op.detach()
    op.erase()


def _map_of(op: Operation) -> tuple[AffineMap | None, tuple[int, ...]] | None:
    """The permutation map and the leading indices with which `op` reads its operand."""
    if not op.operands or not op.results:
        return None
    source, rank = extents_of(op.operands[0].type), rank_of(op.operands[0].type)
    if isinstance(op, shapes.TransposeOp):
        order = integers_in(op.properties["permutation"])
        return AffineMap(rank, 0, tuple(AffineDimExpr(d) for d in order)), ()
    if isinstance(op, shapes.BroadcastOp) and rank:
        lead: list[AffineExpr] = [AffineConstantExpr(0)] * (rank_of(op.results[0].type) - rank)
        walked = (
            AffineConstantExpr(0) if size == 1 else AffineDimExpr(d)
            for d, size in enumerate(source)
        )
        return AffineMap(rank, 0, (*lead, *walked)), ()
    if isinstance(op, shapes.ExtractOp):
        position = integers_in(op.static_position)
        return None if any(p < 0 for p in position) else (None, position)  # dynamic, or poison
    if isinstance(op, ExtractStridedSliceOp):
        if set(integers_in(op.properties["strides"])) - {1}:
            return None
        return None, integers_in(op.properties["offsets"])
    return None
