"""Facts for the choice of a loop's unroll factor: its ops, registers and dependence chains.

`lir_unroll.py` has the rules; this module changes no kernel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from xdsl.dialects.builtin import i1
from xdsl.ir import Operation

from snippets_mlir.analysis.kernels.connectors import live_ranges
from snippets_mlir.analysis.kernels.cores import Core
from snippets_mlir.analysis.kernels.dependence_chains import chain_of, usual_ops
from snippets_mlir.analysis.kernels.live_ranges import LiveRange, LiveRanges, body_of
from snippets_mlir.analysis.kernels.register_files import RegisterFiles
from snippets_mlir.analysis.kernels.register_pressure import changes_of
from snippets_mlir.dialects.builtin.shaped import tensor_of
from snippets_mlir.dialects.builtin.size_estimates import assumed
from snippets_mlir.dialects.lir.brgemm import IN_ORDER
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.dialects.lir.markers import LoopBeginOp, LoopEndOp
from snippets_mlir.dialects.lir.memory import MemoryAccessOp, StoreOp
from snippets_mlir.dialects.lir.perf_count import PerfCountOp
from snippets_mlir.dialects.lir.pointers import pointer_of
from snippets_mlir.dialects.snippets.internal import FmaOp
from snippets_mlir.passes.lir.repetition import accumulators

FACTORS = (4, 2)
"""The factors to try, best first."""

LEAST_GAIN = 0.9
"""The most of its cycles that an iteration may keep if its ops are in turn with others'.

