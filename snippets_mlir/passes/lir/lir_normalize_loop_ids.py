"""Number the loops of a kernel 0, 1, 2, ... in the order in which they begin.

    lir.loop_begin 4 ... lir.loop_end 4  lir.loop_begin 2      becomes      0, then 1

Markers, `lir.loops`, the ports' motions and the loop table are renamed together. Loops that only
stand in the table, as the whole of which others are the parts, get the numbers after
those. Splitting and expanding loops leaves gaps; what indexes something by loop wants none. Source:
the guide's NormalizeLoopIDs.
"""

from dataclasses import dataclass, replace
from typing import ClassVar

from xdsl.dialects.builtin import IntegerAttr, i64

from snippets_mlir.dialects.lir.access import LOOPS, loop_ids, ports, set_loop_ids, set_ports
from snippets_mlir.dialects.lir.attributes import LoopInfo, PortDescriptor
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.markers import LoopBeginOp, LoopMarkerOp
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.lir.kernel_passes import KernelPlanPass


def plan_ids(begun: list[int], table: dict[int, LoopInfo]) -> dict[int, int]:
    """Old id -> new id: loops in the order of `begun`, then the others in table order."""
    order = [*begun, *(id_ for id_ in table if id_ not in begun)]
    return {old: new for new, old in enumerate(order)}


def _renamed(loop: LoopInfo, ids: dict[int, int]) -> LoopInfo:
    return replace(
        loop,
        id=ids[loop.id],
        origin=ids.get(loop.origin, loop.origin),
        inner_of=None if loop.inner_of is None else ids[loop.inner_of],
    )


def _renamed_port(port: PortDescriptor, ids: dict[int, int]) -> PortDescriptor:
    return replace(port, loops=tuple(replace(m, loop=ids[m.loop]) for m in port.loops))


@dataclass(frozen=True)
class Numbers:
    """The old number and the new one of each loop."""

    ids: tuple[tuple[int, int], ...]

    def __str__(self) -> str:
        changed = [f"loop {old} becomes {new}" for old, new in self.ids if old != new]
        return "\n".join(changed) or "all loops keep their numbers"


@dataclass(frozen=True)
class LirNormalizeLoopIdsPass(KernelPlanPass[Numbers]):
    """Number loops in the order in which they begin."""

    name = "lir-normalize-loop-ids"
    STAGES: ClassVar[Stages] = Stages(("looped", "expanded", "assigned"))

    def plan(self, unit: KernelOp) -> Numbers:
        """The numbers by the order of the markers."""
        begun = [op.id for op in unit.block.ops if isinstance(op, LoopBeginOp)]
        return Numbers(tuple(plan_ids(begun, unit.loop_table).items()))

    def carry_out(self, unit: KernelOp, plan: Numbers) -> None:
        """Rename the loops everywhere."""
        ids = dict(plan.ids)
        for op in unit.block.ops:
            if isinstance(op, LoopMarkerOp):
                op.properties["loop_id"] = IntegerAttr(ids[op.id], i64)
                continue
            if LOOPS in op.attributes:
                set_loop_ids(op, [ids[id_] for id_ in loop_ids(op)])
            set_ports(op, [_renamed_port(port, ids) for port in ports(op)])
        loops = (_renamed(loop, ids) for loop in unit.loop_table.values())
        unit.set_loops(sorted(loops, key=lambda loop: loop.id))
