"""Live ranges of the values of a `lir.kernel`.

Positions number the kernel's ops from 0. A value lives from its definition to its last use, both
included: its register is not free at the op that reads it last. A value that is defined before a
loop and used in it lives to the loop's end, because the next iteration reads it again.

A value that a loop carries is one *connector* (`connectors.py`): the initial value, the block
argument, the next value and the final value are a single register, pinned from the first to the
last of them.

Arrays live in memory and are accessed through pointers. `lir.scalar`s are immediates, which get a
register only if one is left over. Source: the design guide's InitLiveRanges, whose intervals are
also inclusive.

One sweep over the ops computes everything. It reads a `Body`, which may differ from the kernel's
current body: `lir-init-live-ranges` adds its planned copies to one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from xdsl.dialects.builtin import ArrayAttr, i1
from xdsl.ir import Attribute, Operation, OpResult, SSAValue

from snippets_mlir.analysis.kernels.register_files import RegisterFiles
from snippets_mlir.dialects.builtin.shaped import bit_width, byte_width, tensor_of
from snippets_mlir.dialects.lir.access import PORTS, VIEWS, ports
from snippets_mlir.dialects.lir.buffer import BufferOp
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.markers import MARKERS, LoopBeginOp, LoopEndOp, LoopMarkerOp
from snippets_mlir.dialects.lir.memory import ResultOp, StoreOp
from snippets_mlir.dialects.lir.ports import PortAttr, PortDescriptor
from snippets_mlir.dialects.snippets.constants import ScalarOp
from snippets_mlir.support.walking import operands_of, ops_of

Marker: TypeAlias = LoopBeginOp | LoopEndOp


@dataclass(eq=False, slots=True)
class LiveRange:
    """The contents of one register, or of a few side by side: a value or a connector.

    Attributes:
        name: "vec0", "vec1", "mask0", ... in the order of their starts.
        file: "vec" or "mask".
        units: registers of the file that it takes.
        bytes: size of a value in memory.
        start: position of the first definition.
        end: position of the last use; in a loop, position of the loop's end.
        depth: the number of loops around the first definition.
        values: the values, in order.
        immediate: whether it is a scalar, which needs no register.
        defs: positions of the ops that define it, without markers.
        uses: positions of the ops that read it, without markers.
        carried: whether a marker takes or gives it.
    """

    name: str
    file: str
    units: int
    bytes: int
    start: int
    end: int
    depth: int
    values: list[SSAValue]
    immediate: bool
    defs: list[int]
    uses: list[int]
    carried: bool


@dataclass
class Body:
    """What live ranges depend on.

    Attributes:
        ops: the ops of a kernel.
        operands: of each op.
        ports: the attribute of each op, or None.
    """

    ops: list[Operation]
    operands: list[tuple[SSAValue, ...]]
    ports: list[Attribute | None]


@dataclass(eq=False)
class LiveRanges:
    """All live ranges of a kernel.

    Attributes:
        files: the register files they are in.
        body: the body of the ranges.
        ranges: by start.
        of: the range of each value.
        rows: at each position the ranges of the operands, then of the results; None for memory.
        position: of each op.
        around: for each position the begin markers of the enclosing loops, outermost first.
        ends: the position of each loop's end, by the position of its begin.
        copies: markers and operand indices that need a copy of the operand.
    """

    files: RegisterFiles
    body: Body
    ranges: list[LiveRange]
    of: dict[SSAValue, LiveRange]
    rows: list[list[LiveRange | None]]
    position: dict[Operation, int]
    around: list[tuple[int, ...]]
    ends: dict[int, int]
    copies: list[tuple[Marker, int]] = field(default_factory=list[tuple[Marker, int]])


_MEMORY = VIEWS | {StoreOp.name, BufferOp.name}
"""Ops whose results are memory."""

_ASIDE = VIEWS | {ResultOp.name, BufferOp.name}
"""Ops that are memory and read no value at their position."""


def holds_value(value: SSAValue) -> bool:
    """Whether `value` is in a register: not an array, a view of one, or a piece of memory."""
    return isinstance(value, OpResult) and value.op.name not in _MEMORY


def port_of(value: SSAValue) -> PortDescriptor:
    """The port of a value; a carried value has the port of the initial value."""
    assert isinstance(value, OpResult)
    op = value.op
    found = ports(op)
    if not found and isinstance(op, LoopMarkerOp):
        return port_of(operands_of(op)[value.index])
    return found[len(operands_of(op)) + value.index]


def body_of(kernel: KernelOp) -> Body:
    """The body of `kernel` as it is now."""
    ops = ops_of(kernel.block)
    return Body(ops, [operands_of(op) for op in ops], [op.attributes.get(PORTS) for op in ops])


def nesting(ops: Sequence[Operation]) -> tuple[list[tuple[int, ...]], dict[int, int]]:
    """For each op the positions of the begin markers around it, and where the loops end.

    Markers themselves are outside of their loop.
    """
    around: list[tuple[int, ...]] = []
    ends: dict[int, int] = {}
    path = tuple[int, ...]()
    for position, op in enumerate(ops):
        if op.name == LoopEndOp.name:
            ends[path[-1]] = position
            path = path[:-1]
        around.append(path)
        if op.name == LoopBeginOp.name:
            path = (*path, position)
    return around, ends


def values_of(body: Body, files: RegisterFiles) -> LiveRanges:
    """A live range for each value, without names; carried values are not joined yet."""
    around, ends = nesting(body.ops)
    begin_of = {end: begin for begin, end in ends.items()}
    of: dict[SSAValue, LiveRange] = {}
    rows: list[list[LiveRange | None]] = []
    sizes: dict[tuple[int, int], tuple[str, int, int]] = {}
    scalar_lanes = files.vector_bits // 32
    for at, (op, operands, attr) in enumerate(
        zip(body.ops, body.operands, body.ports, strict=True)
    ):
        name, loops = op.name, around[at]
        marker = name in MARKERS
        inside = loops
        if name == LoopBeginOp.name:
            inside = (*loops, at)
        elif marker:
            loops = (*loops, begin_of[at])
        row = [of.get(value) for value in operands]
        rows.append(row)
        for life in row if name not in _ASIDE else ():
            if life is None:
                continue
            end = ends[loops[life.depth]] if len(loops) > life.depth else at
            if end > life.end:
                life.end = end
            if marker:
                life.carried = True
            else:
                life.uses.append(at)
        if name in _MEMORY:
            row += [None] * len(op.results)
            continue
        scalar = name == ScalarOp.name
        for value in op.results:
            lanes = scalar_lanes if scalar else _lanes(attr, len(row), value)
            key = id(value.type), lanes
            size = sizes.get(key)
            if size is None:
                size = sizes[key] = _size(value, lanes, files)
            defs = [] if marker else [at]
            of[value] = life = LiveRange(
                "", *size, at, at, len(inside), [value], scalar, defs, [], marker
            )
            row.append(life)
    position = {op: at for at, op in enumerate(body.ops)}
    return LiveRanges(files, body, list(of.values()), of, rows, position, around, ends)


def _lanes(attr: Attribute | None, index: int, value: SSAValue) -> int:
    if attr is None:
        return port_of(value).lanes
    held: ArrayAttr[PortAttr] = attr  # pyright: ignore[reportAssignmentType]
    return held.data[index].data.lanes


def _size(value: SSAValue, lanes: int, files: RegisterFiles) -> tuple[str, int, int]:
    """File, number of registers, and bytes in memory of a value."""
    element = tensor_of(value).element_type
    if element == i1:
        return ("mask" if files.masks else "vec"), 1, lanes
    return "vec", -(-lanes * bit_width(element) // files.vector_bits), lanes * byte_width(element)


def live_sets(lives: LiveRanges) -> list[list[LiveRange]]:
    """For each position the live ranges there, without scalars, by start."""
    sets: list[list[LiveRange]] = [[] for _ in lives.position]
    for r in lives.ranges:
        if not r.immediate:
            for position in range(r.start, r.end + 1):
                sets[position].append(r)
    return sets
