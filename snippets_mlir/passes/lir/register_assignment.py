"""Plan the register of each value, pointer and counter of a kernel, for lir-assign-registers.

The pointers come first: a broadcast load is not computed again if its pointer is in memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from xdsl.ir import Operation

from snippets_mlir.analysis.kernels.connectors import live_ranges
from snippets_mlir.analysis.kernels.live_ranges import LiveRange, LiveRanges, body_of
from snippets_mlir.analysis.kernels.pointer_ranges import PointerRange
from snippets_mlir.analysis.kernels.register_files import RegisterFiles
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.markers import MARKERS, LoopBeginOp
from snippets_mlir.dialects.lir.registers import AGAIN
from snippets_mlir.passes.lir.linear_scan import Interval, Plan, plan_file
from snippets_mlir.passes.lir.register_needs import (
    auxiliary_intervals,
    named_pointers,
    pointer_interval,
    value_interval,
    weights_of,
)
from snippets_mlir.passes.lir.register_ports import Naming, naming
from snippets_mlir.passes.lir.register_slots import Slots
from snippets_mlir.targets.emitters.table import EmitterTable

Auxiliary = dict[str, dict[Operation, Interval]]
"""By file: the registers that an op's code needs besides operands and result."""


@dataclass(frozen=True)
class Assignment:
    """The registers to write on the ports of a kernel.

    Attributes:
        registers: for each abstract register its place: in registers, in a slot, computed again.
        naming: the registers of each op.
        auxiliary: registers besides operands and result, by the places of their ops.
    """

    registers: tuple[tuple[str, str], ...]
    naming: Naming
    auxiliary: tuple[tuple[int, str], ...]

    def __str__(self) -> str:
        lines = [f"{name}: {found}" for name, found in self.registers]
        lines += [f"op {place} takes {names} besides" for place, names in self.auxiliary]
        return "\n".join(lines) or "no registers"


@dataclass
class _Values:
    """The registers of values.

    Attributes:
        lives: the live ranges.
        intervals: of each planned range.
        plans: by file.
        slots: of spilled values.
    """

    lives: LiveRanges
    intervals: dict[LiveRange, Interval]
    plans: dict[str, Plan]
    slots: Slots

    def whole(self) -> dict[LiveRange, str]:
        """The registers of values that are not spilled."""
        found: dict[LiveRange, str] = {}
        for r, interval in self.intervals.items():
            registers = self.plans[r.file].whole.get(interval)
            if registers is not None:
                found[r] = _names(r.file, registers)
        return found

    def elsewhere(self, r: LiveRange, at: int, marker: bool, defines: bool) -> str:
        """The place of a spilled value; "" for a scalar, which is an immediate."""
        if r.immediate:
            return ""
        interval, plan = self.intervals[r], self.plans[r.file]
        return _left_text(plan, interval, r.file, at, self.slots, marker, defines)

    def rows(self, whole: Mapping[LiveRange, str]) -> Iterator[tuple[str | None, ...]]:
        """The register texts of each op's operands and results."""
        body = self.lives.body
        for at, (op, operands, row) in enumerate(
            zip(body.ops, body.operands, self.lives.rows, strict=True)
        ):
            yield tuple(
                [
                    r
                    and (
                        whole.get(r)
                        or self.elsewhere(r, at, op.name in MARKERS, index >= len(operands))
                    )
                    for index, r in enumerate(row)
                ]
            )


def _left_text(
    plan: Plan,
    interval: Interval,
    file: str,
    position: int,
    slots: Slots,
    marker: bool,
    defines: bool,
) -> str:
    """The place of a spilled interval, for the op at `position`."""
    again = plan.left[interval]
    if again and defines:
        return AGAIN
    place = AGAIN if again else f"slot{slots.of[interval]}"
    registers = None if marker else plan.at.get((interval, position))
    return place if registers is None else f"{_names(file, registers)}/{place}"


def _names(file: str, registers: tuple[int, ...]) -> str:
    return "+".join([f"{file}{register}" for register in registers])