Unrolled loops that gain nothing take up to 1.1 of the time, because constants are read again.
"""

WORTH = 0.95
"""The most of the cycles with few iterations in turn that more of them may keep."""


@dataclass(frozen=True)
class Body:
    """The facts for the choice of a factor.

    Attributes:
        loop: the loop.
        ops: the number of its ops.
        carried: vector registers of its carried values.
        live: the most vector registers that are live in one place of it, including carried values,
            and constants if instructions cannot broadcast them.
    """

    loop: LoopInfo
    ops: int
    carried: int
    live: int

    def registers(self, factor: int) -> int:
        """The vector registers that the loop takes, unrolled: its copies run one by one."""
        return self.live + (factor - 1) * self.carried


@dataclass(frozen=True)
class Turns:
    """Why the ops of iterations are in turn.

    Attributes:
        factor: the number of iterations.
        alone: cycles of an iteration by itself.
        together: cycles of one iteration in turn.
    """

    factor: int
    alone: float
    together: float

    def __str__(self) -> str:
        return f"their ops in turn, {self.together:.0f} cycles each in place of {self.alone:.0f}"


def has_iterations(loop: LoopInfo, factor: int) -> bool:
    """Whether `loop` has `factor` iterations, if their number is known."""
    return loop.dynamic or assumed(loop.work_amount) >= factor * loop.increment


def plan_factor(body: Body, registers: int, max_ops: int) -> int:
    """The largest factor that `body` has enough iterations, ops and registers for; 1 for none."""
    for factor in FACTORS:
        enough = has_iterations(body.loop, factor) and factor * body.ops <= max_ops
        if enough and body.registers(factor) <= registers:
            return factor
    return 1


def count_ops(ops: Sequence[Operation]) -> int:
    """The number of ops in a loop with markers in `ops`; counters change no decision."""
    return sum(not isinstance(op, PerfCountOp) for op in ops) - 2


def may_take_turns(begin: LoopBeginOp, ops: Sequence[Operation]) -> bool:
    """Whether the ops of several iterations of a loop may be in turn.

    Its carried values have to be sums, separate for each iteration. All reads of buffers and
    outputs come before writes, because an iteration may write what the previous one has still to
    read. Counters have to know whose time they count.
    """
    end = ops[-1]
    assert isinstance(end, LoopEndOp)
    if len(accumulators(begin, end)) != len(begin.values):
        return False
    written = False
    for op in ops:
        if isinstance(op, PerfCountOp):
            return False
        if isinstance(op, StoreOp):
            written = True
        elif written and isinstance(op, MemoryAccessOp) and pointer_of(op)[0] != "array":
            return False
    return True


def adds_in_order(begin: LoopBeginOp, ops: Sequence[Operation]) -> bool:
    """Whether each iteration of a loop adds one term to sums of products, and has no other work."""
    end = ops[-1]
    assert isinstance(end, LoopEndOp)
    if not begin.values or any(isinstance(op, StoreOp) for op in ops):
        return False
    pairs = zip(begin.values, (value.owner for value in end.carried), strict=True)
    return all(
        isinstance(op, Operation)
        and (op.name == FmaOp.name or IN_ORDER in op.attributes)
        and value in op.operands
        for value, op in pairs
    )


class Bodies:
    """Describes loops of a kernel; its live ranges are computed only if one of them may fit."""

    def __init__(self, kernel: KernelOp, files: RegisterFiles, core: Core) -> None:
        self.kernel = kernel
        self.files = files
        self.core = core
        self._lives: LiveRanges | None = None

    @property
    def lives(self) -> LiveRanges:
        """The live ranges of the kernel's values."""
        if self._lives is None:
            self._lives = live_ranges(body_of(self.kernel), self.files)
        return self._lives

    def of(self, begin: LoopBeginOp, loop: LoopInfo, ops: Sequence[Operation]) -> Body:
        """The body of a loop; `ops` are its ops, including markers."""
        lives = self.lives
        first, last = lives.position[ops[0]], lives.position[ops[-1]]
        most = max(accumulate(changes_of(lives.ranges, "vec", first, last)))
        if not self.files.masks:
            most += sum(
                r.immediate and any(first < at < last for at in r.uses) for r in lives.ranges
            )
        carried = sum(lives.of[value].units for value in begin.values)
        return Body(loop, count_ops(ops), carried, most)

    def waits(self, ops: Sequence[Operation]) -> bool:
        """Whether an iteration with these ops takes no longer than one float op's result."""
        return count_ops(ops) <= self.core.latency * self.core.issue

    def fill(self, begin: LoopBeginOp) -> bool:
        """Whether the carried values of two iterations take all registers: no factor is possible.

        `of` finds the same, but needs live ranges.
        """
        carried = sum(tensor_of(value).element_type != i1 for value in begin.values)
        return FACTORS[-1] * carried > self.files.vectors

    def turns(self, loop: LoopInfo, ops: Sequence[Operation], max_ops: int) -> Turns | None:
        """The best number of iterations in turn; None if that gains too little."""
        usual = usual_ops(ops[1:-1], ops[-1].operands)
        chain = chain_of(usual, self.core, lambda _: 1)  # more registers each: less to gain
        if chain.cycles(self.core, FACTORS[0]) > LEAST_GAIN * chain.cycles(self.core):
            return None
        chain = chain_of(usual, self.core, self._units)
        alone = chain.cycles(self.core)
        best = Turns(1, alone, LEAST_GAIN / WORTH * alone)
        for factor in reversed(FACTORS):
            if has_iterations(loop, factor) and factor * count_ops(ops) <= max_ops:
                cycles = chain.cycles(self.core, factor, self._moves(ops, factor))
                if cycles <= WORTH * best.together:
                    best = Turns(factor, alone, cycles)
        return best if best.factor > 1 else None

    def _units(self, op: Operation) -> int:
        """The registers of the values that an op computes or stores."""
        values = op.operands if isinstance(op, StoreOp) else op.results
        return self.lives.of[values[0]].units

    def _moves(self, ops: Sequence[Operation], factor: int) -> int:
        """Stores and loads of values without a register if `factor` iterations are in turn.

        A value has none if more are live than before, and than there are registers.
        """
        first, last = (self.lives.position[op] for op in (ops[0], ops[-1]))
        found = 0
        for file in ("vec", "mask"):
            inside = [r for r in self.lives.ranges if _is_inside(r, first, last)]
            around = [r for r in self.lives.ranges if not _is_inside(r, first, last)]
            own, shared = (
                accumulate(changes_of(ranges, file, first, last)) for ranges in (inside, around)
            )
            size = self.files.size(file)
            without = [
                max(0, factor * a + b - size) if size else 0
                for a, b in zip(own, shared, strict=True)
            ]
            found += 2 * sum(max(0, after - before) for before, after in pairwise([0, *without]))
        return found


def _is_inside(r: LiveRange, first: int, last: int) -> bool:
    """Whether each iteration of the loop from `first` to `last` has its own value."""
    return r.carried or first < r.start < last
