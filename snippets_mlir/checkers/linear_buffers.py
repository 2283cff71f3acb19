"""No buffer of a `lir.kernel` is read before it is written, and none overwrites a living one.

Claims checked, from stage `looped` on, by going through the kernel in order of execution with the
bytes that each buffer's stores have left in it:

* R1: a load of a buffer reads only bytes that its stores wrote in the same iteration of the loops
  that the buffer lives in;
* R2: no store of another buffer came between: buffers that share bytes are not alive together. Two
  that meet in one loop, one read and one written over it, pass when no iteration writes what a
  later one reads; this is tried on the iterations themselves.

A loop that some buffer lives in is gone through twice, so that what an iteration leaves behind is
seen by the next; other loops once, with the bytes of all their iterations. Of loops with more than
`TRIED` iterations R2 tries the first and the last ones. Buffers without an offset have bytes of
their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.ir import Operation

from snippets_mlir.checkers.linear_access_facts import reaches
from snippets_mlir.checkers.linear_footprints import Intervals, difference, intersect, union
from snippets_mlir.checkers.linear_loops import Item, LoopNode, fail, loop_nodes
from snippets_mlir.checkers.linear_touches import Touch, check_order, shared_loops, text
from snippets_mlir.dialects.lir.access import loop_ids
from snippets_mlir.dialects.lir.buffer import BufferOp
from snippets_mlir.dialects.lir.kernel import KernelOp


@dataclass(eq=False)
class _Simulation:
    """What is in the scratchpad while the kernel is gone through.

    Attributes:
        touches: of each access op.
        valid: for each buffer the bytes that hold its values.
        again: loops that are gone through for the second time.
    """

    touches: dict[Operation, Touch]
    valid: dict[BufferOp, Intervals] = field(default_factory=dict[BufferOp, Intervals])
    again: list[int] = field(default_factory=list[int])

    def run(self, items: Sequence[Item]) -> None:
        """Go through `items`."""
        for item in items:
            if isinstance(item, LoopNode):
                self._loop(item)
            elif item in self.touches:
                touch = self.touches[item]
                if touch.access.stores:
                    self._store(touch)
                else:
                    self._load(touch)

    def _loop(self, node: LoopNode) -> None:
        id_ = node.info.id
        owned = {touch.buffer for touch in self.touches.values() if id_ in loop_ids(touch.buffer)}
        runs = 2 if owned and node.info.work_amount > node.info.increment else 1
        idle = node.info.work_amount == 0 and node.info.inner_of is None
        for run in range(0 if idle else runs):
            for buffer in owned:
                self.valid[buffer] = ()
            if run:
                self.again.append(id_)
            self.run(node.items)
            if run:
                self.again.pop()

    def _store(self, touch: Touch) -> None:
        for buffer, bytes_ in self.valid.items():
            if buffer is not touch.buffer and intersect(bytes_, touch.whole):
                self._try_in_place(touch, buffer)
                self.valid[buffer] = difference(bytes_, touch.whole)
        if all(id_ in loop_ids(touch.buffer) for id_ in self.again):
            before = self.valid.get(touch.buffer, ())
            self.valid[touch.buffer] = union(before, touch.whole)

    def _load(self, touch: Touch) -> None:
        missing = difference(touch.whole, self.valid.get(touch.buffer, ()))
        if missing:
            fail(
                touch.access.op,
                "R1",
                f"expected a buffer to hold the bytes {text(touch.whole)} that a load reads, "
                f"found {text(missing)} not written, or overwritten by another buffer",
            )

    def _try_in_place(self, store: Touch, buffer: BufferOp) -> None:
        """R2 for a store over `buffer`, whose loads in the same loop may still be to come."""
        for load in self.touches.values():
            if load.access.stores or load.buffer is not buffer:
                continue
            shared = shared_loops(load, store)
            if shared > max(load.own, store.own):
                check_order(load, store, shared)


def verify_buffers(kernel: KernelOp) -> None:
    """Check the claims on a kernel at stage `looped` or later.

    Raises:
        CompileError: at the first load or store that breaks one.
    """
    known = reaches(kernel)
    bases: dict[BufferOp, int] = {}
    touches: dict[Operation, Touch] = {}
    free = kernel.scratch
    for place, op in enumerate(kernel.block.ops):
        if op not in known or (buffer := known[op][0].buffer) is None:
            continue
        access, reach = known[op]
        if buffer not in bases:
            offset = buffer.decided("offset")
            bases[buffer] = free if offset is None else offset
            free += access.array if offset is None else 0
        own = loop_ids(buffer)
        touch = Touch(access, reach, place, len(own), bases[buffer])
        if touch.loops[: len(own)] != own:
            fail(op, "R1", f"expected {op.name} in the loops {list(own)} of its buffer")
        touch.whole = touch.bytes(len(own))
        touches[op] = touch
    _check_fit(kernel, bases)
    _Simulation(touches).run(loop_nodes(kernel))


def _check_fit(kernel: KernelOp, bases: dict[BufferOp, int]) -> None:
    for buffer, base in bases.items():
        size = buffer.decided("size")
        if buffer.decided("offset") is None or size is None:
            continue
        if base < 0 or base + size > kernel.scratch:
            fail(
                buffer,
                "R2",
                f"expected bytes {base} to {base + size} of a buffer inside of the scratchpad of "
                f"{kernel.scratch} bytes",
            )
