"""Law L23 of a `lir.kernel`: the loops around an op walk all of its ports, once.

    loops [#lir.loop<0, work 3, inc 1, dim 1>, #lir.loop<1, work 37, inc 8, dim 0>]
    %1 = snippets.relu %0 {lir.loops = array<i64: 0, 1>,
        lir.ports = [#lir.port<[3, 37], sub [8]>, #lir.port<[3, 37], sub [8]>]}      right
    work 2, or inc 2, of loop 0; work 36, or inc 16, of loop 1; array<i64: 1>        L23

At the stages `marked` and `accessed`

* for each dim in which a port has more than one element, one enclosing loop that runs no blocks of
  another loop walks the dim and has as much work; no dim is walked twice;
* a loop that runs blocks of another loop is inside of it and walks its dim; its work is the other
  loop's increment;
* if no other loop runs blocks of a loop, its increment is what an op in it handles at a time: one
  element, or along the last dim the tile of a port.

Accumulators have another size in the reduced dim. A buffer has one element, or a block, in the dims
that the loops it lives in walk.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from xdsl.ir import Operation

from snippets_mlir.dialects.builtin.dims import Dim, format_size
from snippets_mlir.dialects.builtin.size_text import format_sizes
from snippets_mlir.dialects.lir.access import is_view, loop_ids, ports, view_source
from snippets_mlir.dialects.lir.buffer import BufferOp
from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.dialects.lir.memory import MemoryAccessOp, ResultOp, StoreOp
from snippets_mlir.dialects.lir.ports import PortDescriptor
from snippets_mlir.dialects.lir.reduction import AccumulateOp, HorizonOp
from snippets_mlir.dialects.lir.scan import LastLaneOp
from snippets_mlir.dialects.snippets.constants import ScalarOp

if TYPE_CHECKING:
    from snippets_mlir.dialects.lir.laws import Fail
_ASIDE = (BufferOp, LastLaneOp, ResultOp, ScalarOp)
"""Ops that are in no loop; `lir.last_lane` also has none before the markers."""


def check_walks(ops: Iterable[Operation], table: dict[int, LoopInfo], fail: Fail) -> None:
    """Check the law; `fail` is called with it and a message."""
    blocks = {loop.inner_of for loop in table.values()}
    for op in ops:
        if is_view(op) or isinstance(op, _ASIDE):
            continue
        around = [table[id_] for id_ in loop_ids(op)]
        _check_nest(op, around, fail)
        for port, dims in _walked(op):
            for dim in dims:
                _check_dim(op, port, dim, around, fail)
        _check_increments(op, [loop for loop in around if loop.id not in blocks], fail)


def _check_nest(op: Operation, around: Sequence[LoopInfo], fail: Fail) -> None:
    """Check that blocks are inside their loops, and that no dim is walked twice."""
    seen: dict[int, LoopInfo] = {}
    for loop in around:
        outer = None if loop.inner_of is None else seen.get(loop.dim)
        if loop.inner_of is None and loop.dim in seen:
            found = f"loops {seen[loop.dim].id} and {loop.id}"
            fail("L23", f"expected {op.name} in one loop over dim {loop.dim}, found {found}")
        if loop.inner_of is not None and (
            outer is None or outer.id != loop.inner_of or outer.increment != loop.work_amount
        ):
            fail(
                "L23",
                f"expected loop {loop.id}, of work {format_size(loop.work_amount)}, inside of loop "
                f"{loop.inner_of}, with that increment and over dim {loop.dim}, around {op.name}",
            )
        seen[loop.dim] = loop


def _walked(op: Operation) -> Iterator[tuple[PortDescriptor, range]]:
    """The ports of an op, and the dims that its enclosing loops have to walk completely."""
    own = ports(op)
    for place, port in enumerate(own):
        first = 0
        if isinstance(op, AccumulateOp):
            if place:
                continue  # one element, or a tile: L22
            first = int(isinstance(op.operand.owner, AccumulateOp))
        elif isinstance(op, HorizonOp):
            first = 1 - place
        elif isinstance(op, MemoryAccessOp) and place == isinstance(op, StoreOp):
            users = [use.operation for use in op.results[0].uses]
            buffered = isinstance(view_source(op.operands[0]).owner, BufferOp)
            if buffered or any(isinstance(user, BufferOp) for user in users) or port.panels:
                continue
        yield port, range(first, len(port.shape))


def _check_dim(
    op: Operation, port: PortDescriptor, dim: int, around: Sequence[LoopInfo], fail: Fail
) -> None:
    size: Dim = port.shape[len(port.shape) - 1 - dim]
    if size == 1:
        return
    whole = next((loop for loop in around if loop.dim == dim), None)
    if whole is None or whole.work_amount != size:
        found = "none" if whole is None else f"loop {whole.id} of {format_size(whole.work_amount)}"
        fail(
            "L23",
            f"expected {op.name} in a loop that walks the {format_size(size)} elements of "
            f"{format_sizes(port.shape)} in dim {dim}, counted from the last, found {found}",
        )


def _check_increments(op: Operation, around: Sequence[LoopInfo], fail: Fail) -> None:
    own = ports(op)
    for loop in around:
        moved = [p for p in own if loop.dim < len(p.shape) and p.shape[-1 - loop.dim] != 1]
        lanes = max((port.lanes for port in own), default=1) if loop.dim == 0 else 1
        if moved and loop.increment != lanes:
            fail(
                "L23",
                f"expected loop {loop.id} to move by {lanes}, which {op.name} handles at a time, "
                f"found an increment of {loop.increment}",
            )
