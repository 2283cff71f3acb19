"""The time of a loop iteration on a core, by its instructions and by its longest chain.

    %1 = snippets.tanh %0        35 instructions, of which a chain of 83 cycles depends on %0
    %2 = snippets.tanh %1        another 83 cycles after those

A core begins `issue` vector instructions per cycle, if their operands are ready. Its lookahead is
limited: it fills the waiting time of a chain with `window` instructions of later iterations. So an
iteration of n instructions with a chain of c cycles takes about

    max(n / issue, c * n / (n + window))

cycles: short iterations overlap until only the instructions count, and an iteration with many
instructions takes as long as its chain. If the instructions of k iterations are interleaved, k
chains run side by side in a stream of k * n instructions: `c * n / (k * n + window)` for each.
Values without a register are then stored and loaded, which counts as instructions.

Instructions of rare branches and caches do not count. Source: the interval model of out-of-order
cores (Eyerman, Eeckhout, Karkhanis, Smith 2009), for one kind of interval.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import AnyFloat
from xdsl.ir import Operation, SSAValue

from snippets_mlir.analysis.kernels.cores import Core
from snippets_mlir.dialects.builtin.shaped import tensor_of
from snippets_mlir.dialects.lir.memory import MemoryAccessOp, StoreOp
from snippets_mlir.dialects.snippets.arithmetic import MultiplyOp
from snippets_mlir.dialects.snippets.internal import BitcastOp
from snippets_mlir.dialects.snippets.registry import record_of
from snippets_mlir.dialects.snippets.selection import SelectOp
from snippets_mlir.dialects.snippets.signs import AbsOp, NegativeOp

QUICK = (SelectOp, BitcastOp, AbsOp, NegativeOp)
"""Ops on floats that only move bits."""


def latency_of(op: Operation, core: Core) -> int:
    """The cycles until the result of `op` is available; 1 for bits and integers."""
    if isinstance(op, MemoryAccessOp):
        return 1 if isinstance(op, StoreOp) else core.load
    record = record_of(op.name)
    if record is not None and record.weight > 1:
        return core.division
    values = (*op.operands, *op.results)
    floats = any(isinstance(tensor_of(value).element_type, AnyFloat) for value in values)
    if isinstance(op, MultiplyOp) or (floats and not isinstance(op, QUICK)):
        return core.latency
    return 1


@dataclass(frozen=True)
class Chain:
    """An iteration of a loop.

    Attributes:
        instructions: its vector instructions.
        slots: the same, with slow instructions counted several times.
        path: cycles of its longest chain.
    """

    instructions: int
    slots: float
    path: int

    def cycles(self, core: Core, copies: int = 1, moves: int = 0) -> float:
        """Cycles of an iteration if `copies` iterations are interleaved.

        Args:
            core: its core.
            copies: how many iterations are interleaved.
            moves: stores and loads of values without a register in these.
        """
        busy = (self.slots + moves / copies) / core.issue
        ahead = copies * self.instructions + core.window
        return max(busy, self.path * self.instructions / ahead)


def usual_ops(ops: Sequence[Operation], ends: Iterable[SSAValue]) -> list[Operation]:
    """The ops of a loop that most vectors need, in order, without ops of rare select operands.

    Args:
        ops: the ops between the markers.
        ends: the carried values of the loop.
    """
    pending = [value.owner for value in ends]
    pending += [op for op in ops if isinstance(op, StoreOp)]
    inside, needed = set(ops), set[Operation]()
    while pending:
        op = pending.pop()
        if not isinstance(op, Operation) or op not in inside or op in needed:
            continue
        needed.add(op)
        rare = isinstance(op, SelectOp) and op.rare is not None
        pending += [value.owner for value in (*op.operands[:1], *op.operands[1 + rare :])]
    return [op for op in ops if op in needed]


def chain_of(ops: Sequence[Operation], core: Core, units: Callable[[Operation], int]) -> Chain:
    """The iteration that has these ops; `units` says how many registers one works on."""
    ready: dict[SSAValue, int] = {}
    path, instructions, slots = 0, 0, 0.0
    for op in ops:
        count, record = units(op), record_of(op.name)
        instructions += count
        slots += count * (1 if record is None else record.weight)
        end = max((ready.get(value, 0) for value in op.operands), default=0) + latency_of(op, core)
        ready.update(dict.fromkeys(op.results, end))
        path = max(path, end)
    return Chain(instructions, slots, path)
