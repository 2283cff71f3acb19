"""Live ranges of the pointers and counters of a `lir.kernel`, in general-purpose registers.

A pointer's range begins at the outermost loop around its first access, because the loops move the
pointer from there on, and ends with the outermost loop around its last access. Inputs come first,
in the order of the kernel's arguments, then outputs, then register groups of buffers. The counter
of a loop lives from its begin to its end marker. A loop that runs once has no counter. The counter
of a parallel loop is in the register of the argument `begin`, which no kernel uses otherwise.
Source: the design guide's AssignRegisters, where pointers live everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from xdsl.ir import BlockArgument, SSAValue

from snippets_mlir.analysis.kernels.live_ranges import LiveRanges
from snippets_mlir.dialects.lir.access import view_source
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.markers import LoopBeginOp
from snippets_mlir.dialects.lir.memory import MemoryAccessOp, ResultOp, StoreOp
from snippets_mlir.dialects.lir.pointers import buffer_of, pointer_of

User: TypeAlias = MemoryAccessOp | LoopBeginOp
_INPUT, _OUTPUT, _BUFFER, _COUNTER = range(4)


@dataclass(eq=False)
class PointerRange:
    """The contents of one general-purpose register: a pointer, or the counter of a loop.

    Attributes:
        name: "gpr0", "gpr1", ... in the order of the module docstring.
        start: the first position at which it is needed.
        end: the last position.
        users: the accesses that go through the pointer, or the begin marker of the counter's loop.
        order: the kind, then the number within it.
    """

    name: str
    start: int
    end: int
    users: list[User]
    order: tuple[int, int]


def pointer_ranges(kernel: KernelOp, lives: LiveRanges) -> list[PointerRange]:
    """The pointers of a kernel, then its counters.

    Args:
        kernel: at stage `looped` or later.
        lives: its live ranges, for their positions.
    """
    found: dict[object, PointerRange] = {}
    table = kernel.loop_table
    shared = _shared(kernel, lives)
    for position, op in enumerate(lives.body.ops):
        if not op.name.startswith("lir."):
            continue
        if isinstance(op, MemoryAccessOp):
            around = lives.around[position]
            start, end = (around[0], lives.ends[around[0]]) if around else (position, position)
            pointer = pointer_of(op)
            if (r := found.get(pointer)) is None:
                r = found[pointer] = PointerRange("", start, end, [], _order(op, lives))
            r.end = max(r.end, end)
            r.users.append(op)
        elif isinstance(op, LoopBeginOp):
            if position not in shared and not table[op.id].evaluated_once:
                order = (_COUNTER, position)
                found[op] = PointerRange("", position, lives.ends[position], [op], order)
    ranges = sorted(found.values(), key=lambda r: r.order)
    for index, r in enumerate(ranges):
        r.name = f"gpr{index}"
    return ranges


def _shared(kernel: KernelOp, lives: LiveRanges) -> set[int]:
    """The begins of loops that threads share: parallel loops, and a single loop in such a loop."""
    table = kernel.loop_table
    shared: set[int] = set()
    for position in sorted(lives.ends):
        op = lives.body.ops[position]
        assert isinstance(op, LoopBeginOp)
        if table[op.id].parallel:
            around = lives.around[position]
            only = position - 1 in shared and lives.ends[position] + 1 == lives.ends[position - 1]
            if not around or only:
                shared.add(position)
    return shared


def _order(access: MemoryAccessOp, lives: LiveRanges) -> tuple[int, int]:
    if (buffer := buffer_of(access)) is not None:
        output = buffer.decided("output")
        return (_BUFFER, lives.position[buffer]) if output is None else (_OUTPUT, output)
    if not isinstance(access, StoreOp):
        source: SSAValue = view_source(access.operands[0])
        assert isinstance(source, BlockArgument)
        return _INPUT, source.index
    target = next((use.operation for use in access.target.uses), access)
    if isinstance(target, ResultOp):
        return _OUTPUT, target.index.value.data
    return _BUFFER, lives.position[target]
