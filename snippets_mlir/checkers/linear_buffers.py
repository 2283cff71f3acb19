"""No buffer of a `lir.kernel` is read before it is written, and none overwrites a live one.

Claims checked, from stage `looped` on. The checker walks the kernel in execution order with the
bytes that the stores of each buffer, and of each output with buffers in it, have written:

* R1: a load of a buffer reads only bytes that its stores wrote in the same iteration of the loops
  that the buffer lives in;
* R2: no store of another buffer or of an output came between: buffers that share bytes are not
  alive together. If one loop reads a buffer and overwrites it with another one, no iteration may
  write bytes that a later one reads; the checker tries this on the iterations themselves;
* R3: at the end of the iteration, no bytes that a buffer wrote into an output remain: the output's
  own stores have overwritten all of them;
* R4: buffers in one output live in the same loops, which include all parallel ones, and each
  iteration of these has its own elements of the output.

The checker walks a loop that some buffer lives in twice, so that an iteration sees the bytes that
the previous one has left, except for those that R2 has tried. It walks other loops once, with the
bytes of all their iterations. In loops with more than `TRIED` iterations R2 tries the first and the
last ones. Buffers without an offset have bytes of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.ir import Operation

from snippets_mlir.checkers.linear_access_facts import Access
from snippets_mlir.checkers.linear_footprints import Intervals, difference, intersect, union
from snippets_mlir.checkers.linear_loops import Item, LoopNode, fail
from snippets_mlir.checkers.linear_motion import KernelMotion
from snippets_mlir.checkers.linear_touches import (
    SPACE,
    Holder,
    Touch,
    check_order,
    shared_loops,
    text,
)
from snippets_mlir.dialects.builtin.dims import format_size, static_size
from snippets_mlir.dialects.builtin.size_text import format_sizes
from snippets_mlir.dialects.lir.access import loop_ids
from snippets_mlir.dialects.lir.buffer import BufferOp
from snippets_mlir.dialects.lir.kernel import KernelOp


@dataclass(eq=False)
class _Simulation:
    """The contents of the memory of buffers during a walk of the kernel.

    Attributes:
        touches: of each access op.
        valid: for each buffer, and each output with buffers in it, the bytes with its values.
        again: loops in their second walk.
        in_place: for each load, the bytes that each store may overwrite in loops of both.
        tried: the places of loads and stores that R2 has tried.
    """

    touches: dict[Operation, Touch]
    valid: dict[Holder, Intervals] = field(default_factory=dict["Holder", Intervals])
    again: list[int] = field(default_factory=list[int])
    in_place: dict[Operation, list[tuple[tuple[int, ...], Intervals]]] = field(
        default_factory=dict[Operation, list[tuple[tuple[int, ...], "Intervals"]]]
    )
    tried: set[tuple[int, int]] = field(default_factory=set[tuple[int, int]])

    def run(self, items: Sequence[Item], home: tuple[int, ...] = ()) -> None:
        """Walk `items`, an iteration of the loops `home`."""
        for item in items:
            if isinstance(item, LoopNode):
                self._loop(item, (*home, item.info.id))
            elif item in self.touches:
                touch = self.touches[item]
                if touch.access.stores:
                    self._store(touch)
                else:
                    self._load(touch)
        self._check_left(home)

    def _loop(self, node: LoopNode, home: tuple[int, ...]) -> None:
        id_ = node.info.id
        owned = {touch.holder for touch in self.touches.values() if id_ in touch.home}
        runs = 2 if owned and static_size(node.info.work_amount) > node.info.increment else 1
        idle = node.info.work_amount == 0 and node.info.inner_of is None
        for run in range(0 if idle else runs):
            for holder in owned:
                self.valid[holder] = ()
            if run:
                self.again.append(id_)
            self.run(node.items, home)
            if run:
                self.again.pop()

    def _store(self, touch: Touch) -> None:
        for holder, bytes_ in self.valid.items():
            if holder != touch.holder and intersect(bytes_, touch.whole):
                self._try_in_place(touch, holder)
                self.valid[holder] = difference(bytes_, touch.whole)
        if all(id_ in touch.home for id_ in self.again):
            before = self.valid.get(touch.holder, ())
            self.valid[touch.holder] = union(before, touch.whole)

    def _load(self, touch: Touch) -> None:
        missing = difference(touch.whole, self.valid.get(touch.holder, ()))
        for loops, bytes_ in self.in_place.get(touch.access.op, ()):
            if self.again and all(id_ in loops for id_ in self.again):
                missing = difference(missing, bytes_)  # written in iterations that read no more
        if missing:
            fail(
                touch.access.op,
                "R1",
                f"expected a buffer to hold the bytes {text(touch.whole)} that a load reads, "
                f"found {text(missing)} not written, or overwritten by another buffer",
            )

    def _try_in_place(self, store: Touch, holder: Holder) -> None:
        """R2 for a store over a buffer, if loads of it may follow in the same loop."""
        for load in self.touches.values():
            if load.access.stores or load.holder != holder:
                continue
            if (load.place, store.place) in self.tried:
                continue
            self.tried.add((load.place, store.place))
            shared = shared_loops(load, store)
            if shared > max(load.own, store.own):
                check_order(load, store, shared)
                loops = loop_ids(load.access.op)[:shared]
                self.in_place.setdefault(load.access.op, []).append((loops, store.whole))

    def _check_left(self, home: tuple[int, ...]) -> None:
        """R3, at the end of an iteration of the loops `home`."""
        for holder, bytes_ in self.valid.items():
            if isinstance(holder, int) or holder.output is None or loop_ids(holder) != home:
                continue
            if bytes_:
                fail(
                    holder,
                    "R3",
                    f"expected the stores of output {holder.decided('output')} to write all that "
                    f"a buffer leaves in it, found bytes {text(bytes_)} of an iteration left",
                )


def _homes(kernel: KernelOp) -> dict[int, tuple[int, ...]]:
    """The loops, unsplit, that the buffers in each output live in (R4)."""
    homes: dict[int, tuple[int, ...]] = {}
    table = kernel.loop_table
    parallel = {loop.unified_id for loop in table.values() if loop.parallel}
    for op in kernel.block.ops:
        if isinstance(op, BufferOp) and (output := op.decided("output")) is not None:
            own = tuple(table[id_].unified_id for id_ in loop_ids(op))
            outside = sorted(parallel.difference(own))
            if homes.setdefault(output, own) != own or outside:
                fail(
                    op,
                    "R4",
                    f"expected buffers in output {output} to live in the same loops, and in the "
                    f"parallel ones {outside}, found one in the loops {list(own)}",
                )
    return homes


def _home_of(access: Access, homes: dict[int, tuple[int, ...]]) -> tuple[int, ...] | None:
    """The loops that the accessed memory lives in; None for inputs and outputs without buffers."""
    if access.buffer is not None:
        return loop_ids(access.buffer)
    kind, number = access.pointer
    if kind != "output" or not isinstance(number, int) or number not in homes:
        return None
    return loop_ids(access.op)[: len(homes[number])]


def _check_own(access: Access, home: tuple[int, ...], kernel: KernelOp) -> None:
    """R1 and R4: an access is in its buffer's loops, and their iterations have own elements."""
    op, table = access.op, kernel.loop_table
    if loop_ids(op)[: len(home)] != home:
        fail(op, "R1", f"expected {op.name} in the loops {list(home)} of its buffer")
    if access.pointer[0] != "output":
        return
    for loop in (table[id_] for id_ in home):
        whole = table.get(loop.unified_id, loop).work_amount
        if whole != 1 and access.port.shape[len(access.port.shape) - 1 - loop.dim] == 1:
            fail(
                op,
                "R4",
                f"expected each iteration of loop {loop.id} to have elements of the output of its "
                f"own, found a port of {format_sizes(access.port.shape)}",
            )