def _plan_values(
    lives: LiveRanges,
    files: RegisterFiles,
    weights: Sequence[float],
    slots: Slots,
    in_memory: frozenset[Operation],
    auxiliary: Auxiliary,
) -> _Values:
    count = len(lives.position)
    intervals = {r: value_interval(r, lives, weights, in_memory) for r in lives.ranges}
    plans: dict[str, Plan] = {}
    for file in ("vec", "mask"):
        own = [r for r in lives.ranges if r.file == file]
        needs = [intervals[r] for r in own if not r.immediate]
        extra = [intervals[r] for r in own if r.immediate]
        needs += auxiliary[file].values()
        plans[file] = plan = plan_file(needs, files.size(file), count, extra)
        for r in own if plan.left else ():
            if plan.left.get(intervals[r]) is False:
                slots.take(intervals[r], r.bytes)
    return _Values(lives, intervals, plans, slots)


def _auxiliary_names(
    auxiliary: Auxiliary, plans: Mapping[str, Plan], lives: LiveRanges
) -> tuple[tuple[int, str], ...]:
    """The auxiliary registers, by the places of their ops."""
    names: dict[int, list[str]] = {}
    for file, intervals in auxiliary.items():
        for op, interval in intervals.items():
            names.setdefault(lives.position[op], []).append(
                _names(file, plans[file].whole[interval])
            )
    return tuple([(place, "+".join(found)) for place, found in names.items()])


def _plan_pointers(
    pointers: list[PointerRange],
    lives: LiveRanges,
    files: RegisterFiles,
    weights: Sequence[float],
    slots: Slots,
    auxiliary: Auxiliary,
) -> tuple[dict[PointerRange, Interval], Plan]:
    intervals = {r: pointer_interval(r, lives, weights) for r in pointers}
    needs = [*intervals.values(), *auxiliary["gpr"].values()]
    plan = plan_file(needs, files.general, len(lives.position))
    for interval in intervals.values():
        if interval in plan.left:
            slots.take(interval, 8)
    return intervals, plan


def _pointer_texts(
    intervals: dict[PointerRange, Interval], plan: Plan, lives: LiveRanges, slots: Slots
) -> dict[Operation, str]:
    """The register of the pointer of each access, and of each counter by its begin marker."""
    texts: dict[Operation, str] = {}
    for r, interval in intervals.items():
        whole = plan.whole.get(interval)
        for user in r.users:
            if whole is not None:
                texts[user] = _names("gpr", whole)
            else:
                counter, at = isinstance(user, LoopBeginOp), lives.position[user]
                texts[user] = _left_text(plan, interval, "gpr", at, slots, counter, defines=False)
    return texts


def plan_registers(kernel: KernelOp, files: RegisterFiles, emitters: EmitterTable) -> Assignment:
    """The registers of a kernel with abstract registers on its ports."""
    lives = live_ranges(body_of(kernel), files, named=True)
    weights = weights_of(lives)
    slots = Slots()
    auxiliary = {
        file: auxiliary_intervals(lives, emitters, file, files.size(file))
        for file in ("vec", "mask", "gpr")
    }
    named = named_pointers(kernel, lives)
    pointers, plan = _plan_pointers(named, lives, files, weights, slots, auxiliary)
    in_memory = frozenset[Operation](
        u for r, i in pointers.items() if i in plan.left for u in r.users
    )
    values = _plan_values(lives, files, weights, slots, in_memory, auxiliary)
    addresses = _pointer_texts(pointers, plan, lives, slots)
    whole = values.whole()
    found = [
        (r.name, whole.get(r) or values.elsewhere(r, r.start, True, False) or "an immediate")
        for r in lives.ranges
    ]
    found += [(r.name, addresses[r.users[0]]) for r in pointers]
    return Assignment(
        tuple([(f"%{name}", register) for name, register in found]),
        naming(lives, values.rows(whole), addresses),
        _auxiliary_names(auxiliary, {**values.plans, "gpr": plan}, lives),
    )
