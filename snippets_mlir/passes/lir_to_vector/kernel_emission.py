"""Emission of a kernel: its parallel loops run the range `begin..end` of the call.

A flat loop steps through the range. A nest of several loops becomes one loop over the product of
their iterations, and its counter is split into the loops' counters. If there are several outermost
nests, each runs the part of `begin..end` in its share of the domain. `loop_emission.py` emits the
loops inside.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import i64
from xdsl.ir import Block, Region, SSAValue

from snippets_mlir.dialects.builtin.dims import static_size
from snippets_mlir.dialects.lir.loop_tree import (
    Loop,
    loop_tree,
    parallel_chain,
    parts_of,
    shares_of,
    units_of,
)
from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.passes.lir_to_vector.kernel_values import Given
from snippets_mlir.passes.lir_to_vector.loop_emission import LoopEmission, Motions


class KernelEmission(LoopEmission):
    """Appends the body of one kernel to the builder's block."""

    def __init__(self, given: Given) -> None:
        super().__init__(given)
        self.bounds = self.begin, self.end = given.bounds
        self.shares = {share.loop: share for share in shares_of(given.kernel)}
        self._ranges: dict[int, tuple[SSAValue, SSAValue]] = {}

    def run(self) -> None:
        """Emit the loops of the kernel and the ops in and beside them, in order."""
        for item in loop_tree(self.kernel):
            if not isinstance(item, Loop):
                self.emit(item)
            elif chain := parallel_chain(item):
                self.begin, self.end = self._range_of(chain[0].info.unified_id)
                self._parallel(chain)
            else:
                self._sequential(item)

    def _range_of(self, loop: int) -> tuple[SSAValue, SSAValue]:
        """The part of the call's range in the share of the nest that `loop` begins, in its units.

        0 to 0 if it is empty.
        """
        calls = self.loops[loop].calls
        if len(self.shares) == 1 and calls is None:
            return self.bounds
        if loop not in self._ranges:
            b, share = self.b, self.shares[loop]
            zero, size = b.index(0), self.size(share.domain.size)
            begin, end = (b.op("arith.subi", [v, self.size(share.start)]) for v in self.bounds)
            begin = b.op("arith.maxsi", [begin, zero])
            end = b.op("arith.minsi", [end, size])
            if share.rounded:
                begin, end = (self._rounded(v, share.domain.grain, size) for v in (begin, end))
            runs = b.compare_int("slt", begin, end)
            if calls is not None:
                runs = b.select(runs, self.runs_in(calls), runs)
            self._ranges[loop] = b.select(runs, begin, zero), b.select(runs, end, zero)
        return self._ranges[loop]

    def _rounded(self, unit: SSAValue, grain: int, size: SSAValue) -> SSAValue:
        """The multiple of `grain` nearest to a unit of `size` units; the end of all stays."""
        b = self.b
        up = b.op("arith.addi", [unit, b.index(grain // 2)])
        near = b.op("arith.subi", [up, b.op("arith.remui", [up, b.index(grain)])])
        near = b.op("arith.minsi", [near, size])
        return b.select(b.compare_int("slt", unit, size), near, unit)

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
        if info.step is not None:  # its blocks do not go on in the range of another thread
            self.amounts[info.id] = upper
        self._move_to(motions, lower)
        self._counted(loop, motions, lower, upper)

    def _covered(self, whole: LoopInfo, part: LoopInfo) -> SSAValue:
        """The end of the part of the loop `whole`."""
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
        for loop, (units, step) in reversed(
            [*zip(chain, units_of(chain, self.loops), strict=True)]
        ):
            unit = counter
            if loop is not chain[0]:
                size = self.size(units)
                unit = b.op("arith.remui", [counter, size])
                counter = b.op("arith.divui", [counter, size])
            if step != 1:
                unit = b.op("arith.muli", [unit, b.index(step)])
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
        """The unit at `counter` of a parallel loop: by its first part, or by the remainder."""
        first, *others = parts
        start = dict(self.pointers)

        def run_first() -> None:
            if first.info.step is None:
                self._at(first, self._motions(first), counter)
            else:
                self._steps(first, counter)

        def run_others() -> None:
            for part in others:
                self.pointers = dict(start)
                self._rest(part)

        if not others:
            run_first()
            return
        covered = self._covered(self.loops[first.info.unified_id], first.info)
        self._if(self.b.compare_int("slt", counter, covered), run_first)
        self._if(self.b.compare_int("sge", counter, covered), run_others)

    def _steps(self, loop: Loop, counter: SSAValue) -> None:
        """The unit at `counter` of a parallel loop whose step the call chooses: some steps."""
        b, motions = self.b, self._motions(loop)
        end = b.op("arith.addi", [counter, b.index(loop.info.increment)])
        end = self.amounts[loop.info.id] = b.op("arith.minsi", [end, self.amount(loop.info)])
        self._move_to(motions, counter)
        self._counted(loop, motions, counter, end)

    def _rest(self, part: Loop) -> None:
        """All iterations of a part of a parallel loop that one unit runs."""
        info, motions = part.info, self._motions(part)
        before, _ = self._neighbours(info)
        assert before is not None
        origin = self.loops[info.unified_id]
        first = self._covered(origin, before)
        if info.iteration == "last":
            self._at(part, motions, first)
            return
        self._move_to(motions, first)
        self._counted(part, motions, first, self._covered(origin, info))
