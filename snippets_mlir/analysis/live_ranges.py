"""Where the values of a `lir.kernel` live, and how many registers that takes.

Positions are the places of the kernel's ops, from 0. A value lives from its definition to its last
use, both included: no register is free at the op that reads it last. A value that is defined before
a loop and used in it lives to the loop's end, for the next iteration reads it again.

What a loop carries is one *connector*: the initial value, the block's value, the next and the final
one are a single register, pinned from the first to the last of them, as long as no two of them live
at one time. Where they do (one neutral element begins two accumulators; two values change places) a
copy is needed, and `LiveRanges.copies` names the operand of the marker.

Arrays live in memory and are reached through pointers; `lir.scalar`s are immediates, which have no
register until one is left over. Source: the design guide's InitLiveRanges (reference 2.28), whose
intervals are inclusive, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TypeAlias

from xdsl.dialects.builtin import FixedBitwidthType, i1
from xdsl.ir import Attribute, Operation, OpResult, SSAValue

from snippets_mlir.analysis.register_files import RegisterFiles
from snippets_mlir.diagnostics import position_of
from snippets_mlir.dialects.lir.access import VIEWS, output_ports, ports
from snippets_mlir.dialects.lir.attributes import PortDescriptor
from snippets_mlir.dialects.lir.buffer import BufferOp
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.markers import LoopBeginOp, LoopEndOp, LoopMarkerOp
from snippets_mlir.dialects.lir.memory import ResultOp, StoreOp
from snippets_mlir.dialects.lir.registers import location
from snippets_mlir.dialects.snippets.base import tensor_of
from snippets_mlir.dialects.snippets.constants import ScalarOp
from snippets_mlir.errors import CompileError

Marker: TypeAlias = LoopBeginOp | LoopEndOp


@dataclass(eq=False)
class LiveRange:
    """What one register, or a few side by side, hold: a value or a connector.

    Attributes:
        name: "vec0", "vec1", "mask0", ... in the order of their starts.
        file: "vec" or "mask".
        units: registers of the file that it takes.
        bytes: size of a value in memory.
        start: position of the first definition.
        end: position of the last use, in a loop that of the loop's end.
        values: the values, in order.
        immediate: whether it is a scalar, which needs no register.
    """

    name: str
    file: str
    units: int
    bytes: int
    start: int
    end: int
    values: list[SSAValue]
    immediate: bool = False


@dataclass(eq=False)
class LiveRanges:
    """All live ranges of a kernel.

    Attributes:
        ranges: by start.
        of: the range of each value.
        position: of each op.
        around: for each position the begin markers of the loops around, outermost first.
        ends: the position of each loop's end, by that of its begin.
        copies: markers and operand indices that need a copy of the operand.
    """

    ranges: list[LiveRange]
    of: dict[SSAValue, LiveRange]
    position: dict[Operation, int]
    around: list[tuple[int, ...]]
    ends: dict[int, int]
    copies: list[tuple[Marker, int]]


_MEMORY = VIEWS | {StoreOp.name, BufferOp.name}
"""Ops whose results are memory."""

_ASIDE = VIEWS | {ResultOp.name, BufferOp.name}
"""Ops that stand for memory and read no value where they are."""


def holds_value(value: SSAValue) -> bool:
    """Whether `value` is in a register: not an array, a view of one, or a piece of memory."""
    return isinstance(value, OpResult) and value.op.name not in _MEMORY


def port_of(value: SSAValue) -> PortDescriptor:
    """The port of a value; that of a loop's carried value is the port of the initial one."""
    while isinstance(value, OpResult) and isinstance(value.op, LoopMarkerOp):
        if ports(value.op):
            break
        value = value.op.operands[value.index]
    assert isinstance(value, OpResult)
    return output_ports(value.op)[value.index]


def nesting(ops: Sequence[Operation]) -> tuple[list[tuple[int, ...]], dict[int, int]]:
    """For each op the positions of the begin markers around it, and where the loops end.

    Markers themselves are outside of their loop.
    """
    around: list[tuple[int, ...]] = []
    ends: dict[int, int] = {}
    path: list[int] = []
    for position, op in enumerate(ops):
        if isinstance(op, LoopEndOp):
            ends[path.pop()] = position
        around.append(tuple(path))
        if isinstance(op, LoopBeginOp):
            path.append(position)
    return around, ends


