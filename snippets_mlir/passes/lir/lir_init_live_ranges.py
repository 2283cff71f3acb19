"""Give each connector of a kernel an abstract register.

    %a = lir.load %x {lir.ports = [#lir.port<...>, #lir.port<...>], ...}
    %n = snippets.add %acc, %a {lir.ports = [...], ...}

becomes

    %a = lir.load %x {lir.ports = [#lir.port<..., reg "%gpr0">, #lir.port<..., reg "%vec1">], ...}
    %n = snippets.add %acc, %a {lir.ports = [#lir.port<..., reg "%vec0">, #lir.port<..., reg
        "%vec1">, #lir.port<..., reg "%vec0">], ...}

A connector is a value with all its uses, and what a loop carries: initial, block, next and final
value have one register. Where two of these live at one time, a `lir.move` makes the copy that keeps
them apart. Vectors of i1 are in the mask file on machines that have one. The general-purpose file
has the pointers, on the ports that touch memory, and the counters of loops, as `lir.counter` on
their begin markers. With `live-sets=true` each op gets `lir.live`, the abstract registers that are
live there, for reading; intervals are those of `analysis/live_ranges.py`.
Source: the design guide's InitLiveRanges (reference 2.28).
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from snippets_mlir.analysis.connectors import live_ranges
from snippets_mlir.analysis.live_ranges import LiveRanges, Marker, live_sets, port_of
from snippets_mlir.analysis.pointer_ranges import pointer_ranges
from snippets_mlir.analysis.register_files import RegisterFiles
from snippets_mlir.dialects.lir.access import set_loop_ids, set_ports
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.kernels import for_each_kernel
from snippets_mlir.dialects.lir.markers import LoopBeginOp
from snippets_mlir.dialects.lir.spills import MoveOp
from snippets_mlir.passes.lir.register_ports import write_registers
from snippets_mlir.targets.attributes import machine_of

LIVE = "lir.live"
_ROUNDS = 3
"""Copies of values that change places need two rounds; nothing needs more."""


def _copied(kernel: KernelOp, files: RegisterFiles) -> LiveRanges:
    """The live ranges, after the copies that keep connectors apart."""
    lives = live_ranges(kernel, files)
    for _ in range(_ROUNDS):
        if not lives.copies:
            return lives
        around = {op: _loops_around(op, lives) for op, _ in lives.copies}
        for marker, index in lives.copies:
            port = port_of(marker.values[index])
            move = MoveOp(marker.operands[index])
            set_loop_ids(move, around[marker])
            set_ports(move, [port, port])
            move.location = marker.location
            kernel.block.insert_op_before(move, marker)
            marker.operands[index] = move.result
        lives = live_ranges(kernel, files)
    assert not lives.copies, "copies at the markers keep connectors apart"
    return lives


def _loops_around(marker: Marker, lives: LiveRanges) -> list[int]:
    """The loops around an op that stands in front of `marker`."""
    ops = list(lives.position)
    around = [ops[p] for p in lives.around[lives.position[marker]]]
    ids = [op.id for op in around if isinstance(op, LoopBeginOp)]
    return ids if isinstance(marker, LoopBeginOp) else [*ids, marker.id]


def _apply(kernel: KernelOp, files: RegisterFiles, with_sets: bool) -> None:
    lives = _copied(kernel, files)
    pointers: dict[Operation, str] = {}
    for r in pointer_ranges(kernel, lives):
        pointers.update(dict.fromkeys(r.users, f"%{r.name}"))
    write_registers(lives, {r: f"%{r.name}" for r in lives.ranges}, pointers)
    lives.named = True
    if with_sets:
        for op, live in zip(lives.position, live_sets(lives), strict=True):
            op.attributes[LIVE] = StringAttr(" ".join(f"%{r.name}" for r in live))


@dataclass(frozen=True)
class LirInitLiveRangesPass(ModulePass):
    """Write abstract registers on the ports of kernels."""

    name = "lir-init-live-ranges"
    live_sets: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Name the registers of every kernel at stage `looped`."""
        files = machine_of(op).register_files
        for_each_kernel(op, ("looped",), lambda k: _apply(k, files, self.live_sets))
