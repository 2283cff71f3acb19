"""Write prefetches: shared code of the prefetching passes."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects.builtin import i8, i32
from xdsl.dialects.llvm import CallIntrinsicOp
from xdsl.dialects.scf import ForOp
from xdsl.ir import Block, SSAValue

from snippets_mlir.passes.building.conversion import PREFETCH
from snippets_mlir.targets.emitters.vector_builder import VectorBuilder

LINE = 64
"""Bytes of a cache line."""


def prefetch(
    b: VectorBuilder,
    loop: ForOp,
    address: Callable[[SSAValue], SSAValue],
    distance: int,
    lines: int,
    *,
    writes: bool = False,
    level: int = 3,
) -> None:
    """Prefetch cache lines in each iteration of `loop`, before its other ops.

    Args:
        b: writes the ops; its constants go to the front of the function.
        loop: the loop.
        address: the base of the lines, given the loop's counter.
        distance: bytes from there to the first line.
        lines: the number of lines.
        writes: whether they will be written.
        level: 3 for all caches, 2 for the second-level one and those after it.
    """
    body = loop.body.block
    b.block = Block()
    place = address(body.args[0])
    numbers = [b.constant(n, i32) for n in (int(writes), level, 1)]
    for line in range(lines):
        operands = [b.pointer_offset(place, i8, distance + line * LINE), *numbers]
        b.append(CallIntrinsicOp.create(operands=operands, properties=dict(PREFETCH)))
    first = body.first_op
    assert first is not None
    ops = list(b.block.ops)
    for op in ops:
        op.detach()
    body.insert_ops_before(ops, first)
