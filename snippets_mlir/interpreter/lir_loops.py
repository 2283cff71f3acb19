"""Kernels with markers, at the stages `looped` to `assigned`: loops that really run.

Each evaluation handles one vector: a load puts `count` elements into lanes and leaves the other
lanes poison, and a store takes `count` lanes. Pointers point into memory and move as the ports say,
by the increments in each iteration and by the finalization offsets after the loop; nothing else
determines the address of an access. At stage `looped` the last iteration of a loop may be short:
its ops then handle the rest. From `expanded` on every op states how many elements it handles, and
only a part that is a whole loop may have a short iteration: the blocks in it do the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from xdsl.ir import Operation

from snippets_mlir.dialects.builtin.dims import static_size
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.loops import PARTS, LoopInfo, end_of
from snippets_mlir.dialects.lir.markers import LoopMarkerOp
from snippets_mlir.interpreter.domain import Piece
from snippets_mlir.interpreter.lir_memory import KernelMemory, Place
from snippets_mlir.interpreter.lir_motions import Motions, motions_of
from snippets_mlir.interpreter.lir_ops import VectorOps
from snippets_mlir.interpreter.lir_tree import (
    Loop,
    parallel_nest,
    parts_in,
    shares_of,
    steps_of,
    tree_of,
)
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError


class LoopRun(VectorOps):
    """Runs the pieces of one kernel's parallel domain."""

    def __init__(self, kernel: KernelOp, memory: KernelMemory) -> None:
        super().__init__(kernel, memory)
        self.tree = tree_of(kernel)
        self.shares = shares_of(kernel)
        self.unsplit = not kernel.reached("expanded")
        self._motions: dict[Loop, Motions] = {}
        self._anew: dict[int, list[Place]] = {}

    def run(self, piece: Piece) -> None:
        """Run one piece, in an empty scratchpad."""
        self.memory.poison()
        self.values.clear()
        self.steps.clear()
        self.pointers.clear()
        self.start()
        for item in self.tree:
            self.begin_item(item)
            if isinstance(item, Loop) and (nest := parallel_nest(item)):
                start = dict(self.pointers)
                if (own := self._piece_of(nest[0].info.unified_id, piece)) is not None:
                    self._parallel(nest, own)
                self.pointers = start
            else:
                self._item(item)

    def _piece_of(self, loop: int, piece: Piece) -> Piece | None:
        """The part of a piece in the nest that begins with `loop`; None for an empty part."""
        if self.kernel.loop_table[loop].left_out:
            return None
        if len(self.shares) == 1:
            return piece
        start, domain = self.shares[loop]
        begin, end = max(piece.begin - start, 0), min(piece.end - start, domain.size)
        begin, end = (domain.nearest(unit) for unit in (begin, end))
        return replace(piece, begin=begin, end=end) if begin < end else None

    def start(self) -> None:
        """Called before each range of the parallel domain runs."""

    def begin_item(self, item: Loop | Operation) -> None:
        """Called before an outermost loop, or an op outside of all loops, runs."""

    def begin_iteration(self, loop: Loop) -> None:
        """Called when an iteration of a loop begins."""

    def end_iteration(self, loop: Loop) -> None:
        """Called when an iteration of a loop ends."""

    def _item(self, item: Loop | Operation) -> None:
        if isinstance(item, Loop):
            self._loop(item)
            return
        try:
            self.execute(item)
        except CompileError as error:
            if error.line is not None:
                raise
            steps = ", ".join(f"loop {id_} does {step}" for id_, step in self.steps.items())
            message = f"in @{self.kernel.sym_name.data}: {item.name}: {error.message}"
            message += f" ({steps})" if steps else ""
            raise CompileError(message, **position_of(item)) from error

    def _loop(self, loop: Loop) -> None:
        """Run a loop from its first iteration to its last, then move its pointers back.

        At stage `looped` a block of a split loop may be short: its remaining iterations do not run.
        """
        info = loop.info
        if info.left_out:
            self._give(loop.end, self._carried(loop.begin))
            return
        begin, end = self._span(info)
        carried = self._iterate(loop, begin, end, self._carried(loop.begin))
        parts = self._parts(info)
        whole = static_size(self.kernel.loop_table[info.unified_id].work_amount)
        left_out = whole - end if info is parts[-1] else 0
        for key, (increment, final) in self.motions(loop).items():
            self.move(key, increment * left_out + final)
        self._give(loop.end, carried)

    def _parts(self, info: LoopInfo) -> list[LoopInfo]:
        """The parts of the loop to which `info` belongs, in order; `info` itself for a loop without
        parts.
        """
        if info.iteration == "unified":
            return [info]
        table = self.kernel.loop_table.values()
        parts = [part for part in table if part.origin == info.origin]
        return sorted(parts, key=lambda part: PARTS.index(part.iteration))

    def _span(self, info: LoopInfo) -> tuple[int, int]:
        """The units of the whole loop that a part of it runs, in a block that may be short."""
        work = static_size(self.kernel.loop_table[info.unified_id].work_amount)
        if info.inner_of in self.steps:
            work = min(work, self.steps[info.inner_of])
        begin = end = 0
        parts = self._parts(info)
        for place, part in enumerate(parts):
            begin, end = end, static_size(part.work_amount)
            if part.iteration != "first":
                end = end_of(place, parts, work)
            if part.id == info.id:
                break
        return begin, end

    def _iterate(self, loop: Loop, counter: int, end: int, carried: list[Any]) -> list[Any]:
        """The iterations of a loop from `counter` to `end`; the carried values after them."""
        info = loop.info
        while counter < end:
            step = min(info.increment, end - counter)
            if step < info.increment and not self.unsplit and info.iteration != "whole":
                raise self._error(loop, f"loop {info.id} has a tail of {step}")
            self._give(loop.begin, carried)
            self._enter(info, step)
            self.begin_iteration(loop)
            for item in loop.items:
                self._item(item)
            self.end_iteration(loop)
            carried = self._carried(loop.end)
            for key, (increment, _) in self.motions(loop).items():
                self.move(key, increment * step)
            counter += step
        self.steps.pop(info.id, None)
        return carried

    def _carried(self, marker: LoopMarkerOp) -> list[Any]:
        return [self.read(marker, index) for index in range(len(marker.operands))]

    def _give(self, marker: LoopMarkerOp, carried: Sequence[Any]) -> None:
        for index, value in enumerate(carried):
            self.write(marker, value, index)

    def _enter(self, info: LoopInfo, step: int) -> None:
        """Begin an iteration: buffers that live in the loop are empty."""
        self.steps[info.id] = step
        if info.id not in self._anew:
            self._anew[info.id] = self.memory.own_buffers(info.id)
        for place in self._anew[info.id]:
            assert place.buffer is not None
            place.memory.forget(place.buffer)

    def _parallel(self, nest: list[Loop], piece: Piece) -> None:
        if any(loop.begin.carried for loop in nest):
            raise self._error(nest[0], "a parallel loop cannot carry values")
        if len(nest) == 1:
            self._flat(nest[0], piece)
            return
        table = self.kernel.loop_table
        works = [static_size(table[loop.info.unified_id].work_amount) for loop in nest]
        steps = steps_of(self.kernel, nest)
        parts = parts_in(nest[-2])
        for loop, step, work in zip(nest, steps, works, strict=True):
            if work % step and not self._handles_rest(loop, nest, parts):
                raise self._error(loop, "expected no tail in a nest of parallel loops")
        start = dict(self.pointers)
        for unit in range(piece.begin, piece.end):
            self.pointers = dict(start)
            rest, counters = unit, list[int]()
            for step, work in zip(reversed(steps), reversed(works), strict=True):
                rest, place = divmod(rest, -(-work // step))
                counters.insert(0, place * step)
            for loop, counter, work in zip(nest[:-1], counters, works, strict=False):
                self._move_to(loop, counter)
                self._enter(loop.info, min(loop.info.increment, work - counter))
            own = replace(piece, begin=counters[-1], end=min(counters[-1] + steps[-1], works[-1]))
            for part in parts or [nest[-1]]:
                self._flat(part, own)
            for loop in nest[:-1]:
                self.steps.pop(loop.info.id, None)

    def _handles_rest(self, loop: Loop, nest: list[Loop], parts: list[Loop]) -> bool:
        """Whether some ops handle the remaining elements of a loop in a nest."""
        handled = loop.info.iteration in ("whole", "last") or bool(parts) or self.unsplit
        return loop is nest[-1] and handled

    def _flat(self, loop: Loop, piece: Piece) -> None:
        """A lone parallel loop, or a part of one: the units of the piece that it covers."""
        info = loop.info
        begin, end = self._span(info)
        begin, end = max(begin, piece.begin), min(end, piece.end)
        if begin < end:
            start = dict(self.pointers)
            self._move_to(loop, begin)
            self._iterate(loop, begin, end, [])
            self.pointers = start

    def _move_to(self, loop: Loop, counter: int) -> None:
        for key, (increment, _) in self.motions(loop).items():
            self.move(key, increment * counter)

    def motions(self, loop: Loop) -> Motions:
        """The motion of pointers by a loop; accesses that share a pointer have to agree."""
        if loop not in self._motions:
            self._motions[loop] = motions_of(loop, self.kernel.sym_name.data, self.place)
        return self._motions[loop]

    def _error(self, loop: Loop, message: str) -> CompileError:
        name = self.kernel.sym_name.data
        return CompileError(f"in @{name}: {message}", **position_of(loop.begin))
