"""Unroll innermost loops: run several iterations in one, each with its own accumulators.

    #lir.loop<1, work 1000, inc 8, dim 0>       #lir.loop<2, work 992, inc 32, dim 0, unrolled of 1>
                                                #lir.loop<3, work 8, inc 8, dim 0, main of 1>
    %c = lir.loop_begin 1 (%i)                  %c, %d, ... = lir.loop_begin 2 (%i, %i, ...)
    %x = lir.load %a {count = 8}                %x = lir.load %a {count = 8}
    %n = snippets.add %c, %x           becomes  %n = snippets.add %c, %x
    %s = lir.loop_end 1 (%n)                    %y = lir.load %a {count = 8, offset = 8}
                                                %m = snippets.add %d, %y
                                                ...

The remainder runs in a second part, one iteration at a time, unless there cannot be one.
lir-insert-specific-iterations adds its tail. Accumulators are combined in pairs after both parts.
With `factor=0` a loop gets the largest factor of 4 and 2

* that it has enough iterations for, if their number is known,
* that leaves it at most `max-carrying-ops` ops if it carries values, else `max-ops`, because a
  longer body hides its latencies by itself, and takes longer to compile,
* and under which all live vectors have a register. On machines whose instructions cannot broadcast
  a constant from memory (those without mask registers), the constants that the loop reads need one,
  too: LLVM keeps them in registers across the loop, and spills others for them.

Sums of products stay in the order of their terms. If a core computes the ops of an iteration while
it waits for the sums of the previous one, more iterations in one gain nothing, and the loop stays.

A body with more ops is unrolled by 4 or 2 if it is one long dependence chain, such as several
consecutive tanh: a core does not look far enough ahead to begin the next iteration while it waits.
So the ops of the iterations are *in turn*: each op of the first iteration, then of the second, ...,
before the next op:

    %x = lir.load %a {count = 8}                %x = lir.load %a {count = 8}
    %n = snippets.exp %x                        %y = lir.load %a {count = 8, offset = 8}
    %m = snippets.exp %n               becomes  %n = snippets.exp %x
                                                %o = snippets.exp %y
                                                %m = snippets.exp %n
                                                %p = snippets.exp %o

`analysis/kernels/dependence_chains.py` estimates the cycles of an iteration from the target's core
and the values without a register. The new estimate has to be at most 0.9 of the old one, and the
loop may have at most `max-turn-ops` ops. Such a loop carries only accumulators, and has no
counters. It reads no buffer or output after a store: an iteration could overwrite what the previous
one has still to read.

Other loops whose stores may bypass the caches wait for memory and stay. With another factor every
innermost loop with enough iterations gets it, one iteration after another. Refuses no kernel; loops
of a nest of parallel loops, parts of loops, and loops with handlers of their parts stay.

Sums of floats are in another order than before: in a block of 256 vectors, a lane of each of four
accumulators adds 64 terms, so the bound of lir-split-loops holds. Source: the design document's
rule that registers bound the factor; handwritten kernels have four accumulators for each reduction.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from typing_extensions import override
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from snippets_mlir.dialects.lir.access import loop_ids
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.dialects.lir.markers import LoopBeginOp, LoopEndOp
from snippets_mlir.dialects.lir.memory import StoreOp
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.effects import REASSOCIATES, Effect
from snippets_mlir.passes.lir.kernel_passes import KernelPlanPass
from snippets_mlir.passes.lir.loop_copies import loop_body
from snippets_mlir.passes.lir.loop_unrolling import may_leave, unroll
from snippets_mlir.passes.lir.repetition import Unrolling
from snippets_mlir.passes.lir.unrolled_bodies import (
    FACTORS,
    Bodies,
    Turns,
    adds_in_order,
    count_ops,
    has_iterations,
    may_take_turns,
    plan_factor,
)
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.walking import module_of
from snippets_mlir.targets.attributes import machine_of

STREAMS = "nontemporal"
"""The prefix of the attributes of a store that may bypass the caches."""


def innermost(kernel: KernelOp) -> list[LoopBeginOp]:
    """The loops that have no other loop inside, in order."""
    found: list[LoopBeginOp] = []
    last: LoopBeginOp | None = None
    for op in kernel.block.ops:
        if op.name == LoopBeginOp.name:
            assert isinstance(op, LoopBeginOp)
            last = op
        elif op.name == LoopEndOp.name:
            if last is not None:
                found.append(last)
            last = None
    return found


def _streams(op: Operation) -> bool:
    """Whether `op` is a store that may bypass the caches."""
    return op.name == StoreOp.name and any(
        name.startswith(STREAMS) for name in (*op.properties, *op.attributes)
    )


@dataclass(frozen=True)
class Unrollings:
    """The loops of a kernel that are unrolled."""

    loops: tuple[Unrolling, ...]

    def __str__(self) -> str:
        return "\n".join(map(str, self.loops)) or "no loop is unrolled"


@dataclass(frozen=True)
class LirUnrollPass(KernelPlanPass[Unrollings]):
    """Unroll innermost loops."""

    name = "lir-unroll"
    STAGES: ClassVar[Stages] = Stages(("looped",))
    EFFECT: ClassVar[Effect] = REASSOCIATES

    factor: int = 0
    max_ops: int = 32
    max_carrying_ops: int = 64
    max_turn_ops: int = 2048

    @override
    def units(self, module: ModuleOp) -> Iterable[KernelOp]:
        if self.factor < 0 or self.factor > 16 or self.factor & (self.factor - 1):
            raise CompileError(
                f"expected a factor of 0 (chosen), 1, 2, 4, 8 or 16, found {self.factor}"
            )
        if self.max_turn_ops < 0:
            raise CompileError(f"expected max-turn-ops of 0 or more, found {self.max_turn_ops}")
        return super().units(module)

    def choose(
        self, bodies: Bodies, begin: LoopBeginOp, loop: LoopInfo
    ) -> tuple[int, Turns | None]:
        """The factor of a loop, 1 to leave it, and why its iterations are in turn."""
        ops = loop_body(begin)
        nested = loop.parallel and any(len(loop_ids(op)) > 1 for op in ops[1:-1])
        if nested or loop.iteration != "unified" or loop.handlers:
            return 1, None
        if self.factor:
            return self.factor if has_iterations(loop, self.factor) else 1, None
        limit = self.max_carrying_ops if begin.values else self.max_ops
        if FACTORS[-1] * count_ops(ops) <= limit and not any(map(_streams, ops)):
            if (adds_in_order(begin, ops) and bodies.waits(ops)) or bodies.fill(begin):
                return 1, None
            factor = plan_factor(bodies.of(begin, loop, ops), bodies.files.vectors, limit)
            return factor, None
        turns = None
        if may_take_turns(begin, ops):
            turns = bodies.turns(loop, ops, self.max_turn_ops)
        return 1 if turns is None else turns.factor, turns

    def plan(self, unit: KernelOp) -> Unrollings:
        """The factor of each innermost loop that has one."""
        table = unit.loop_table
        machine = machine_of(module_of(unit))
        bodies = Bodies(unit, machine.register_files, machine.core)
        found: list[Unrolling] = []
        for begin in innermost(unit):
            loop = table[begin.id]
            factor, turns = self.choose(bodies, begin, loop)
            if factor > 1:
                rest = may_leave(loop, factor * loop.increment, table)
                found.append(Unrolling(loop, factor, rest, turns))
        return Unrollings(tuple(found))

    @override
    def carry_out(self, unit: KernelOp, plan: Unrollings) -> None:
        if plan.loops:
            table, begins = unit.loop_table, {begin.id: begin for begin in innermost(unit)}
            for unrolling in plan.loops:
                unroll(begins[unrolling.loop.id], unrolling, table)
            unit.set_loops(list(table.values()))
