"""Instances of dynamic kernels: their loops, ports and counts for the sizes of one call.

    #lir.loop<0, work ?0, inc 8, dim 0>, #lir.loop<1, work ?0, inc 8, dim 0, main of 0>,
    #lir.loop<2, work ?0, inc 8, dim 0, last of 0>    ... lir.load %x {count = -1 : i64}

for `?0 = 13` are loops of work 13, 8 and 5, and `count = 5`. Parts of a dynamic loop share its work
as in the generated code: each part runs the whole iterations that earlier parts have left, and the
last part runs the rest, which may be empty. `instances.py` has the rest of a module.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from snippets_mlir.dialects.builtin.size_estimates import evaluate
from snippets_mlir.dialects.lir.access import PORTS, loop_ids, ports, set_port_attrs
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.loops import PARTS, LoopInfo, end_of
from snippets_mlir.dialects.lir.memory import TAIL, MemoryAccessOp, StoreOp
from snippets_mlir.dialects.lir.ports import LoopPort, PortAttr, PortDescriptor
from snippets_mlir.dialects.lir.reduction import FillOp


def evaluate_kernel(kernel: KernelOp, slots: Sequence[int]) -> None:
    """Change a kernel, whose types are already evaluated, into an instance.

    Args:
        kernel: a dynamic kernel.
        slots: the numbers of the call (`runtime_slots`).
    """
    _KernelInstance(kernel, slots).run()


class _KernelInstance:
    """Evaluates the loops, ports and counts of one kernel."""

    def __init__(self, kernel: KernelOp, slots: Sequence[int]) -> None:
        self.kernel = kernel
        self.slots = slots
        self.symbolic = kernel.loop_table
        self.table = {id_: self._bounded(self._loop(it)) for id_, it in self.symbolic.items()}
        self._made: dict[PortDescriptor, PortAttr] = {}

    def run(self) -> None:
        """Change the kernel, whose types are already evaluated."""
        for op in self.kernel.block.ops:
            if PORTS in op.attributes:
                set_port_attrs(op, [self._port(port) for port in ports(op)])
            vector_loops = [id_ for id_ in loop_ids(op) if self.table[id_].dim == 0]
            if isinstance(op, MemoryAccessOp) and op.elements == TAIL:
                op.set_elements(self.table[vector_loops[-1]].increment)
            elif isinstance(op, FillOp) and op.first_filled == TAIL:
                op.set_first_filled(self.table[vector_loops[-1]].increment)
            if isinstance(op, StoreOp):
                op.properties.pop("nontemporal_from", None)  # an instance has known sizes
        self.kernel.set_loops(list(self.table.values()))

    def _amount(self, loop: LoopInfo) -> int:
        """The work of a whole loop: the size given by the call, or a block of a split loop."""
        whole = self.symbolic[loop.unified_id]
        if whole.inner_of is None or not (whole.dynamic or self._is_chosen(loop)):
            return evaluate(whole.work_amount, self.slots)
        outer = self.symbolic[whole.inner_of]
        if outer.step is not None or outer.iteration == "whole":
            return self._block(outer)
        return self._amount(outer) % outer.increment

    def _block(self, loop: LoopInfo) -> int:
        return evaluate(loop.block, self.slots)

    def _is_chosen(self, loop: LoopInfo) -> bool:
        """Whether a loop runs blocks whose length the call chooses."""
        outer = self.symbolic[loop.unified_id].inner_of
        return outer is not None and self.symbolic[outer].step is not None

    def _left(self, loop: LoopInfo) -> int:
        """The work of a loop in the last block of the loop around."""
        whole = self.symbolic[loop.unified_id]
        outer = None if whole.inner_of is None else self.symbolic[whole.inner_of]
        if outer is None or outer.iteration != "whole":
            return self._amount(loop)
        return self._left(outer) % self._block(outer)

    def _loop(self, loop: LoopInfo) -> LoopInfo:
        if loop.step is not None:
            work = evaluate(loop.work_amount, self.slots)
            return replace(loop, work_amount=work, increment=self._block(loop), step=None)
        if not loop.dynamic and not self._is_chosen(loop):
            return loop
        amount, before = self._amount(loop), self._parts_of(loop)
        place = before.index(loop)
        lower = end_of(place - 1, before, amount) if place else 0
        work = end_of(place, before, amount) - lower
        increment = loop.increment
        if loop.iteration == "last":
            left = self._left(loop)
            increment = max(left % before[place - 1].increment if place else left, 1)
        return replace(loop, work_amount=work, increment=increment)

    def _bounded(self, loop: LoopInfo) -> LoopInfo:
        """The loop with the place of its diagonal in the call, and whether it runs."""
        if (calls := loop.calls) is not None:
            loop = replace(loop, calls=replace(calls, size=evaluate(calls.size, self.slots)))
        if loop.diagonal is None:
            return loop
        distance, rows = loop.diagonal
        return replace(loop, diagonal=(evaluate(distance, self.slots), rows))

    def _parts_of(self, loop: LoopInfo) -> list[LoopInfo]:
        """The parts of the same loop in order of execution; of a whole loop itself."""
        if loop.iteration == "unified":
            return [loop]
        parts = [part for part in self.symbolic.values() if part.origin == loop.origin]
        return sorted(parts, key=lambda part: PARTS.index(part.iteration))

    def _port(self, port: PortDescriptor) -> PortAttr:
        """The evaluated port, made once for equal ports: most ports are equal to others."""
        if (made := self._made.get(port)) is None:
            made = self._made[port] = PortAttr.of(self._evaluated(port))
        return made

    def _evaluated(self, port: PortDescriptor) -> PortDescriptor:
        shape = tuple(evaluate(size, self.slots) for size in port.shape)
        strides = tuple(evaluate(stride, self.slots) for stride in port.strides)
        motions = tuple(self._motion(m) for m in port.loops)
        return replace(port, shape=shape, strides=strides, loops=motions)

    def _motion(self, motion: LoopPort) -> LoopPort:
        """The motion; a block of a dynamic loop moves the pointer back by the distance it has
        walked.
        """
        loop = self.symbolic[motion.loop]
        unit = evaluate(motion.pointer_increment, self.slots)
        final = evaluate(motion.finalization_offset, self.slots)
        inner = self.symbolic[loop.unified_id].inner_of is not None
        if (loop.dynamic or self._is_chosen(loop)) and inner and final:
            final = -unit * self._amount(loop)
        return replace(motion, pointer_increment=unit, finalization_offset=final)
