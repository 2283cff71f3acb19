"""Emission of the loops of one thread: `scf.for` that carry the pointers they move.

    lir.loop_begin 1             %r, %v = scf.for %i = %c0 to %c64 step %c8 iter_args(%p, %s) {
    ..                     becomes    ..
    lir.loop_end 1                    %n = llvm.getelementptr %p[8]
                                      scf.yield %n, %s2

There is one pointer for each assigned general-purpose register. Without registers, there is one for
each view of an input, each output and each register group of buffers. A loop carries the pointers
that it moves. An increment is one `llvm.getelementptr`, and the finalization offset is applied
after the loop. A loop that runs once has no counter.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import i8, i64
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from snippets_mlir.dialects.builtin.dims import Dim
from snippets_mlir.dialects.builtin.shaped import byte_width
from snippets_mlir.dialects.lir.loop_tree import Loop
from snippets_mlir.dialects.lir.pointers import memory_port
from snippets_mlir.dialects.lir.ports import LoopPort
from snippets_mlir.passes.lir_to_vector.kernel_values import Given, Key
from snippets_mlir.passes.lir_to_vector.loop_bounds import LoopBounds
from snippets_mlir.passes.lir_to_vector.memory_elements import memory_element
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError

Motions = dict[Key, tuple[LoopPort, Attribute]]
"""A loop's motion of each pointer that it moves, with the element type in memory.

