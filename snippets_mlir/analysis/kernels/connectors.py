"""Live ranges of connectors: values of a kernel, or values its loops carry, in one register each.

The initial value, block argument, next value and final value of a loop are one connector, as long
as no two of them live at the same time. If two do (one neutral element begins two accumulators; two
values change places), a copy is needed, and `LiveRanges.copies` names the operand of the marker.
After the ports name registers, the ports define the connectors.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from xdsl.ir import Operation, SSAValue

from snippets_mlir.analysis.kernels.live_ranges import (
    Body,
    LiveRange,
    LiveRanges,
    Marker,
    port_of,
    values_of,
)
from snippets_mlir.analysis.kernels.register_files import RegisterFiles
from snippets_mlir.dialects.lir.markers import LoopBeginOp, LoopEndOp
from snippets_mlir.dialects.lir.registers import location
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError


@dataclass
class _Classes:
    """Which live ranges of values are one connector."""

    lives: LiveRanges
    members: dict[LiveRange, list[LiveRange]] = field(
        default_factory=dict[LiveRange, list[LiveRange]]
    )

    def of(self, r: LiveRange) -> list[LiveRange]:
        """The connector of `r`: itself and the ranges joined with it."""
        return self.members.setdefault(r, [r])

    def join(self, a: LiveRange, b: LiveRange) -> None:
        """Let `a` and `b` be one connector."""
        first, second = self.of(a), self.of(b)
        if first is not second:
            first += second
            for r in second:
                self.members[r] = first

    def compatible(self, a: LiveRange, b: LiveRange) -> bool:
        """Whether two connectors can be merged: no two of their values live at the same time."""
        if a.immediate:
            return False
        first, second = self.of(a), self.of(b)
        return first is second or not any(_overlap(x, y) for x in first for y in second)

    def merge(self) -> None:
        """Replace the ranges of each connector by one, in the order of their first values."""
        lives = self.lives
        merged: list[LiveRange] = []
        becomes: dict[LiveRange | None, LiveRange] = {}
        for r in lives.ranges:
            members = self.members.get(r)
            if members is None or len(members) == 1:
                merged.append(r)
            elif r not in becomes:
                merged.append(_merged(r, sorted(members, key=lambda m: (m.start, m.end))))
                becomes.update(dict.fromkeys(members, merged[-1]))
                lives.of.update(dict.fromkeys(merged[-1].values, merged[-1]))
        lives.ranges = merged
        if becomes:
            lives.rows = [[becomes.get(r, r) for r in row] for row in lives.rows]


def _overlap(a: LiveRange, b: LiveRange) -> bool:
    """Whether two lives overlap; one may begin at the op that ends the other."""
    return a.start == b.start or (a.start < b.end and b.start < a.end)


def _merged(first: LiveRange, members: list[LiveRange]) -> LiveRange:
    return LiveRange(
        first.name,
        first.file,
        first.units,
        first.bytes,
        min(m.start for m in members),
        max(m.end for m in members),
        members[0].depth,
        [value for m in members for value in m.values],
        first.immediate,
        _sorted(at for m in members for at in m.defs),
        _sorted(at for m in members for at in m.uses),
        carried=True,
    )


def _sorted(positions: Iterable[int]) -> list[int]:
    return sorted(set(positions))


def _tie(lives: LiveRanges) -> None:
    """Join carried values of loops, and record the operands of markers that need a copy."""
    ops = lives.body.ops
    pairs: list[tuple[LoopBeginOp, LoopEndOp]] = []
    for begin, end in sorted(lives.ends.items()):
        first, last = ops[begin], ops[end]
        if first.results:
            assert isinstance(first, LoopBeginOp)
            assert isinstance(last, LoopEndOp)
            pairs.append((first, last))
    if not pairs:
        return
    classes = _Classes(lives)
    for begin, end in pairs:
        for inside, final in zip(begin.results, end.results, strict=True):
            classes.join(lives.of[inside], lives.of[final])
    for begin, end in reversed(pairs):
        for marker in (end, begin):
            _tie_marker(marker, classes)
    classes.merge()


def _tie_marker(marker: Marker, classes: _Classes) -> None:
    lives = classes.lives
    taken = lives.body.operands[lives.position[marker]]
    for index, (value, given) in enumerate(zip(taken, marker.results, strict=True)):
        a, b = lives.of[value], lives.of[given]
        if classes.compatible(a, b):
            classes.join(a, b)
        else:
            lives.copies.append((marker, index))


def _tie_named(lives: LiveRanges) -> None:
    """Join the values of one abstract register; no copies are needed then."""
    classes = _Classes(lives)
    first: dict[str, LiveRange] = {}
    for r in lives.ranges:
        r.name = _abstract(r.values[0])
        if (known := first.setdefault(r.name, r)) is not r:
            classes.join(known, r)
    classes.merge()


def _abstract(value: SSAValue) -> str:
    """The abstract register that the port of a value names."""
    found = location(port_of(value).register)
    if found is None or found.abstract is None:
        op = value.owner
        assert isinstance(op, Operation)
        raise CompileError(
            f"expected the ports of {op.name} to name abstract registers, found "
            f"{'none' if found is None else port_of(value).register}; "
            "run lir-init-live-ranges first",
            **position_of(op),
        )
    return found.abstract


def live_ranges(body: Body, files: RegisterFiles, *, named: bool = False) -> LiveRanges:
    """The live ranges of the values of a kernel with markers, by start.

    Args:
        body: the kernel's body, at stage `looped` or later.
        files: the target's register files.
        named: whether the ports define connectors: values of one abstract register.

    Raises:
        CompileError: `named`, and a port names no abstract register.
    """
    lives = values_of(body, files)
    if named:
        _tie_named(lives)
        return lives
    _tie(lives)
    counts = {"vec": 0, "mask": 0}
    for r in lives.ranges:
        r.name = f"{r.file}{counts[r.file]}"
        counts[r.file] += 1
    return lives
