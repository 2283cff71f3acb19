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

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

from xdsl.ir import Operation

from snippets_mlir.checkers.linear_footprints import (
    Intervals,
    Reach,
    Step,
    difference,
    intersect,
    shifted,
    union,
)
from snippets_mlir.checkers.linear_loops import Item, LoopNode, fail, loop_nodes
from snippets_mlir.checkers.linear_pointers import Access, reaches
from snippets_mlir.dialects.lir.access import loop_ids
from snippets_mlir.dialects.lir.buffer import BufferOp
from snippets_mlir.dialects.lir.kernel import KernelOp

TRIED = 4096


@dataclass(eq=False)
class _Touch:
    """An access of a buffer, and the bytes of the scratchpad that it touches.

    Attributes:
        access: what is accessed.
        reach: the loops and the bytes.
        place: number in order of execution.
        own: how many of the loops around it the buffer lives in.
        base: the buffer's first byte.
        whole: bytes over all iterations of the other loops.
    """

    access: Access
    reach: Reach
    place: int
    own: int
    base: int
    whole: Intervals = ()

    @property
    def buffer(self) -> BufferOp:
        """The buffer."""
        assert self.access.buffer is not None
        return self.access.buffer

    @property
    def loops(self) -> tuple[int, ...]:
        """Ids of the loops around it."""
        return tuple(step.loop.id for step in self.reach.steps)


@dataclass(eq=False)
class _Simulation:
    """What is in the scratchpad while the kernel is gone through.

    Attributes:
        touches: of each access op.
        valid: for each buffer the bytes that hold its values.
        again: loops that are gone through for the second time.
    """

    touches: dict[Operation, _Touch]
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
        for run in range(runs if node.info.work_amount else 0):
            for buffer in owned:
                self.valid[buffer] = ()
            if run:
                self.again.append(id_)
            self.run(node.items)
            if run:
                self.again.pop()

    def _store(self, touch: _Touch) -> None:
        for buffer, bytes_ in self.valid.items():
            if buffer is not touch.buffer and intersect(bytes_, touch.whole):
                self._try_in_place(touch, buffer)
                self.valid[buffer] = difference(bytes_, touch.whole)
        if all(id_ in loop_ids(touch.buffer) for id_ in self.again):
            before = self.valid.get(touch.buffer, ())
            self.valid[touch.buffer] = union(before, touch.whole)

    def _load(self, touch: _Touch) -> None:
        missing = difference(touch.whole, self.valid.get(touch.buffer, ()))
        if missing:
            fail(
                touch.access.op,
                "R1",
                f"expected a buffer to hold the bytes {_text(touch.whole)} that a load reads, "
                f"found {_text(missing)} not written, or overwritten by another buffer",
            )
        for other in self.touches.values():
            if other.access.stores and other.buffer is touch.buffer:
                if _shared(touch, other) > touch.own:
                    self._check_same_iteration(touch, other)

    def _check_same_iteration(self, load: _Touch, store: _Touch) -> None:
        """A load in a loop that fills the buffer reads what the same iteration has stored."""
        shared = _shared(load, store)
        same = load.reach.steps[load.own : shared] == store.reach.steps[load.own : shared]
        inside = difference(_relative(load, shared), _relative(store, shared))
        if store.place > load.place or not same or inside:
            fail(
                load.access.op,
                "R1",
                f"expected a load in loop {load.loops[shared - 1]}, which fills its buffer, to "
                "read what the same iteration has stored",
            )

    def _try_in_place(self, store: _Touch, buffer: BufferOp) -> None:
        """R2 for a store over `buffer`, whose loads in the same loop may still be to come."""
        for load in self.touches.values():
            if load.access.stores or load.buffer is not buffer:
                continue
            shared = _shared(load, store)
            if shared > max(load.own, store.own):
                _check_order(load, store, shared)


def _text(bytes_: Intervals) -> str:
    return ", ".join(f"{low}..{high}" for low, high in bytes_[:3]) + (
        ", ..." if len(bytes_) > 3 else ""
    )


def _shared(a: _Touch, b: _Touch) -> int:
    """How many of the outermost loops two accesses have in common."""
    count = 0
    for x, y in zip(a.loops, b.loops, strict=False):
        if x != y:
            break
        count += 1
    return count


def _relative(touch: _Touch, shared: int, tails: Mapping[int, int] | None = None) -> Intervals:
    """The bytes of one iteration of the first `shared` loops, before their motion."""
    return shifted(touch.reach.bytes(shared, tails), touch.base)


def _check_order(load: _Touch, store: _Touch, shared: int) -> None:
    """No iteration of the shared loops stores bytes that a later one loads (R2)."""
    first = min(load.own, store.own)
    later: Intervals = ()
    for counters, tails in reversed(_iterations(load.reach.steps[first:shared])):
        reads = shifted(_relative(load, shared, tails), _position(load, first, counters))
        writes = shifted(_relative(store, shared, tails), _position(store, first, counters))
        if store.place < load.place:
            later = union(later, reads)
        if intersect(writes, later):
            fail(
                store.access.op,
                "R2",
                f"expected the store in loop {store.loops[shared - 1]} to leave a buffer that is "
                f"still read as it is, found it writing bytes {_text(writes)} of it",
            )
        later = union(later, reads)


def _iterations(steps: Sequence[Step]) -> list[tuple[tuple[int, ...], dict[int, int]]]:
    """Counters of nested loops in order of execution, with the tails that the loops are in."""
    left = TRIED
    ranges: list[Sequence[int]] = []
    for step in reversed(steps):
        every = range(0, step.loop.work_amount, step.loop.increment)
        ranges.insert(0, every if len(every) <= left else [*every[:4], *every[-4:]])
        left = max(1, left // max(1, len(ranges[0])))
    found: list[tuple[tuple[int, ...], dict[int, int]]] = []
    for counters in product(*ranges):
        tails: dict[int, int] = {}
        for step, counter in zip(steps, counters, strict=True):
            loop = step.loop
            work = loop.work_amount
            if loop.inner_of is not None:
                work = min(work, tails.get(loop.inner_of, work))
            if counter >= work:
                break
            if counter + loop.increment > work:
                tails[loop.id] = work - counter
        else:
            found.append((counters, tails))
    return found


def _position(touch: _Touch, first: int, counters: Sequence[int]) -> int:
    """How far the pointer has moved from its place at the start."""
    steps = touch.reach.steps[first : first + len(counters)]
    return sum(
        step.entry + step.unit * counter for step, counter in zip(steps, counters, strict=True)
    )


def verify_buffers(kernel: KernelOp) -> None:
    """Check the claims on a kernel at stage `looped` or later.

    Raises:
        CompileError: at the first load or store that breaks one.
    """
    known = reaches(kernel)
    bases: dict[BufferOp, int] = {}
    touches: dict[Operation, _Touch] = {}
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
        touch = _Touch(access, reach, place, len(own), bases[buffer])
        if touch.loops[: len(own)] != own:
            fail(op, "R1", f"expected {op.name} in the loops {list(own)} of its buffer")
        touch.whole = shifted(reach.bytes(len(own)), touch.base)
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
