"""Every element of an output of a `lir.kernel` is written.

Claim checked, from stage `looped` on:

* A2: over all iterations of their outer loops, including tails, the stores into an output write all
  of its bytes. Bytes in more than `PIECES` pieces are only counted: the stores have to write at
  least as many bytes as the output has.

An output that is not written has the old values of memory, mostly results of another call.
"""

from __future__ import annotations

from collections import defaultdict
from math import prod

from snippets_mlir.checkers.linear_access_facts import Access
from snippets_mlir.checkers.linear_footprints import Intervals, Reach, difference, union
from snippets_mlir.checkers.linear_loops import fail
from snippets_mlir.checkers.linear_motion import KernelMotion
from snippets_mlir.dialects.builtin.dims import static_size
from snippets_mlir.dialects.lir.memory import ResultOp

PIECES = 1 << 14


def verify_outputs(motion: KernelMotion) -> None:
    """Check the claim on a kernel at stage `looped` or later.

    Raises:
        CompileError: at the first result with unwritten elements.
    """
    stores: dict[int, list[tuple[Access, Reach]]] = defaultdict(list)
    for access, reach in motion.reaches.values():
        kind, number = access.pointer
        if access.stores and kind == "output" and access.buffer is None:
            assert isinstance(number, int)
            stores[number].append((access, reach))
    for op in motion.kernel.block.ops:
        if isinstance(op, ResultOp):
            written = stores[op.index.value.data]
            if left := _left_out([reach for _, reach in written], _size(written)):
                fail(op, "A2", f"expected stores of all of output {op.index.value.data}, {left}")


def _size(written: list[tuple[Access, Reach]]) -> int:
    return static_size(written[0][0].array) if written else 0


def _left_out(reaches: list[Reach], size: int) -> str:
    """The unwritten bytes of an output of `size` bytes, for a message."""
    if sum(map(_pieces, reaches)) > PIECES:
        count = sum(_moved(reach) for reach in reaches)
        return f"which has {size} bytes, found {count} bytes stored" if count < size else ""
    found: Intervals = ()
    for reach in reaches:
        found = union(found, reach.bytes())
    left = difference(((0, size),) if size else (), found)
    return f"found none of bytes {left[0][0]} to {left[0][1]}" if left else ""


def _pieces(reach: Reach) -> int:
    """The approximate most pieces of an access's bytes."""
    pieces, width = 1, reach.size
    around = [(static_size(s.loop.work_amount), s.loop.increment, s.unit) for s in reach.steps]
    around.append((reach.elements, 1, reach.stride))
    for work, increment, unit in reversed(around):
        count, step = -(-work // increment), abs(increment * unit)
        if step > width:
            pieces *= max(count, 1)
        elif count:
            width += step * (count - 1)
    return pieces


def _moved(reach: Reach) -> int:
    """The bytes that an access stores, including repeated ones."""
    counts = [-(-static_size(s.loop.work_amount) // s.loop.increment) for s in reach.steps]
    return prod(counts) * reach.elements * reach.size
