"""Laws L4 to L6 of a `lir.kernel`: how loops nest, and where their values are used.

* L4, first part: a loop that ends at a diagonal is inside the loop over the rows of this diagonal.
* L4, second part: no buffer lives in a loop that `jam` names, because its iterations run together.
* L5: begin and end markers pair up and nest, and each op's `lir.loops` are the markers around it.
* L6: no value defined inside a loop is used after its end, except through the marker.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from xdsl.ir import Operation

from snippets_mlir.dialects.lir.access import LOOPS, is_view, loop_ids
from snippets_mlir.dialects.lir.buffer import BufferOp
from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.dialects.lir.markers import LoopBeginOp, LoopEndOp, LoopMarkerOp
from snippets_mlir.dialects.lir.memory import ResultOp

if TYPE_CHECKING:
    from snippets_mlir.dialects.lir.laws import Fail


def check_diagonals(ops: Iterable[Operation], table: Mapping[int, LoopInfo], fail: Fail) -> None:
    """Check L4 for diagonals, for the ops of a kernel; the table has all of their loops."""
    for op in ops:
        ids = () if isinstance(op, LoopMarkerOp) else loop_ids(op)
        for place, loop in enumerate(map(table.__getitem__, ids)):
            if loop.diagonal is not None and loop.diagonal[1] not in ids[:place]:
                fail(
                    "L4",
                    f"expected {op.name} in loop {loop.diagonal[1]}, around loop {loop.id} that "
                    f"ends at its diagonal, found loops {list(ids)}",
                )


def check_jammed(ops: Iterable[Operation], table: Mapping[int, LoopInfo], fail: Fail) -> None:
    """Check L4 for jammed loops, for the ops of a kernel; the table has all of their loops."""
    for op in ops:
        inside = loop_ids(op) if isinstance(op, BufferOp) else ()
        for loop in map(table.__getitem__, inside):
            if loop.jam > 1:
                fail(
                    "L4",
                    f"expected {op.name} outside of loop {loop.id}: {loop.jam} of its iterations "
                    "run together, and each would need a buffer of its own",
                )


def check_nesting(ops: Iterable[Operation], fail: Fail) -> None:
    """L5 and L6 for the ops of a kernel, in order."""
    open_loops: list[int] = []
    scopes: dict[Operation, tuple[int, ...]] = {}
    closed: set[int] = set()
    for op in ops:
        if isinstance(op, LoopEndOp):
            if not open_loops or open_loops[-1] != op.id:
                fail("L5", f"lir.loop_end {op.id} closes no open loop {open_loops}")
            closed.add(open_loops.pop())
        scopes[op] = tuple(open_loops)
        if isinstance(op, LoopBeginOp):
            if op.id in closed or op.id in open_loops:
                fail("L5", f"loop {op.id} begins twice")
            open_loops.append(op.id)
        elif not isinstance(op, LoopMarkerOp) and LOOPS in op.attributes:
            if loop_ids(op) != scopes[op]:
                fail(
                    "L5",
                    f"expected {op.name} in loops {list(scopes[op])}, "
                    f"found {list(loop_ids(op))} in `lir.loops`",
                )
        _check_scope(op, scopes, fail)
    if open_loops:
        fail("L5", f"loop {open_loops[-1]} has no lir.loop_end")


def _check_scope(op: Operation, scopes: dict[Operation, tuple[int, ...]], fail: Fail) -> None:
    if isinstance(op, ResultOp | BufferOp) or is_view(op):
        return
    here = scopes[op]
    for operand in op.operands:
        owner = operand.owner
        if isinstance(owner, Operation) and owner in scopes:
            there = scopes[owner] + ((owner.id,) if isinstance(owner, LoopBeginOp) else ())
            inside = (*here, op.id) if isinstance(op, LoopEndOp) else here
            if inside[: len(there)] != there:
                fail(
                    "L6",
                    f"{op.name} in loops {list(here)} uses a value defined in loops "
                    f"{list(there)}; it has to go through a buffer or a carried value",
                )
