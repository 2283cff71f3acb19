"""Copying and renaming the loops of a kernel whose markers are inserted."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.ir import Operation, SSAValue

from snippets_mlir.dialects.lir.access import (
    input_ports,
    loop_ids,
    output_ports,
    ports,
    set_loop_ids,
    set_ports,
)
from snippets_mlir.dialects.lir.attributes import LoopInfo, PortDescriptor
from snippets_mlir.dialects.lir.buffer import BufferOp
from snippets_mlir.dialects.lir.markers import LoopBeginOp, LoopEndOp, LoopMarkerOp
from snippets_mlir.dialects.lir.memory import ResultOp


@dataclass(frozen=True)
class Part:
    """A part of a loop: its info, and whether it is the one that runs last."""

    loop: LoopInfo
    final: bool


def _renamed(port: PortDescriptor, old: int, part: Part) -> PortDescriptor:
    loops = tuple(
        replace(
            p, loop=part.loop.id, finalization_offset=p.finalization_offset if part.final else 0
        )
        if p.loop == old
        else p
        for p in port.loops
    )
    return replace(port, loops=loops)


def rename_loop(ops: Sequence[Operation], old: int, part: Part) -> None:
    """Let the ops of loop `old`, markers included, name the loop of `part`."""
    for op in ops:
        if isinstance(op, LoopMarkerOp):
            if op.id == old:
                op.properties["loop_id"] = IntegerAttr(part.loop.id, i64)
            continue
        set_loop_ids(op, [part.loop.id if id_ == old else id_ for id_ in loop_ids(op)])
        set_ports(op, [_renamed(port, old, part) for port in ports(op)])


def copy_loop(ops: Sequence[Operation]) -> list[Operation]:
    """A copy of `ops` before the first of them.

    Results and buffers that they feed also take the copy's stores, and what the loop carries goes
    on from the copy.
    """
    mapping: dict[SSAValue, SSAValue] = {}
    block = ops[0].parent
    assert block is not None
    copies: list[Operation] = []
    for op in ops:
        copy = op.clone(mapping)
        block.insert_op_before(copy, ops[0])
        copies.append(copy)
    inside = set(ops)
    for op in ops:
        for value in op.results:
            for use in list(value.uses):
                user = use.operation
                if isinstance(user, ResultOp | BufferOp) and user not in inside:
                    (port, *_), targets = input_ports(user), output_ports(user)
                    user.operands = [mapping[value], *user.operands]
                    set_ports(user, [port] * len(user.operands) + list(targets))
    ops[0].operands = list(copies[-1].results)
    return copies


def loop_body(begin: LoopBeginOp) -> list[Operation]:
    """The ops of the loop, markers included."""
    ops: list[Operation] = [begin]
    op = begin.next_op
    while op is not None:
        ops.append(op)
        if isinstance(op, LoopEndOp) and op.id == begin.id:
            break
        op = op.next_op
    return ops