def extended(
    use: tuple[int, ...], defined: tuple[int, ...], ends: Mapping[int, int], at: int
) -> int:
    """The end of a life with a use at `at`: the end of the outermost loop that the use alone is in.

    Args:
        use: the loops around the use.
        defined: the loops around the definition.
        ends: where loops end.
        at: the position of the use.
    """
    return ends[use[len(defined)]] if len(use) > len(defined) else at


@dataclass
class _Builder:
    """Collects intervals of values, and joins those that the markers tie together."""

    ops: list[Operation]
    files: RegisterFiles
    position: dict[Operation, int] = field(init=False)
    intervals: dict[SSAValue, tuple[int, int]] = field(init=False)
    classes: dict[SSAValue, list[SSAValue]] = field(init=False)

    def __post_init__(self) -> None:
        self.position = {op: i for i, op in enumerate(self.ops)}
        self.around, self.ends = nesting(self.ops)
        self.begins = {op.id: i for i, op in enumerate(self.ops) if isinstance(op, LoopBeginOp)}
        self.intervals = {
            value: (start, self._end(value, start))
            for start, op in enumerate(self.ops)
            for value in op.results
            if holds_value(value)
        }
        self.classes = {value: [value] for value in self.intervals}

    def _end(self, value: SSAValue, start: int) -> int:
        owner = self.ops[start]
        defined = self.around[start]
        if isinstance(owner, LoopBeginOp):
            defined = (*defined, start)
        end = start
        for use in value.uses:
            user = use.operation
            if user.name in _ASIDE:
                continue
            at = self.position[user]
            loops = self.around[at]
            if isinstance(user, LoopEndOp):
                loops = (*loops, self.begins[user.id])
            end = max(end, extended(loops, defined, self.ends, at))
        return end

    def tie(self) -> list[tuple[Marker, int]]:
        """Join what loops carry; returns the operands of markers that need a copy."""
        copies: list[tuple[Marker, int]] = []
        ends = {op.id: op for op in self.ops if isinstance(op, LoopEndOp)}
        pairs = [(op, ends[op.id]) for op in self.ops if isinstance(op, LoopBeginOp) and op.values]
        for begin, end in pairs:
            for inside, final in zip(begin.values, end.values, strict=True):
                self._join(inside, final)
        for begin, end in reversed(pairs):
            for marker in (end, begin):
                for index, (taken, given) in enumerate(
                    zip(marker.carried, marker.values, strict=True)
                ):
                    if not self._compatible(taken, given):
                        copies.append((marker, index))
                    else:
                        self._join(taken, given)
        return copies

    def join_named(self) -> list[tuple[Marker, int]]:
        """Join the values of one abstract register; nothing needs a copy then."""
        first: dict[str, SSAValue] = {}
        for value in self.intervals:
            assert isinstance(value, OpResult)
            given = output_ports(value.op)
            found = location(given[value.index].register) if given else None
            if found is None or found.abstract is None:
                raise CompileError(
                    f"expected the ports of {value.op.name} to name abstract registers, found "
                    f"{'none' if found is None else given[value.index].register}; "
                    "run lir-init-live-ranges first",
                    **position_of(value.op),
                )
            self._join(first.setdefault(found.abstract, value), value)
        return []

    def _join(self, a: SSAValue, b: SSAValue) -> None:
        first, second = self.classes[a], self.classes[b]
        if first is not second:
            first += second
            for value in second:
                self.classes[value] = first

    def _compatible(self, a: SSAValue, b: SSAValue) -> bool:
        """Whether two connectors can be one: no two of their values live at one time."""
        if isinstance(a.owner, ScalarOp):
            return False
        first, second = self.classes[a], self.classes[b]
        return first is second or not any(
            _overlap(self.intervals[x], self.intervals[y]) for x in first for y in second
        )

    def ranges(self) -> list[LiveRange]:
        """One range for each connector, by start."""
        made: list[LiveRange] = []
        seen: set[int] = set()
        counts = {"vec": 0, "mask": 0}
        for value in self.intervals:
            members = self.classes[value]
            if id(members) in seen:
                continue
            seen.add(id(members))
            start = min(self.intervals[v][0] for v in members)
            end = max(self.intervals[v][1] for v in members)
            immediate = isinstance(value.owner, ScalarOp)
            file, units, size = _room(value, self.files)
            name = f"{file}{counts[file]}"
            counts[file] += 1
            members = sorted(members, key=lambda v: self.intervals[v])
            made.append(LiveRange(name, file, units, size, start, end, members, immediate))
        return made


