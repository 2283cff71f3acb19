"""Give each connector of a kernel an abstract register.

    %a = lir.load %x {lir.ports = [#lir.port<...>, #lir.port<...>], ...}
    %n = snippets.add %acc, %a {lir.ports = [...], ...}

becomes

    %a = lir.load %x {lir.ports = [#lir.port<..., reg "%gpr0">, #lir.port<..., reg "%vec1">], ...}
    %n = snippets.add %acc, %a {lir.ports = [#lir.port<..., reg "%vec0">, #lir.port<..., reg
        "%vec1">, #lir.port<..., reg "%vec0">], ...}

A connector is a value with all its uses. For a carried value, the initial, block, next and final
value are one connector and have one register; if two of these are live at the same time, a
`lir.move` copies one. Vectors of i1 are in the mask file on machines that have one. The
general-purpose file has the pointers, on the ports that touch memory, and the counters of loops, as
`lir.counter` on their begin markers. With `live-sets=true` each op gets `lir.live`, its live
abstract registers, for reading; intervals are those of `analysis/kernels/live_ranges.py`. Source:
the design guide's InitLiveRanges.
"""

from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation, SSAValue

from snippets_mlir.analysis.kernels.connectors import live_ranges
from snippets_mlir.analysis.kernels.live_ranges import (
    LiveRanges,
    Marker,
    body_of,
    live_sets,
    port_of,
)
from snippets_mlir.analysis.kernels.pointer_ranges import pointer_ranges
from snippets_mlir.analysis.kernels.register_files import RegisterFiles
from snippets_mlir.dialects.lir.access import PORTS
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.markers import LoopBeginOp, LoopEndOp
from snippets_mlir.dialects.lir.spills import MoveOp
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.lir.editing import place
from snippets_mlir.passes.lir.kernel_passes import KernelPlanPass
from snippets_mlir.passes.lir.register_ports import Naming, naming
from snippets_mlir.support.walking import module_of
from snippets_mlir.targets.attributes import machine_of

LIVE = "lir.live"
_ROUNDS = 3
"""Copies of swapped values need two rounds; no case needs more."""


@dataclass(frozen=True)
class Copied:
    """An operand of a marker that is copied before it.

    Attributes:
        marker: the place of the marker in the unchanged kernel.
        operand: the index of the operand.
        loops: those around the copy.
    """

    marker: int
    operand: int
    loops: tuple[int, ...]

    def __str__(self) -> str:
        return f"op {self.marker} takes a copy of operand {self.operand}"


@dataclass(frozen=True)
class Registers:
    """The abstract registers of a kernel.

    Attributes:
        copies: in the order of their insertion.
        lives: each register with the first and the last place where it is live, after the copies.
        naming: the registers of each op, after the copies.
        live: the live registers at each op, or nothing if not requested.
    """

    copies: tuple[Copied, ...]
    lives: tuple[tuple[str, int, int], ...]
    naming: Naming
    live: tuple[str, ...]

    def __str__(self) -> str:
        lives = (f"{name}: {start} to {end}" for name, start, end in self.lives)
        return "\n".join([*map(str, self.copies), *lives]) or "no registers"


def _copy(marker: Marker, value: SSAValue, wanted: Copied) -> MoveOp:
    """The copy of `value` that `marker` takes."""
    port = port_of(marker.values[wanted.operand])
    move = MoveOp(value)
    place(move, [port, port], wanted.loops)
    move.location = marker.location
    return move


def _loops_around(marker: Marker, lives: LiveRanges) -> tuple[int, ...]:
    """The loops around an op before `marker`."""
    around = [lives.body.ops[at] for at in lives.around[lives.position[marker]]]
    ids = tuple(op.id for op in around if isinstance(op, LoopBeginOp))
    return ids if isinstance(marker, LoopBeginOp) else (*ids, marker.id)


def _copied(kernel: KernelOp, files: RegisterFiles) -> tuple[list[Copied], LiveRanges]:
    """The copies that keep connectors apart, and the live ranges with them."""
    body = body_of(kernel)
    lives = live_ranges(body, files)
    places = lives.position
    copies: list[Copied] = []
    moves: list[MoveOp] = []
    for _ in range(_ROUNDS):
        around = {marker: _loops_around(marker, lives) for marker, _ in lives.copies}
        for marker, operand in lives.copies:
            wanted = Copied(places[marker], operand, around[marker])
            at = body.ops.index(marker)
            taken = list(body.operands[at])
            move = _copy(marker, taken[operand], wanted)
            taken[operand] = move.result
            body.operands[at] = tuple(taken)
            body.ops.insert(at, move)
            body.operands.insert(at, tuple(move.operands))
            body.ports.insert(at, move.attributes[PORTS])
            copies.append(wanted)
            moves.append(move)
        if lives.copies:
            lives = live_ranges(body, files)
    assert not lives.copies, "copies at the markers keep connectors apart"
    for move in moves:
        move.drop_all_references()
    return copies, lives


@dataclass(frozen=True)
class LirInitLiveRangesPass(KernelPlanPass[Registers]):
    """Write abstract registers on the ports of kernels."""

    name = "lir-init-live-ranges"
    STAGES: ClassVar[Stages] = Stages(("looped",))

    live_sets: bool = False

    def plan(self, unit: KernelOp) -> Registers:
        """The copies, and the live ranges."""
        copies, lives = _copied(unit, machine_of(module_of(unit)).register_files)
        pointers = pointer_ranges(unit, lives)
        names = {r: f"%{r.name}" for r in lives.ranges}
        users: dict[Operation, str] = {u: f"%{r.name}" for r in pointers for u in r.users}
        rows = ([None if r is None else names[r] for r in row] for row in lives.rows)
        live: list[str] = []
        if self.live_sets:
            live = [" ".join(names[r] for r in found) for found in live_sets(lives)]
        return Registers(
            tuple(copies),
            tuple((f"%{r.name}", r.start, r.end) for r in (*lives.ranges, *pointers)),
            naming(lives, map(tuple, rows), users),
            tuple(live),
        )

    def carry_out(self, unit: KernelOp, plan: Registers) -> None:
        """Insert the copies and write the registers."""
        ops = list(unit.block.ops) if plan.copies else []
        for copied in plan.copies:
            marker = ops[copied.marker]
            assert isinstance(marker, LoopBeginOp | LoopEndOp)
            move = _copy(marker, marker.operands[copied.operand], copied)
            unit.block.insert_op_before(move, marker)
            marker.operands[copied.operand] = move.result
        plan.naming.write(unit)
        for op, live in zip(unit.block.ops, plan.live, strict=False):
            op.attributes[LIVE] = StringAttr(live)
