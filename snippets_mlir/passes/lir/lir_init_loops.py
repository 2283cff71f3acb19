"""Say how each loop moves the pointer of each memory port.

    #lir.port<[4, 300], sub [8]>    becomes
    #lir.port<[4, 300], sub [8], loops [0: dim 1 ptr 300 fin -1200, 1: dim 0 ptr 1 fin -300]>

The increment, in elements for one unit of the loop's counter, is the stride of the dim: the
product of the dims right of it; it is 0 where the port broadcasts (its dim has size 1 and the
loop's work has not). The finalization offset takes the whole motion back. Source: the guide's
InitLoops (reference 2.20); law L8 of the kernel.
"""

from dataclasses import dataclass, replace
from math import prod

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from snippets_mlir.dialects.lir.access import input_ports, loop_ids, output_ports, set_ports
from snippets_mlir.dialects.lir.attributes import LoopInfo, LoopPort, PortDescriptor
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.memory import BroadcastLoadOp, LoadOp, StoreOp
from snippets_mlir.passes.lir.editing import for_each_kernel


def loop_port(shape: tuple[int, ...], loop: LoopInfo) -> LoopPort:
    """The pointer motion of a planar port of `shape` under `loop`."""
    place = len(shape) - 1 - loop.dim
    stride = prod(shape[place + 1 :])
    if shape[place] == 1 and loop.work_amount != 1:
        stride = 0
    return LoopPort(loop.id, loop.dim, stride, -stride * loop.work_amount)


def _moved(port: PortDescriptor, loops: list[LoopInfo]) -> PortDescriptor:
    return replace(port, loops=tuple(loop_port(port.shape, loop) for loop in loops))


def _apply(kernel: KernelOp) -> None:
    table = kernel.loop_table

    def loops_of(op: Operation) -> list[LoopInfo]:
        return [table[id_] for id_ in loop_ids(op)]

    for op in kernel.block.ops:
        if isinstance(op, LoadOp | BroadcastLoadOp):
            (port,) = input_ports(op)
            set_ports(op, [_moved(port, loops_of(op)), *output_ports(op)])
        elif isinstance(op, StoreOp):
            (port,) = output_ports(op)
            set_ports(op, [*input_ports(op), _moved(port, loops_of(op))])


@dataclass(frozen=True)
class LirInitLoopsPass(ModulePass):
    """Compute pointer increments and finalization offsets."""

    name = "lir-init-loops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Fill the loop ports of every kernel at stage `accessed`."""
        for_each_kernel(op, ("accessed",), _apply)
