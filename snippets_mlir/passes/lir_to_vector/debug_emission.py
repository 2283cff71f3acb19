"""Emission of the debugging aids of kernels: counters, and the segfault detector.

A begin reads the clock. An end reads it again, and adds a call and the difference to the row of the
thread (`dialects/lir/perf_count.py`):

    %t0 = llvm.call_intrinsic "llvm.readcyclecounter"() : () -> i64
    ...
    %t1 = llvm.call_intrinsic "llvm.readcyclecounter"() : () -> i64
    %ticks = arith.subi %t1, %t0 : i64

A volatile store writes the result of the op before an end to the row before the clock is read:
otherwise LLVM would compute it where it is needed. The monotonic clock is `clock_gettime` of the C
library, which writes seconds and nanoseconds to the row.

An access with a site first writes the counters of its loops to the thread's record
(`dialects/lir/sites.py`), then the site and the address. A fence keeps LLVM from moving ops across:

    llvm.store %site, %number.p
    llvm.store %address, %address.p
    llvm.fence seq_cst
    %v = llvm.load %p
"""

from __future__ import annotations

from xdsl.dialects.builtin import i1, i8, i32, i64
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.dialects.llvm import CallIntrinsicOp, LLVMPointerType
from xdsl.ir import Operation, SSAValue

from snippets_mlir.dialects.builtin.dims import static_size
from snippets_mlir.dialects.builtin.shaped import byte_width
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.loop_tree import Loop, loop_name
from snippets_mlir.dialects.lir.memory import MemoryAccessOp
from snippets_mlir.dialects.lir.perf_count import (
    CLOCK_WORDS,
    VALUE_WORDS,
    PerfCountBeginOp,
    PerfCountEndOp,
    counters_of,
)
from snippets_mlir.dialects.lir.sites import ADDRESS, FIRST_LOOP, MAX_LOOPS, NUMBER, THREAD, site_of
from snippets_mlir.dialects.llvm.masked import FenceOp
from snippets_mlir.dialects.llvm.memory import StoreOp
from snippets_mlir.passes.lir_to_vector.kernel_emission import KernelEmission
from snippets_mlir.passes.lir_to_vector.kernel_values import Given
from snippets_mlir.targets.emitters.arith_builder import element_of, lanes_of, vector_type
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


def note(b: VectorBuilder, record: SSAValue, word: int, value: SSAValue) -> None:
    """Store an integer to a word of a record."""
    b.store(value, b.pointer_offset(record, i64, word), _WORD)


def enter_thread(b: VectorBuilder, record: SSAValue) -> None:
    """Record the thread that runs the kernel for the segfault detector."""
    thread = CallIntrinsicOp("llvm.thread.pointer.p0", [], [LLVMPointerType()])
    b.append(thread)
    note(b, record, THREAD, b.make("llvm.ptrtoint", [thread.results[0]], [i64]).results[0])
    b.append(FenceOp("seq_cst"))


def leave_thread(b: VectorBuilder, record: SSAValue) -> None:
    """Record that the kernel is done."""
    b.append(FenceOp("seq_cst"))
    note(b, record, THREAD, b.index(0))


class DebugEmission(KernelEmission):
    """Appends the body of a kernel that has counters, sites, or both.

    Attributes:
        sites: the site of each access emitted so far that has one, then the names of its loops.
    """

    def __init__(
        self,
        given: Given,
        counters: SSAValue | None,
        record: SSAValue | None,
    ) -> None:
        """`counters` points to the thread's row, `record` to its record; None if there is none."""
        super().__init__(given)
        self._counters = counters
        self._record = record
        self.sites: list[list[str]] = []
        self._loop_names: list[str] = []
        self._places = {number: place for place, number in enumerate(counters_of(given.kernel))}
        self._clocks = {number: about.clock for number, about in counters_of(given.kernel).items()}
        self._started: dict[int, list[SSAValue]] = {}

    def emit(self, op: Operation) -> None:
        """Emit an op that is not a loop marker."""
        match op:
            case PerfCountBeginOp():
                self._started.setdefault(op.id, []).append(self._now(op.id))
            case PerfCountEndOp():
                self._settle(op.prev_op)
                ticks = self.b.op("arith.subi", [self._now(op.id), self._started[op.id].pop()])
                place = 2 * self._places[op.id]
                self._add(place, self.b.index(1))
                self._add(place + 1, ticks)
            case _:
                super().emit(op)

    def _settle(self, op: Operation | None) -> None:
        """Store the result of an op, so that its time is before the next ops."""
        if op is None or len(op.results) != 1 or op.results[0] not in self.values:
            return
        value = self.values[op.results[0]]
        lanes, element = lanes_of(value), element_of(value)
        if element == i1:
            value, element = self.b.op("arith.extui", [value], vector_type(i8, lanes)), i8
        size = byte_width(element)
        if lanes * size <= VALUE_WORDS * _WORD:
            place = self._word(2 * len(self._places) + CLOCK_WORDS)
            self.b.append(StoreOp(value, place, alignment=size, volatile=True))

    def address(self, access: MemoryAccessOp) -> SSAValue:
        """The address of an access, which is first written to its record."""
        pointer = super().address(access)
        if (site := site_of(access)) is not None and self._record is not None:
            b = self.b
            self.sites.append([site, *self._loop_names])
            note(b, self._record, NUMBER, b.index(len(self.sites)))
            note(b, self._record, ADDRESS, b.make("llvm.ptrtoint", [pointer], [i64]).results[0])
            b.append(FenceOp("seq_cst"))
        return pointer

    def _items(self, loop: Loop) -> None:
        """Emit the ops of a loop; its counter goes to the record."""
        if self._record is None or len(self._loop_names) == MAX_LOOPS:
            super()._items(loop)
            return
        place = FIRST_LOOP + len(self._loop_names)
        note(self.b, self._record, place, self._counter(loop))
        self._loop_names.append(loop_name([loop]))
        super()._items(loop)
        self._loop_names.pop()

    def _counter(self, loop: Loop) -> SSAValue:
        """The counter of the emitted iteration; the begin of its part if there is none."""
        arguments = self.b.block.args
        counted = loop.info.dynamic or not loop.info.evaluated_once
        if counted and arguments and arguments[0].type == i64:
            return arguments[0]
        whole = self.loops[loop.info.unified_id]
        last = loop.info.iteration == "last" and not loop.info.dynamic
        return self.b.index(static_size(whole.work_amount) - whole.tail if last else 0)

    def _word(self, index: int) -> SSAValue:
        assert self._counters is not None
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
