"""Put markers where loops begin and end.

    %0 = lir.load %x {lir.loops = array<i64: 0>}        lir.loop_begin 0
    %1 = lir.store %0 {lir.loops = array<i64: 0>}       %0 = lir.load %x {lir.loops = array<i64: 0>}
                                             becomes    %1 = lir.store %0 {lir.loops = array<i64:
                                             0>}
                                                        lir.loop_end 0

The ids stay on the ops and have to agree with the markers (law L5). An accumulator becomes a value
that the markers carry:

    %a = lir.accumulate %x {kind = "sum"}        %i = snippets.broadcast %neutral
                                                 %c = lir.loop_begin 0 (%i)
                                       becomes     %n = snippets.add %c, %x
                                                 %a = lir.loop_end 0 (%n)

Source: the guide's InsertLoops (reference 2.21). Refuses a kernel in which the ops of one loop do
not stand together: run lir-fuse-loops first.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass

from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.lir.access import (
    LOOPS,
    input_ports,
    is_view,
    loop_ids,
    output_ports,
    view_source,
)
from snippets_mlir.dialects.lir.attributes import PortDescriptor
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.kernels import for_each_kernel
from snippets_mlir.dialects.lir.markers import LoopBeginOp, LoopEndOp
from snippets_mlir.dialects.lir.memory import ResultOp
from snippets_mlir.dialects.lir.reduction import AccumulateOp, neutral
from snippets_mlir.dialects.snippets.arithmetic import AddOp, MaximumOp, MinimumOp, MultiplyOp
from snippets_mlir.dialects.snippets.constants import ScalarOp
from snippets_mlir.dialects.snippets.conversion import BroadcastOp
from snippets_mlir.dialects.snippets.internal import RunningMaximumOp
from snippets_mlir.passes.lir.editing import insert_before
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError

COMBINE = {
    "sum": AddOp,
    "prod": MultiplyOp,
    "max": MaximumOp,
    "maxnum": RunningMaximumOp,
    "min": MinimumOp,
}
"""Kind of accumulator -> the op that puts it, the first operand, and a value together."""


@dataclass
class _Loop:
    """An open loop with the accumulators that it carries."""

    id: int
    begin: LoopBeginOp
    accumulators: list[AccumulateOp]
    next_values: list[SSAValue] = field(default_factory=list[SSAValue])


def _apply(kernel: KernelOp) -> None:
    _move_to_the_front(kernel)
    accumulators: dict[int, list[AccumulateOp]] = {}
    for op in kernel.block.ops:
        if isinstance(op, AccumulateOp):
            accumulators.setdefault(loop_ids(op)[-1], []).append(op)
    path: list[_Loop] = []
    closed: set[int] = set()
    last: Operation | None = None
    for op in list(kernel.block.ops):
        if isinstance(op, ResultOp) or is_view(op) or LOOPS not in op.attributes:
            continue
        ids = loop_ids(op)
        common = 0
        while common < min(len(path), len(ids)) and path[common].id == ids[common]:
            common += 1
        while len(path) > common:
            assert last is not None
            closed.add(path[-1].id)
            last = _close(path.pop(), last)
        for place in range(common, len(ids)):
            if ids[place] in closed:
                raise CompileError(
                    f"in @{kernel.sym_name.data}: the ops of loop {ids[place]} do not stand "
                    "together; run lir-fuse-loops before lir-insert-loops",
                    **position_of(kernel),
                )
            path.append(_open(op, ids[: place + 1], accumulators.get(ids[place], [])))
        last = op
        if isinstance(op, AccumulateOp):
            last = _combine(op, path[-1])
    while path:
        assert last is not None
        last = _close(path.pop(), last)
    kernel.set_stage("looped")


def _open(anchor: Operation, ids: Sequence[int], accumulators: list[AccumulateOp]) -> _Loop:
    """Begin the loop `ids[-1]` in front of `anchor`, with the start of each accumulator."""
    block = anchor.parent
    assert block is not None
    start: list[SSAValue] = []
    for op in accumulators:
        scalar = ScalarOp(neutral(op.kind.data, tensor_of(op.result).element_type))
        first = block.first_op
        assert first is not None
        nothing = PortDescriptor((1,) * len(output_ports(op)[0].shape), subtensor=(1,))
        insert_before(first, scalar, [nothing], ())
        initial = BroadcastOp(scalar, shape_of(op.result))
        insert_before(anchor, initial, [nothing, output_ports(op)[0]], ids[:-1])
        start.append(initial.result)
    begin = LoopBeginOp(ids[-1], start)
    begin.location = anchor.location
    block.insert_op_before(begin, anchor)
    return _Loop(ids[-1], begin, accumulators)


def _combine(op: AccumulateOp, loop: _Loop) -> Operation:
    """Put the operand of `op` together with the carried value, in its place."""
    carried = loop.begin.values[loop.accumulators.index(op)]
    (source,), (port,) = input_ports(op), output_ports(op)
    combined = COMBINE[op.kind.data](carried, op.operand)
    insert_before(op, combined, [port, source, port], loop_ids(op))
    loop.next_values.append(combined.results[0])
    op.detach()
    return combined


def _close(loop: _Loop, last: Operation) -> Operation:
    """End the loop behind `last`; what reads its accumulators reads what the marker returns."""
    end = LoopEndOp(loop.id, loop.next_values)
    end.location = last.location
    block = last.parent
    assert block is not None
    block.insert_op_after(end, last)
    for op, value in zip(loop.accumulators, end.values, strict=True):
        value.name_hint = op.result.name_hint
        op.result.replace_all_uses_with(value)
        op.erase()
    return end


def _move_to_the_front(kernel: KernelOp) -> None:
    """What is in no loop must not stand between the markers of one: immediates, views of inputs."""
    block = kernel.block
    moved = [
        op
        for op in block.ops
        if (isinstance(op, ScalarOp) and not loop_ids(op))
        or (is_view(op) and isinstance(view_source(op.results[0]), BlockArgument))
    ]
    for op in moved:
        op.detach()
    first = block.first_op
    for op in moved:
        if first is None:
            block.add_op(op)
        else:
            block.insert_op_before(op, first)


@dataclass(frozen=True)
class LirInsertLoopsPass(ModulePass):
    """Insert loop markers."""

    name = "lir-insert-loops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Insert the markers in every kernel at stage `accessed`."""
        for_each_kernel(op, ("accessed",), _apply)
