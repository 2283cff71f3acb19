"""Turn reductions of large super-vectors into loops over their parts in a buffer.

    %s = vector.reduction <add>, %v : vector<256xf32> into f32

becomes, for parts of 128 elements,

    vector.transfer_write %v, %B[%c0] : vector<256xf32>, memref<256xf32>
    %x = vector.transfer_read %B[%c0], %p : memref<256xf32>, vector<128xf32>
    %t = vector.reduction <add>, %x : vector<128xf32> into f32
    %s = scf.for %i = %c128 to %c256 step %c128 iter_args(%u = %t) -> (f32) {
      %y = vector.transfer_read %B[%i], %p : memref<256xf32>, vector<128xf32>
      %w = vector.reduction <add>, %y, %u : vector<128xf32> into f32
      scf.yield %w : f32
    }

Sums and products of floats keep their order. Other kinds carry a vector of the target instead, and
combine it as `vector-unroll` does.
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import scf
from xdsl.dialects.vector import CombiningKindFlag as Kind
from xdsl.ir import Block, Region, SSAValue

from snippets_mlir.dialects.builtin.shaped import element_of, extents_of
from snippets_mlir.dialects.vector.ops import NO_FAST_MATH, ReductionOp
from snippets_mlir.passes.building.affine_values import INDEX, IndexBuilder
from snippets_mlir.passes.building.reduction_kinds import combining_op
from snippets_mlir.passes.loops.vectors.super_vector_buffers import Buffers
from snippets_mlir.passes.loops.vectors.super_vectors import Bound
from snippets_mlir.passes.loops.vectors.unroll_builder import KINDS
from snippets_mlir.passes.loops.vectors.unroll_pieces import is_float
from snippets_mlir.passes.loops.vectors.vector_tiles import tile_of, vector_of

Combine = Callable[[IndexBuilder, SSAValue, SSAValue], SSAValue]


def reduce_in_loops(op: ReductionOp, bound: Bound, buffers: Buffers) -> None:
    """Replace a reduction of a large vector."""
    kind, element = op.kind.data, element_of(op.vector.type)
    (size,) = extents_of(op.vector.type)
    sums = kind in (Kind.ADD, Kind.MUL) and is_float(element)
    step = tile_of((size,), bound, repeats=False)[0] if sums else bound.lanes
    whole = size - size % step
    buffer = buffers.new(op.vector.type, op)
    buffers.write(op.vector, buffer, op)
    b = IndexBuilder(op)

    def part(b: IndexBuilder, at: SSAValue, count: int) -> SSAValue:
        type = vector_of(element, (count,))
        return buffers.read(buffer, type, b.at, indices=[at]).results[0]

    def reduced(b: IndexBuilder, vector: SSAValue, into: SSAValue | None) -> SSAValue:
        flags = op.fastmath if sums else NO_FAST_MATH
        return b.add(ReductionOp(kind, vector, into, flags))

    def combined(b: IndexBuilder, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        return b.add(combining_op(KINDS[kind][is_float(element)], lhs, rhs))

    first = part(b, buffers.zero(op), step)
    if sums:
        total = _loop(
            b,
            step,
            whole,
            reduced(b, first, op.acc),
            lambda b, i, acc: reduced(b, part(b, i, step), acc),
        )
        if size > whole:
            total = reduced(b, part(b, b.constant(whole), size - whole), total)
    else:
        lanes = _loop(b, step, whole, first, lambda b, i, acc: combined(b, acc, part(b, i, step)))
        total = reduced(b, lanes, None)
        if size > whole:
            rest = part(b, b.constant(whole), size - whole)
            total = combined(b, total, reduced(b, rest, None))
        total = total if op.acc is None else combined(b, total, op.acc)
    total.name_hint = op.dest.name_hint
    op.dest.replace_all_uses_with(total)
    op.detach()
    op.erase()


def _loop(b: IndexBuilder, step: int, end: int, first: SSAValue, body: Combine) -> SSAValue:
    """A loop from `step` on that carries a value; `body` gets the index and the value."""
    block = Block(arg_types=[INDEX, first.type])
    last = scf.YieldOp(first)
    block.add_op(last)
    last.operands = [body(IndexBuilder(last), block.args[0], block.args[1])]
    bounds = [b.constant(number) for number in (step, end, step)]
    return b.add(scf.ForOp(bounds[0], bounds[1], bounds[2], [first], Region(block)))
