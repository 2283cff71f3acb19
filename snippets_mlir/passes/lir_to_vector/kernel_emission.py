"""Emission of a kernel's loops: they become `scf.for` that carry the pointers they move.

One pointer is kept for each general-purpose register that was assigned; without registers, for each
view of an input, each output and each register group of buffers. A loop carries the pointers that
it moves, an increment is one `llvm.getelementptr`, and the finalization offset is applied after the
loop. The parallel loops run the range `begin..end` that
the kernel is called with: a flat one steps through it, a nest of several is one loop over the
product of their iterations, whose counter is taken apart into the loops' counters. Of several
outermost nests each runs what `begin..end` has of its share of the domain.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import lcm

from xdsl.dialects.builtin import i8, i64
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from snippets_mlir.dialects.builtin.dims import Dim, static_size
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.loop_tree import (
    Loop,
    loop_tree,
    parallel_chain,
    parts_of,
    shares_of,
)
from snippets_mlir.dialects.lir.loops import PARTS, LoopInfo, leave_nothing
from snippets_mlir.dialects.lir.pointers import memory_port
from snippets_mlir.dialects.lir.ports import LoopPort
from snippets_mlir.passes.lir_to_vector.memory_elements import element_size, memory_element
from snippets_mlir.passes.lir_to_vector.op_emission import Key, OpEmission
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError
from snippets_mlir.targets.emitters.vector_builder import VectorBuilder

Motions = dict[Key, tuple[LoopPort, Attribute]]
"""What a loop does to each pointer that it moves, with the element type in memory.