def _touches(motion: KernelMotion, homes: dict[int, tuple[int, ...]]) -> dict[Operation, Touch]:
    """The accesses of buffers, and of outputs with buffers in them."""
    kernel, known = motion.kernel, motion.reaches
    bases: dict[Holder, int] = {output: (output + 1) * SPACE for output in homes}
    touches: dict[Operation, Touch] = {}
    free = static_size(kernel.scratch)
    for place, op in enumerate(kernel.block.ops):
        if op not in known or (home := _home_of(known[op][0], homes)) is None:
            continue
        access, reach = known[op]
        kind, number = access.pointer
        output = number if kind == "output" and isinstance(number, int) else None
        holder = access.buffer if access.buffer is not None else output
        assert holder is not None
        if holder not in bases:
            assert isinstance(holder, BufferOp)
            offset = bases[output] if output is not None else holder.decided_size("offset")
            bases[holder] = free if offset is None else static_size(offset)
            free += static_size(access.array) if offset is None else 0
        _check_own(access, home, kernel)
        touch = Touch(access, reach, place, home, holder, bases[holder])
        touch.whole = touch.bytes(len(home))
        touches[op] = touch
    _check_fit(kernel, bases)
    return touches


def verify_buffers(motion: KernelMotion) -> None:
    """Check the claims on a kernel at stage `looped` or later.

    Raises:
        CompileError: at the first load or store that breaks one.
    """
    _Simulation(_touches(motion, _homes(motion.kernel))).run(motion.items)


def _check_fit(kernel: KernelOp, bases: dict[Holder, int]) -> None:
    for buffer, base in bases.items():
        if isinstance(buffer, int) or buffer.decided_size("offset") is None:
            continue
        size = buffer.decided_size("size")
        if size is not None and (base < 0 or static_size(base + size - kernel.scratch) > 0):
            fail(
                buffer,
                "R2",
                f"expected bytes {format_size(base)} to {format_size(base + size)} of a buffer "
                f"inside of the scratchpad of "
                f"{format_size(kernel.scratch)} bytes",
            )
