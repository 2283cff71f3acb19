"""Emission of what kernels carry for those who look into them: counters.

A begin reads the clock, an end reads it again and adds a call and the difference to the row of the
thread (`dialects/lir/perf_count.py`):

    %t0 = llvm.call_intrinsic "llvm.readcyclecounter"() : () -> i64
    ...
    %t1 = llvm.call_intrinsic "llvm.readcyclecounter"() : () -> i64
    %ticks = arith.subi %t1, %t0 : i64

The monotonic clock is `clock_gettime` of the C library, which writes seconds and nanoseconds to the
end of the row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import i32, i64
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.dialects.llvm import CallIntrinsicOp, LLVMPointerType
from xdsl.ir import Operation, SSAValue

from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.perf_count import (
    PerfCountBeginOp,
    PerfCountEndOp,
    counters_of,
)
from snippets_mlir.passes.lowering.kernel_emission import KernelEmission
from snippets_mlir.targets.emitters.vector_builder import VectorBuilder

CLOCK_FUNCTION = "clock_gettime"
_MONOTONIC = 1
"""CLOCK_MONOTONIC of Linux."""
_WORD = 8


def clock_declaration() -> FuncOp:
    """The declaration of the C library's clock."""
    return FuncOp.external(CLOCK_FUNCTION, [i32, LLVMPointerType()], [i32])


def needs_clock(kernel: KernelOp) -> bool:
    """Whether the kernel calls the clock of the C library."""
    return any(counter.clock == "monotonic" for counter in counters_of(kernel).values())


class DebugEmission(KernelEmission):
    """Appends the body of a kernel that has counters.

    `counters` points to the row of the thread.
    """

    def __init__(
        self,
        kernel: KernelOp,
        builder: VectorBuilder,
        arrays: Sequence[SSAValue],
        bounds: tuple[SSAValue, SSAValue],
        scratch: SSAValue | None,
        symbols: Mapping[int, SSAValue] | None,
        counters: SSAValue,
    ) -> None:
        super().__init__(kernel, builder, arrays, bounds, scratch, symbols)
        self._counters = counters
        self._places = {number: place for place, number in enumerate(counters_of(kernel))}
        self._clocks = {number: about.clock for number, about in counters_of(kernel).items()}
        self._started: dict[int, list[SSAValue]] = {}

    def emit(self, op: Operation) -> None:
        """Emit an op that is not a loop marker."""
        match op:
            case PerfCountBeginOp():
                self._started.setdefault(op.id, []).append(self._now(op.id))
            case PerfCountEndOp():
                ticks = self.b.op("arith.subi", [self._now(op.id), self._started[op.id].pop()])
                place = 2 * self._places[op.id]
                self._add(place, self.b.index(1))
                self._add(place + 1, ticks)
            case _:
                super().emit(op)

    def _word(self, index: int) -> SSAValue:
        return self.b.pointer_offset(self._counters, i64, index)

    def _add(self, index: int, amount: SSAValue) -> None:
        word = self._word(index)
        total = self.b.op("arith.addi", [self.b.load(word, i64, _WORD), amount])
        self.b.store(total, word, _WORD)

    def _now(self, counter: int) -> SSAValue:
        """The clock of a counter: cycles, or nanoseconds."""
        b = self.b
        if self._clocks[counter] == "rdtsc":
            op = CallIntrinsicOp("llvm.readcyclecounter", [], [i64])
            b.append(op)
            return op.results[0]
        seconds = 2 * len(self._places)
        number = b.constant(_MONOTONIC, i32)
        b.append(CallOp(CLOCK_FUNCTION, [number, self._word(seconds)], [i32]))
        whole = b.load(self._word(seconds), i64, _WORD)
        rest = b.load(self._word(seconds + 1), i64, _WORD)
        return b.op("arith.addi", [b.op("arith.muli", [whole, b.index(10**9)]), rest])
