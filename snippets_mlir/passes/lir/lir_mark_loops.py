"""Group the ops of a kernel and say in which loops each group runs.

    %0 = snippets.relu %x {lir.loops = array<i64>, lir.ports = [#lir.port<[4, 300]>, ...]}

becomes, on 8 lanes,

    loops [#lir.loop<0, work 4, inc 1, dim 1, parallel>, #lir.loop<1, work 300, inc 8, dim 0>]
    %0 = snippets.relu %x {lir.loops = array<i64: 0, 1>,
                           lir.ports = [#lir.port<[4, 300], sub [8]>, ...]}

A group is a run of ops of which each reads the result of the one before it (the guide's
MarkLoops); `lir-fuse-loops` does the rest. The work amounts of a group are its broadcast output
shapes; the innermost loop goes by vectors, the others by one, and a dim of size 1 is walked in one
step. All loops but the innermost one are parallel; a lone loop is, too. Scalars stay outside of
loops: they are immediates.

Options: `vector-size` (0 = lanes of the target), `loop-depth` (innermost dims that get loops; 0 =
all). Refuses a depth that is smaller than the rank while outer dims are larger than 1: nothing
would walk them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from snippets_mlir.dialects.lir.access import output_ports, ports, set_loop_ids, set_ports
from snippets_mlir.dialects.lir.attributes import LoopInfo, PortDescriptor
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.memory import ResultOp
from snippets_mlir.dialects.snippets.constants import ScalarOp
from snippets_mlir.dialects.snippets.shapes import broadcast_shapes
from snippets_mlir.errors import CompileError
from snippets_mlir.passes.lir.editing import for_each_kernel
from snippets_mlir.passes.target.snippets_set_target import machine_of


def chains(ops: Sequence[Operation]) -> list[list[Operation]]:
    """Maximal runs in which each op reads a result of the op before it; scalars are skipped."""
    groups: list[list[Operation]] = []
    previous: Operation | None = None
    for op in ops:
        if isinstance(op, ScalarOp | ResultOp):
            continue
        if previous is not None and any(v.owner is previous for v in op.operands):
            groups[-1].append(op)
        else:
            groups.append([op])
        previous = op
    return groups


def plan_loops(shape: Sequence[int], first_id: int, vector_size: int, depth: int) -> list[LoopInfo]:
    """The loops that walk `shape`, outermost first, with ids from `first_id` up."""
    depth = min(depth or len(shape), len(shape))
    if any(size != 1 for size in shape[: len(shape) - depth]):
        raise CompileError(
            f"loop-depth={depth} leaves dims of {list(shape)} without a loop; "
            f"use {len(shape)}, or 0 for all"
        )
    loops: list[LoopInfo] = []
    for dim in reversed(range(depth)):
        work = shape[len(shape) - 1 - dim]
        step = vector_size if dim == 0 and work != 1 else 1
        parallel = dim > 0 or depth == 1
        loops.append(LoopInfo(first_id + len(loops), work, step, dim, parallel))
    return loops


def with_lanes(port: PortDescriptor, vector_size: int) -> PortDescriptor:
    """The port with its tile: a vector of the last dim, or one element when that has size 1."""
    return replace(port, subtensor=(1 if port.shape[-1] == 1 else vector_size,))


def _apply(kernel: KernelOp, vector_size: int, depth: int) -> None:
    ops = list(kernel.block.ops)
    loops: list[LoopInfo] = []
    for group in chains(ops):
        shape = broadcast_shapes(*(p.shape for op in group for p in output_ports(op)))
        assert shape is not None
        nest = plan_loops(shape, len(loops), vector_size, depth)
        loops += nest
        for op in group:
            set_loop_ids(op, [loop.id for loop in nest])
    for op in ops:
        set_ports(op, [with_lanes(port, vector_size) for port in ports(op)])
    kernel.set_loops(loops)
    kernel.set_stage("marked")


@dataclass(frozen=True)
class LirMarkLoopsPass(ModulePass):
    """Group the ops of kernels and mark the loops of each group."""

    name = "lir-mark-loops"

    vector_size: int = 0
    loop_depth: int = 0

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Mark the loops of every kernel at stage `linear`."""
        if self.vector_size < 0 or self.loop_depth < 0:
            raise CompileError("expected vector-size and loop-depth of 0 or more")
        vector_size = self.vector_size or machine_of(op).lanes
        for_each_kernel(op, ("linear",), lambda k: _apply(k, vector_size, self.loop_depth))