Pointers that loops inside leave away from where they began are among them (lir-cleanup-loop-offsets
makes such loops): the loop carries them, too.
"""


def _moves(motion: LoopPort) -> bool:
    return motion.pointer_increment != 0 or motion.finalization_offset != 0


class KernelEmission(OpEmission):
    """Appends the body of one kernel to the builder's block."""

    def __init__(
        self,
        kernel: KernelOp,
        builder: VectorBuilder,
        arrays: Sequence[SSAValue],
        bounds: tuple[SSAValue, SSAValue],
        scratch: SSAValue | None = None,
        symbols: Mapping[int, SSAValue] | None = None,
    ) -> None:
        super().__init__(kernel, builder, arrays, scratch, symbols)
        self.bounds = self.begin, self.end = bounds
        self.shares = {share.loop: share for share in shares_of(kernel)}
        self._ranges: dict[int, tuple[SSAValue, SSAValue]] = {}
        self.loops = kernel.loop_table
        self._own = self._own_motions()
        self._moved: dict[Loop, Motions] = {}
        self.saved: dict[int, dict[Key, SSAValue]] = {}
        self.counters: dict[int, SSAValue] = {}
        self.amounts: dict[int, SSAValue] = {}

    def run(self) -> None:
        """Emit the whole kernel."""
        for item in loop_tree(self.kernel):
            if not isinstance(item, Loop):
                self.emit(item)
            elif chain := parallel_chain(item):
                self.begin, self.end = self._range_of(chain[0].info.unified_id)
                self._parallel(chain)
            else:
                self._sequential(item)

    def _range_of(self, loop: int) -> tuple[SSAValue, SSAValue]:
        """What the call's range has of the share of a nest, which `loop` begins, in its units.

        0 to 0 where it has nothing.
        """
        if len(self.shares) == 1:
            return self.bounds
        if loop not in self._ranges:
            b, share = self.b, self.shares[loop]
            zero, size = b.index(0), self.size(share.domain.size)
            begin, end = (b.op("arith.subi", [v, self.size(share.start)]) for v in self.bounds)
            begin = b.op("arith.maxsi", [begin, zero])
            end = b.op("arith.minsi", [end, size])
            runs = b.compare_int("slt", begin, end)
            self._ranges[loop] = b.select(runs, begin, zero), b.select(runs, end, zero)
        return self._ranges[loop]

    def _motions(self, loop: Loop) -> Motions:
        if loop not in self._moved:
            motions = self._own.get(loop.info.id, {})
            still = LoopPort(loop.info.id, loop.info.dim)
            left = {key: (still, i8) for key, net in self._nets(loop.items).items() if net != 0}
            self._moved[loop] = {**left, **motions}
        return self._moved[loop]

    def _nets(self, items: Sequence[Loop | Operation]) -> dict[Key, Dim]:
        """By how many bytes the loops among `items` move each pointer.

        Dynamic ones, and those that end at a diagonal, move none.
        """
        nets: dict[Key, Dim] = {}
        for loop in items:
            if not isinstance(loop, Loop) or loop.info.dynamic or loop.info.diagonal is not None:
                continue
            info, inside = loop.info, self._nets(loop.items)
            for key, (motion, element) in self._motions(loop).items():
                size = element_size(element)
                each = motion.pointer_increment * size * info.increment + inside.get(key, 0)
                net = each * (info.work_amount // info.increment)
                nets[key] = nets.get(key, 0) + net + motion.finalization_offset * size
        return nets

    def _own_motions(self) -> dict[int, Motions]:
        """What the ports of all accesses say that each loop does."""
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
        """A loop with known bounds: one pass without a counter when it runs once."""
        motions = self._motions(loop)
        info = loop.info
        if info.iteration == "whole" and not info.dynamic:
            name = self.kernel.sym_name.data
            message = f"in @{name}: expected a main and a last part of loop {info.origin}, whose "
            message += f"work is known, found the whole of it, loop {info.id}"
            raise CompileError(message, **position_of(loop.begin))
        if info.dynamic or info.diagonal is not None:
            self._dynamic(loop, motions)
            return
        if info.evaluated_once:
            if info.iteration == "last":
                self.counters[info.id] = self.b.index(self._units_before(info))
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

    def _units_before(self, tail: LoopInfo) -> int:
        """The units of a loop of known work that run before its tail."""
        whole = self.loops[tail.origin]
        return static_size(whole.work_amount) - static_size(tail.work_amount)

    def amount(self, loop: LoopInfo) -> SSAValue:
        """The work of a dynamic loop: the whole, a block of a split loop, or up to a diagonal."""
        table = self.loops
        whole = table[loop.unified_id]
        if whole.diagonal is not None:
            return self._up_to(whole, *whole.diagonal)
        if whole.inner_of is None:
            return self.size(whole.work_amount)
        outer = table[whole.inner_of]
        around = self.amounts.get(outer.id) or self.amount(outer)
        if outer.iteration != "whole":
            return self.b.op("arith.remui", [around, self.b.index(outer.increment)])
        left = self.b.op("arith.subi", [around, self.counters[outer.id]])
        return self.b.op("arith.minsi", [left, self.b.index(outer.increment)])

    def _up_to(self, loop: LoopInfo, distance: int, rows: int) -> SSAValue:
        """The work of `loop` that the current iteration of the loop `rows` needs, or a bit more.

        All loops that end at this diagonal do the same work: a multiple of all their increments,
        if it is not the whole.
        """
        table = self.loops
        unit = lcm(
            *(
                part.increment
                for part in table.values()
                if part.diagonal == loop.diagonal and part.iteration != "last"
            )
        )
        first = self.counters[rows] if rows in self.counters else self.b.index(0)
        beyond = self.b.index(table[rows].increment + distance)
        needed = self.b.op("arith.addi", [first, beyond])
        more = self.b.op("arith.addi", [needed, self.b.index(unit - 1)])
        steps = self.b.op("arith.divui", [more, self.b.index(unit)])
        rounded = self.b.op("arith.muli", [steps, self.b.index(unit)])
        return self.b.op("arith.minsi", [rounded, self.size(loop.work_amount)])

    def _dynamic(self, loop: Loop, motions: Motions) -> None:
        """A loop, or a part of one, with work that only the kernel knows; the last part is masked.

        After the last part the pointers are where the first one found them.
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
        if info.iteration == "last" and info.dim == 0 and info.diagonal is None:
            self.tail = self.b.op("arith.subi", [amount, lower])
        self._counted(loop, motions, lower, upper)
        self.tail = outer
        if after is None:
            self.pointers.update(self.saved[info.unified_id])

    def _parts(self, loop: LoopInfo) -> list[LoopInfo]:
        """The parts of the loop that `loop` is one of, in order."""
        parts = [part for part in self.loops.values() if part.origin == loop.origin]
        return sorted(parts, key=lambda part: PARTS.index(part.iteration))

    def _neighbours(self, loop: LoopInfo) -> tuple[LoopInfo | None, LoopInfo | None]:
        """The parts of the same loop that run before and after `loop`."""
        if loop.iteration == "unified":
            return None, None
        parts = self._parts(loop)
        place = parts.index(loop)
        return (
            parts[place - 1] if place else None,
            parts[place + 1] if place + 1 < len(parts) else None,
        )

    def _end(self, amount: SSAValue, loop: LoopInfo) -> SSAValue:
        """`loops.end_of`: the work up to the end of a part, of `amount` that is not 1."""
        parts = self._parts(loop)
        if not leave_nothing(parts):
            return self._whole(amount, loop)
        place, b = parts.index(loop), self.b
        if place == 2:
            return amount
        unit = parts[2].increment // 2
        left = b.op("arith.remui", [amount, b.index(4 * unit)])
        one = b.compare_int("eq", left, b.index(unit))
        left = b.op("arith.addi", [left, b.select(one, b.index(4 * unit), b.index(0))])
        if place == 1:
            odd = b.op("arith.remui", [left, b.index(2 * unit)])
            left = b.op("arith.subi", [left, b.op("arith.muli", [odd, b.index(3)])])
        return b.op("arith.subi", [amount, left])

    def _whole(self, amount: SSAValue, loop: LoopInfo) -> SSAValue:
        """What of `amount` goes by whole iterations of `loop`."""
        left = self.b.op("arith.remui", [amount, self.b.index(loop.increment)])
        return self.b.op("arith.subi", [amount, left])

    def _carried(
        self, names: Sequence[SSAValue], carried: Sequence[SSAValue]
    ) -> dict[SSAValue, SSAValue]:
        """What a marker of a loop that runs once returns: what it takes."""
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
            self._advance(key, element, motion.pointer_increment * loop.info.increment)
        assert loop.end is not None
        following = [self.values[v] for v in self.in_registers(loop.end.carried)]
        b.make("scf.yield", [*(self.pointers[k] for k in motions), *following], [])
        b.block = outer
        op = b.op_class("scf.for").create(
            operands=[lower, upper, b.index(loop.info.increment), *initial],
            result_types=[v.type for v in initial],
            regions=[Region(body)],
        )
        b.append(op)
        # The other pointers come back to where they were, but by ops inside of the body.
        self.pointers = {**before, **dict(zip(motions, op.results, strict=False))}
        given = self.in_registers(loop.end.values)
        self.values.update(zip(given, op.results[len(motions) :], strict=True))

    def _parallel(self, chain: list[Loop]) -> None:
        start = dict(self.pointers)
        if len(chain) == 1:
            self._flat(chain[0])
        else:
            self._collapsed(chain)
        self.pointers = start

    def _flat(self, loop: Loop) -> None:
        """One parallel loop, or a part of one, over the part of `begin..end` that it covers.

        `begin` and `end` are multiples of the increment of the first part, or the end of the work.
        """
        b, info = self.b, loop.info
        motions = self._motions(loop)
        before, after = self._neighbours(info)
        origin = self.loops[info.unified_id]
        first = b.index(0) if before is None else self._covered(origin, before)
        if info.iteration == "last":
            if info.dynamic and info.dim == 0:
                self.tail = b.op("arith.subi", [self.size(origin.work_amount), first])
            runs = b.compare_int("sgt", self.end, first)
            self._if(runs, lambda: self._at(loop, motions, first))
            return
        lower, upper = self.begin, self.end
        if before is not None:
            lower = b.op("arith.maxsi", [lower, first])
        if after is not None:
            upper = b.op("arith.minsi", [upper, self._covered(origin, info)])
        self._move_to(motions, lower)
        self._counted(loop, motions, lower, upper)

    def _covered(self, whole: LoopInfo, part: LoopInfo) -> SSAValue:
        """Where the part of the loop `whole` ends."""
        if whole.dynamic:
            return self._whole(self.size(whole.work_amount), part)
        work = static_size(whole.work_amount)
        return self.b.index(work - work % part.increment)

    def _at(self, loop: Loop, motions: Motions, counter: SSAValue) -> None:
        self.counters[loop.info.id] = counter
        self._move_to(motions, counter)
        self._items(loop)

    def _move_to(self, motions: Motions, counter: SSAValue) -> None:
        for key, (motion, element) in motions.items():
            offset = counter
            if motion.pointer_increment != 1:
                offset = self.b.op("arith.muli", [counter, self.size(motion.pointer_increment)])
            self._advance(key, element, offset)

    def _if(self, condition: SSAValue, then: Callable[[], None]) -> None:
        b = self.b
        outer, b.block = b.block, Block()
        body, kept = b.block, dict(self.pointers)
        then()
        b.make("scf.yield", [], [])
        b.block, self.pointers = outer, kept
        b.append(
            b.op_class("scf.if").create(operands=[condition], regions=[Region(body), Region()])
        )

    def _collapsed(self, chain: list[Loop]) -> None:
        """Several parallel loops as one; pointers start from their arrays each time."""
        b = self.b
        body = Block(arg_types=[i64])
        outer, b.block = b.block, body
        counter: SSAValue = body.args[0]
        own: dict[int, SSAValue] = {}
        for loop in reversed(chain):
            unified = self.loops[loop.info.unified_id]
            unit = counter
            if loop is not chain[0]:
                size = self.size(unified.units)
                unit = b.op("arith.remui", [counter, size])
                counter = b.op("arith.divui", [counter, size])
            if unified.increment != 1:
                unit = b.op("arith.muli", [unit, b.index(unified.increment)])
            own[loop.info.unified_id] = unit
        for loop in chain[:-1]:
            self.counters[loop.info.id] = own[loop.info.unified_id]
            self._move_to(self._motions(loop), own[loop.info.unified_id])
        self._innermost(parts_of(chain), own[chain[-1].info.unified_id])
        b.make("scf.yield", [], [])
        b.block = outer
        b.append(
            b.op_class("scf.for").create(
                operands=[self.begin, self.end, b.index(1)], regions=[Region(body)]
            )
        )

    def _innermost(self, parts: Sequence[Loop], counter: SSAValue) -> None:
        """The iteration at `counter` of a parallel loop: by its main part, or by its tail."""

        def run(part: Loop) -> Callable[[], None]:
            return lambda: self._at(part, self._motions(part), counter)

        main, *last = parts
        if not last:
            run(main)()
            return
        covered = self._covered(self.loops[main.info.unified_id], main.info)
        self._if(self.b.compare_int("slt", counter, covered), run(main))
        self._if(self.b.compare_int("sge", counter, covered), run(*last))

    def _items(self, loop: Loop) -> None:
        for item in loop.items:
            if isinstance(item, Loop):
                self._sequential(item)
            else:
                self.emit(item)