This includes pointers that inner loops do not reset (lir-cleanup-loop-offsets makes such loops):
the loop carries them, too.
"""


def _moves(motion: LoopPort) -> bool:
    return motion.pointer_increment != 0 or motion.finalization_offset != 0


class LoopEmission(LoopBounds):
    """Appends loops with bounds that are known, or that `LoopBounds` computes."""

    def __init__(self, given: Given) -> None:
        super().__init__(given)
        self._own = self._own_motions()
        self._moved: dict[Loop, Motions] = {}
        self.saved: dict[int, dict[Key, SSAValue]] = {}

    def _motions(self, loop: Loop) -> Motions:
        if loop not in self._moved:
            motions = self._own.get(loop.info.id, {})
            still = LoopPort(loop.info.id, loop.info.dim)
            left = {key: (still, i8) for key, net in self._nets(loop.items).items() if net != 0}
            self._moved[loop] = {**left, **motions}
        return self._moved[loop]

    def _nets(self, items: Sequence[Loop | Operation]) -> dict[Key, Dim]:
        """The bytes by which the loops among `items` move each pointer.

        Dynamic loops, loops that end at a diagonal, and those whose step the call chooses, or that
        do not run in all calls, move none.
        """
        nets: dict[Key, Dim] = {}
        for loop in items:
            if not isinstance(loop, Loop) or loop.info.dynamic or loop.info.diagonal is not None:
                continue
            if loop.info.step is not None or loop.info.calls is not None:
                continue
            info, inside = loop.info, self._nets(loop.items)
            for key, (motion, element) in self._motions(loop).items():
                size = byte_width(element)
                each = motion.pointer_increment * size * info.increment + inside.get(key, 0)
                net = each * (info.work_amount // info.increment)
                nets[key] = nets.get(key, 0) + net + motion.finalization_offset * size
        return nets

    def _own_motions(self) -> dict[int, Motions]:
        """The motions of each loop on the ports of all accesses."""
        found: dict[int, Motions] = {}
        for access, key in self.keys.items():
            element = memory_element(access)
            for motion in memory_port(access).loops:
                if not _moves(motion):
                    continue
                known = found.setdefault(motion.loop, {}).setdefault(key, (motion, element))
                if known[0] != motion:
                    raise CompileError(
                        f"in @{self.kernel.sym_name.data}: accesses of one array move its pointer "
                        f"differently in loop {motion.loop}; run lir-init-loops again",
                        **position_of(access),
                    )
        return found

    def _advance(self, key: Key, element: Attribute, elements: Dim | SSAValue) -> None:
        self.pointers[key] = self.moved(self.pointers[key], element, elements)

    def _sequential(self, loop: Loop) -> None:
        """A loop with known bounds: one pass without a counter if it runs once."""
        motions = self._motions(loop)
        info = loop.info
        if info.iteration == "whole" and info.dim == 0 and not info.dynamic:
            name = self.kernel.sym_name.data
            message = f"in @{name}: expected a main and a last part of loop {info.origin}, whose "
            message += f"work is known, found the whole of it, loop {info.id}, along the vectors"
            raise CompileError(message, **position_of(loop.begin))
        decided = info.dynamic or info.diagonal is not None or info.calls is not None
        if decided or self.ends_short(info):
            self._dynamic(loop, motions)
            return
        if info.evaluated_once:
            if info.iteration == "last":
                self.counters[info.id] = self.b.index(self.units_before(info))
            self.values.update(self._carried(loop.begin.values, loop.begin.carried))
            self._items(loop)
            assert loop.end is not None
            self.values.update(self._carried(loop.end.values, loop.end.carried))
            for key, (motion, element) in motions.items():
                step = motion.pointer_increment * info.work_amount + motion.finalization_offset
                self._advance(key, element, step)
            return
        bounds = self.b.index(0), self.size(info.work_amount)
        self._counted(loop, motions, *bounds)
        for key, (motion, element) in motions.items():
            self._advance(key, element, motion.finalization_offset)

    def _dynamic(self, loop: Loop, motions: Motions) -> None:
        """A loop, or a part of one, with work known only at run time; the last part is masked.

        After the last part the pointers are where the first one began.
        """
        info = loop.info
        before, after = self._neighbours(info)
        if before is None:
            self.saved[info.unified_id] = dict(self.pointers)
        amount = self.amounts[info.id] = self.amount(info)
        lower = self.b.index(0) if before is None else self._end(amount, before)
        ends = info.iteration in ("unified", "whole", "last")
        upper = amount if ends else self._end(amount, info)
        outer = self.tail
        known = (info.diagonal is not None or info.calls is not None) and not info.dynamic
        if info.iteration == "last" and info.dim == 0 and not known:
            self.tail = self.b.op("arith.subi", [amount, lower])
        self._counted(loop, motions, lower, upper)
        self.tail = outer
        if after is None:
            self.pointers.update(self.saved[info.unified_id])

    def _carried(
        self, names: Sequence[SSAValue], carried: Sequence[SSAValue]
    ) -> dict[SSAValue, SSAValue]:
        """The results of a marker of a loop that runs once: its operands."""
        pairs = zip(names, carried, strict=True)
        return {name: self.values[v] for name, v in pairs if name not in self.in_slots}

    def _counted(
        self,
        loop: Loop,
        motions: Motions,
        lower: SSAValue,
        upper: SSAValue,
    ) -> None:
        """`scf.for` from `lower` to `upper` that carries the moving pointers and values."""
        b = self.b
        carried = [self.values[v] for v in self.in_registers(loop.begin.carried)]
        initial = [*(self.pointers[k] for k in motions), *carried]
        body = Block(arg_types=[i64, *(v.type for v in initial)])
        outer, b.block = b.block, body
        self.counters[loop.info.id] = body.args[0]
        arguments, before = list(body.args[1:]), dict(self.pointers)
        self.pointers.update(zip(motions, arguments, strict=False))
        given = self.in_registers(loop.begin.values)
        self.values.update(zip(given, arguments[len(motions) :], strict=True))
        self._items(loop)
        for key, (motion, element) in motions.items():
            self._advance(key, element, motion.pointer_increment * loop.info.block)
        assert loop.end is not None
        following = [self.values[v] for v in self.in_registers(loop.end.carried)]
        b.make("scf.yield", [*(self.pointers[k] for k in motions), *following], [])
        b.block = outer
        op = b.op_class("scf.for").create(
            operands=[lower, upper, self.size(loop.info.block), *initial],
            result_types=[v.type for v in initial],
            regions=[Region(body)],
        )
        b.append(op)
        # Ops inside of the body reset the other pointers.
        self.pointers = {**before, **dict(zip(motions, op.results, strict=False))}
        given = self.in_registers(loop.end.values)
        self.values.update(zip(given, op.results[len(motions) :], strict=True))

    def _items(self, loop: Loop) -> None:
        for item in loop.items:
            if isinstance(item, Loop):
                self._sequential(item)
            else:
                self.emit(item)
