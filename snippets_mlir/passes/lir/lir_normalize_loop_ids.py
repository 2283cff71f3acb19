"""Number the loops of a kernel 0, 1, 2, ... in the order in which they begin.

    lir.loop_begin 4 ... lir.loop_end 4  lir.loop_begin 2      becomes      0, then 1

Markers, `lir.loops`, the ports' motions and the loop table are renamed together. Loops that only
stand in the table, as the whole of which others are the parts, get the numbers behind. Splitting
and expanding loops leaves gaps; whoever indexes something by loop wants none. Source: the guide's
NormalizeLoopIDs.
"""

from dataclasses import dataclass, replace

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.passes import ModulePass

from snippets_mlir.dialects.lir.access import LOOPS, loop_ids, ports, set_loop_ids, set_ports
from snippets_mlir.dialects.lir.attributes import LoopInfo, PortDescriptor
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.kernels import for_each_kernel
from snippets_mlir.dialects.lir.markers import LoopBeginOp, LoopMarkerOp


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


def _apply(kernel: KernelOp) -> None:
    table = kernel.loop_table
    begun = [op.id for op in kernel.block.ops if isinstance(op, LoopBeginOp)]
    ids = plan_ids(begun, table)
    for op in kernel.block.ops:
        if isinstance(op, LoopMarkerOp):
            op.properties["loop_id"] = IntegerAttr(ids[op.id], i64)
            continue
        if LOOPS in op.attributes:
            set_loop_ids(op, [ids[id_] for id_ in loop_ids(op)])
        set_ports(op, [_renamed_port(port, ids) for port in ports(op)])
    renamed = {ids[loop.id]: _renamed(loop, ids) for loop in table.values()}
    kernel.set_loops([renamed[new] for new in range(len(renamed))])


@dataclass(frozen=True)
class LirNormalizeLoopIdsPass(ModulePass):
    """Number loops in the order in which they begin."""

    name = "lir-normalize-loop-ids"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rename the loops of every kernel whose loops are inserted."""
        for_each_kernel(op, ("looped", "expanded", "assigned"), _apply)
