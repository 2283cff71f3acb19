"""Bounds of loops whose work is known only at run time.

    #lir.loop<3, work ?0, inc 32, dim 0, main of 2>    from 0 to ?0 - ?0 mod 32
    #lir.loop<4, work ?0, inc 8, dim 0, last of 2>     from there to ?0

A block of a split loop is the remainder of the outer loop, but at most its increment or step. A
loop with a diagonal ends after the last element that the rows of the current block need:

    #lir.loop<6, work ?0, inc 48, dim 0, diagonal 0 of 2>
                                    from 0 to min(?0, the row after the block, rounded up to 48s)
"""

from __future__ import annotations

from collections.abc import Mapping
from math import lcm

from xdsl.ir import SSAValue

from snippets_mlir.dialects.builtin.dims import Dim, static_size
from snippets_mlir.dialects.lir.chosen_calls import Calls
from snippets_mlir.dialects.lir.loops import PARTS, LoopInfo, leave_nothing
from snippets_mlir.passes.lir_to_vector.kernel_values import Given
from snippets_mlir.passes.lir_to_vector.op_emission import OpEmission

LARGEST = 64
"""The most units to which the end at a diagonal is rounded up where loops can end anywhere."""


def unit_of_end(loop: LoopInfo, table: Mapping[int, LoopInfo]) -> int:
    """A divisor of the work of all loops that end at the diagonal of `loop`, or they do the whole.

    Increments of loops of known work count, because their parts have constant bounds, and those of
    loops without a last part, which leave no rest. A last part of dynamic work does any rest. So
    increments of such loops count from the least one, while the number is `LARGEST` at most: then
    the last part often has nothing to do. Blocks of sums may be longer than all work.
    """
    loops = [it for it in table.values() if it.diagonal == loop.diagonal]
    rests = {it.unified_id for it in loops if it.dynamic and it.iteration in ("whole", "last")}
    unit = lcm(
        *(it.increment for it in loops if it.unified_id not in rests and it.iteration != "last")
    )
    for it in sorted(loops, key=lambda it: it.increment):
        if it.unified_id in rests and lcm(unit, it.increment) <= LARGEST:
            unit = lcm(unit, it.increment)
    return unit


class LoopBounds(OpEmission):
    """Computes the work of loops, and where their parts end."""

    def __init__(self, given: Given) -> None:
        super().__init__(given)
        self.loops = given.kernel.loop_table
        self.counters: dict[int, SSAValue] = {}
        self.amounts: dict[int, SSAValue] = {}

    def units_before(self, tail: LoopInfo) -> int:
        """The units of a loop of known work that run before its tail."""
        whole = self.loops[tail.origin]
        return static_size(whole.work_amount) - static_size(tail.work_amount)

    def ends_short(self, loop: LoopInfo) -> bool:
        """Whether `loop` is the whole of a loop with a tail, or runs blocks of one."""
        outer = self.loops[loop.unified_id].inner_of if loop.inner_of is None else loop.inner_of
        return loop.iteration == "whole" or (
            outer is not None and self.loops[outer].iteration == "whole"
        )

    def amount(self, loop: LoopInfo) -> SSAValue:
        """The work of a loop: the whole, a block, up to a diagonal, or 0 in calls without it."""
        calls, amount = loop.calls, self._amount(self.loops[loop.unified_id])
        return (
            amount if calls is None else self.b.select(self.runs_in(calls), amount, self.b.index(0))
        )

    def runs_in(self, calls: Calls) -> SSAValue:
        """Whether this call is one of `calls`."""
        kind = "slt" if calls.below else "sge"
        return self.b.compare_int(kind, self.size(calls.size), self.b.index(calls.bound))

    def _amount(self, whole: LoopInfo) -> SSAValue:
        table = self.loops
        if whole.diagonal is not None:
            return self._up_to(whole, *whole.diagonal)
        if whole.inner_of is None:
            return self.size(whole.work_amount)
        outer = table[whole.inner_of]
        if not whole.dynamic and outer.iteration != "whole":
            return self.size(whole.work_amount)
        around = self.amounts.get(outer.id) or self.amount(outer)
        if outer.iteration != "whole":
            return self.b.op("arith.remui", [around, self.b.index(outer.increment)])
        left = self.b.op("arith.subi", [around, self.counters[outer.id]])
        return self.b.op("arith.minsi", [left, self.size(outer.block)])

    def _up_to(self, loop: LoopInfo, distance: Dim, rows: int) -> SSAValue:
        """The work of `loop` that the current iteration of the loop `rows` needs, or a bit more.

        All loops that end at this diagonal do the same work: a multiple of `unit_of_end`, if it is
        not the whole.
        """
        unit = unit_of_end(loop, self.loops)
        first = self.counters[rows] if rows in self.counters else self.b.index(0)
        beyond = self.size(self.loops[rows].block + distance)
        needed = self.b.op("arith.addi", [first, beyond])
        more = self.b.op("arith.addi", [needed, self.b.index(unit - 1)])
        steps = self.b.op("arith.divui", [more, self.b.index(unit)])
        rounded = self.b.op("arith.muli", [steps, self.b.index(unit)])
        return self.b.op("arith.minsi", [rounded, self.size(loop.work_amount)])

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
        """The part of `amount` that is whole iterations of `loop`."""
        left = self.b.op("arith.remui", [amount, self.b.index(loop.increment)])
        return self.b.op("arith.subi", [amount, left])
