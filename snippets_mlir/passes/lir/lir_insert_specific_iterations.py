"""Give the tail of a loop a copy of the loop's body that handles fewer elements.

    loop 0, work 13, inc 8      becomes      loop 1, work 8, inc 8, main of 0
                                             loop 2, work 5, inc 5, last of 0

In the copy every access of a whole vector counts only the tail's elements (its accesses are
masked), and the part that runs last carries the finalization offset. A loop shorter than its
increment becomes its tail; a loop without a tail stays as it is. The unified loop stays in the
table: its parts have to add up to it. Source: the guide's InsertSpecificIterations (reference
2.31).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from snippets_mlir.dialects.lir.access import (
    input_ports,
    loop_ids,
    output_ports,
    set_loop_ids,
    set_ports,
)
from snippets_mlir.dialects.lir.attributes import Iteration, LoopInfo, PortDescriptor
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.markers import LoopBeginOp, LoopEndOp, LoopMarkerOp
from snippets_mlir.dialects.lir.memory import MemoryAccessOp, ResultOp
from snippets_mlir.dialects.snippets.constants import ScalarOp
from snippets_mlir.passes.lir.editing import for_each_kernel


@dataclass(frozen=True)
class Part:
    """A part of a loop: its info, and whether it is the one that runs last."""

    loop: LoopInfo
    final: bool


def plan_parts(loop: LoopInfo, first_id: int) -> list[Part]:
    """The parts that replace `loop`, in order of execution; empty when it has no tail."""
    tail = loop.tail
    if tail == 0:
        return []
    origin = loop.id

    def part(kind: Iteration, work: int, increment: int) -> LoopInfo:
        id_ = first_id + (1 if kind == "last" and work != loop.work_amount else 0)
        return replace(
            loop, id=id_, work_amount=work, increment=increment, iteration=kind, origin=origin
        )

    last = Part(part("last", tail, tail), final=True)
    main = loop.work_amount - tail
    return [Part(part("main", main, loop.increment), final=False), last] if main else [last]


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


def _specialise(ops: Sequence[Operation], old: int, part: Part) -> None:
    """Turn the ops of loop `old`, markers included, into those of `part`."""
    for op in ops:
        if isinstance(op, LoopMarkerOp):
            if op.id == old:
                op.properties["loop_id"] = IntegerAttr(part.loop.id, i64)
            continue
        ids = loop_ids(op)
        set_loop_ids(op, [part.loop.id if id_ == old else id_ for id_ in ids])
        ports = [*input_ports(op), *output_ports(op)]
        set_ports(op, [_renamed(port, old, part) for port in ports])
        if isinstance(op, MemoryAccessOp) and part.loop.iteration == "last":
            if op.elements > 1 and ids[-1] == old:
                op.set_elements(part.loop.increment)


def _copy(ops: Sequence[Operation]) -> list[Operation]:
    """A copy of `ops` before the first of them; results that they feed also take the copy's."""
    mapping: dict[SSAValue, SSAValue] = {}
    block = ops[0].parent
    assert block is not None
    copies: list[Operation] = []
    for op in ops:
        copy = op.clone(mapping)
        block.insert_op_before(copy, ops[0])
        copies.append(copy)
    for op in ops:
        for value in op.results:
            for use in list(value.uses):
                user = use.operation
                if isinstance(user, ResultOp):
                    user.operands = [mapping[value], *user.operands]
                    set_ports(user, [input_ports(user)[0]] * len(user.operands))
    return copies


def _body(begin: LoopBeginOp) -> list[Operation]:
    """The ops of the loop, markers included; scalars in it are shared, not copied."""
    ops: list[Operation] = [begin]
    op = begin.next_op
    while op is not None:
        if not isinstance(op, ScalarOp):
            ops.append(op)
        if isinstance(op, LoopEndOp) and op.id == begin.id:
            break
        op = op.next_op
    return ops


def _apply(kernel: KernelOp) -> None:
    table = kernel.loop_table
    begins = [op for op in kernel.block.ops if isinstance(op, LoopBeginOp)]
    for begin in begins:
        old = begin.id
        parts = plan_parts(table[old], max(table) + 1)
        if not parts:
            continue
        body = _body(begin)
        if len(parts) > 1:
            _specialise(_copy(body), old, parts[0])
        _specialise(body, old, parts[-1])
        for part in parts:
            table[part.loop.id] = part.loop
    kernel.set_loops(list(table.values()))
    kernel.set_stage("expanded")


@dataclass(frozen=True)
class LirInsertSpecificIterationsPass(ModulePass):
    """Split loops with tails into a main and a last part."""

    name = "lir-insert-specific-iterations"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Expand the loops of every kernel at stage `looped`."""
        for_each_kernel(op, ("looped",), _apply)