def _overlap(a: tuple[int, int], b: tuple[int, int]) -> bool:
    """Whether two lives overlap; one may begin at the op that ends the other."""
    return a[0] == b[0] or (a[0] < b[1] and b[0] < a[1])


def _room(value: SSAValue, files: RegisterFiles) -> tuple[str, int, int]:
    """File, number of registers, and bytes in memory of a value."""
    scalar = isinstance(value.owner, ScalarOp)
    lanes = files.vector_bits // 32 if scalar else port_of(value).lanes
    return _room_of(tensor_of(value).element_type, lanes, files)


@cache
def _room_of(element: Attribute, lanes: int, files: RegisterFiles) -> tuple[str, int, int]:
    assert isinstance(element, FixedBitwidthType)
    if element == i1:
        return ("mask" if files.masks else "vec"), 1, lanes
    return "vec", -(-lanes * element.bitwidth // files.vector_bits), lanes * element.size


def live_ranges(kernel: KernelOp, files: RegisterFiles, *, named: bool = False) -> LiveRanges:
    """The live ranges of the values of a kernel with markers.

    Args:
        kernel: at stage `looped` or later.
        files: the target's register files.
        named: whether connectors are what the ports say: values of one abstract register.

    Raises:
        CompileError: `named`, and a port names no abstract register.
    """
    builder = _Builder(list(kernel.block.ops), files)
    copies = builder.join_named() if named else builder.tie()
    ranges = builder.ranges()
    of = {value: r for r in ranges for value in r.values}
    return LiveRanges(ranges, of, builder.position, builder.around, builder.ends, copies)


@dataclass(frozen=True)
class Pressure:
    """The most registers that live values take at one place.

    Attributes:
        vectors: in the vector file.
        masks: in the mask file; 0 on machines that have none.
    """

    vectors: int
    masks: int

    def fits(self, files: RegisterFiles) -> bool:
        """Whether no value has to leave its register."""
        return self.vectors <= files.vectors and self.masks <= files.masks


def pressure(
    kernel: KernelOp, files: RegisterFiles, auxiliary: Mapping[str, int] | None = None
) -> Pressure:
    """The largest number of registers that are live at one place of `kernel`.

    Scalars are not counted: each use of one is an immediate where no register is left for it.

    Args:
        kernel: at stage `looped` or later.
        files: the target's register files.
        auxiliary: vector registers that the emitter of an op needs besides operands and result.
    """
    lives = live_ranges(kernel, files)
    changes = {file: [0] * (len(lives.position) + 1) for file in ("vec", "mask")}
    for r in lives.ranges:
        if not r.immediate:
            changes[r.file][r.start] += r.units
            changes[r.file][r.end + 1] -= r.units
    for op, position in lives.position.items():
        if auxiliary and (count := auxiliary.get(op.name, 0)):
            changes["vec"][position] += count
            changes["vec"][position + 1] -= count
    most = {"vec": 0, "mask": 0}
    for file, steps in changes.items():
        live = 0
        for step in steps:
            live += step
            most[file] = max(most[file], live)
    return Pressure(most["vec"], most["mask"])


def live_sets(lives: LiveRanges) -> list[list[LiveRange]]:
    """For each position what lives there, scalars aside, by start."""
    sets: list[list[LiveRange]] = [[] for _ in lives.position]
    for r in lives.ranges:
        if not r.immediate:
            for position in range(r.start, r.end + 1):
                sets[position].append(r)
    return sets
