"""Law L15 of a `lir.kernel`: which stores may be non-temporal.

A store that bypasses the caches writes memory in whole vectors, and the kernel does not find the
data in a cache again. So a store with `nontemporal`

* writes an output: only `lir.result` uses its array, never a `lir.buffer`;
* writes whole contiguous vectors of 16 bytes or more: its count is the number of lanes of its port,
  and the last dim of the port is contiguous. A tail's store is masked, and is therefore plain;
* is in loops, the innermost of which walks that dim: one vector alone gains nothing, and vectors of
  a column share cache lines with others.

`nontemporal_from` is the number of units in a call's range from which on the store is non-temporal.
It is positive, and only stores with `nontemporal` have it. The kernel then has a single loop,
parallel and dynamic (in any number of parts), because the units of a call are units of that loop.
Whether the store pays off is not a law: `lir-stream-stores` decides it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from xdsl.ir import Operation, SSAValue

from snippets_mlir.dialects.builtin.shaped import element_bytes
from snippets_mlir.dialects.lir.access import is_view, loop_ids, output_ports
from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.dialects.lir.memory import ResultOp, StoreOp

if TYPE_CHECKING:
    from snippets_mlir.dialects.lir.laws import Fail
SMALLEST_VECTOR = 16
"""The smallest vector, in bytes, for which machines have a non-temporal store."""


def check_streams(ops: Iterable[Operation], table: dict[int, LoopInfo], fail: Fail) -> None:
    """Check the law; `fail` is called with it and a message."""
    for op in ops:
        if not isinstance(op, StoreOp):
            continue
        if op.nontemporal_from is not None:
            _check_least(op, op.nontemporal_from.value.data, table, fail)
        if op.nontemporal is not None:
            _check_store(op, table, fail)


def _check_least(op: StoreOp, least: int, table: dict[int, LoopInfo], fail: Fail) -> None:
    if op.nontemporal is None or least < 1:
        fail("L15", "expected `nontemporal_from` of 1 or more on a store with `nontemporal`")
    loops = {loop.unified_id for loop in table.values()}
    if len(loops) != 1 or not all(loop.parallel and loop.dynamic for loop in table.values()):
        fail(
            "L15",
            "expected `nontemporal_from` in a kernel with one loop, parallel and dynamic, "
            f"found loops {sorted(loops)}",
        )


def _check_store(op: StoreOp, table: dict[int, LoopInfo], fail: Fail) -> None:
    if not _is_output(op.target):
        fail("L15", "expected a non-temporal store to write a result of the kernel and no buffer")
    port = output_ports(op)[0]
    size = port.lanes * element_bytes(op.target)
    if op.elements != port.lanes or size < SMALLEST_VECTOR or port.stride(len(port.shape) - 1) != 1:
        fail(
            "L15",
            f"expected a non-temporal store of whole vectors of {SMALLEST_VECTOR} bytes or more "
            f"and of neighbours, found {op.elements} elements in {size} bytes",
        )
    loops = loop_ids(op)
    if not loops or table[loops[-1]].dim != 0:
        fail("L15", "expected a non-temporal store in a loop over the last dim of its array")


def _is_output(target: SSAValue) -> bool:
    """Whether only results use `target`, directly or through views."""
    users = [use.operation for use in target.uses]
    return bool(users) and all(
        isinstance(user, ResultOp) or (is_view(user) and _is_output(user.results[0]))
        for user in users
    )
