"""Copy and rename the loops of a kernel with loop markers."""

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import is_not

from xdsl.ir import Operation, SSAValue

from snippets_mlir.dialects.builtin.dims import Dim
from snippets_mlir.dialects.builtin.sizes import i64_attr
from snippets_mlir.dialects.lir.access import (
    input_ports,
    loop_ids,
    output_ports,
    ports,
    set_loop_ids,
    set_ports,
)
from snippets_mlir.dialects.lir.buffer import BufferOp
from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.dialects.lir.markers import MARKERS, LoopBeginOp, LoopEndOp, LoopMarkerOp
from snippets_mlir.dialects.lir.memory import ResultOp, StoreOp
from snippets_mlir.dialects.lir.ports import LoopPort, PortDescriptor
from snippets_mlir.passes.lir.editing import erase
from snippets_mlir.support.creating import cloned, put_before


@dataclass(frozen=True)
class Part:
    """What stands in the place of a loop.

    Attributes:
        loop: its info.
        final: whether it is the part of the loop that runs last, which takes pointers back.
        back: the units that it takes its pointers back by; None if the loop's offsets say it.
    """

    loop: LoopInfo
    final: bool
    back: Dim | None = None

    def motion(self, old: LoopPort) -> LoopPort:
        """What the part does to a pointer to which the loop does `old`."""
        offset = old.finalization_offset if self.final else 0
        if self.back is not None:
            offset = -old.pointer_increment * self.back
        return LoopPort(self.loop.id, old.dim, old.pointer_increment, offset)


def rename_loops(ops: Sequence[Operation], parts: Mapping[int, Part]) -> None:
    """Let the ops of the loops in `parts`, markers included, name what stands in their place."""
    for op in ops:
        if op.name in MARKERS:
            assert isinstance(op, LoopMarkerOp)
            if (part := parts.get(op.id)) is not None:
                op.properties["loop_id"] = i64_attr(part.loop.id)
            continue
        ids = loop_ids(op)
        if not parts.keys().isdisjoint(ids):
            set_loop_ids(op, [parts[id_].loop.id if id_ in parts else id_ for id_ in ids])
    change_motions(ops, {old: part.motion for old, part in parts.items()})


def fresh_loops(
    begins: Sequence[LoopBeginOp],
    table: dict[int, LoopInfo],
    renamed: dict[int, int],
    changed: Callable[[LoopInfo], LoopInfo] = lambda info: info,
) -> dict[int, LoopInfo]:
    """Loops of their own for those that `begins` begin in a copy, written into `table`.

    Args:
        begins: the markers of the loops in the copy.
        table: the loops of the kernel by id.
        renamed: the loops around that have other ids in the copy; the new ids are added.
        changed: what else becomes of a loop in the copy.
    """

    def make(info: LoopInfo) -> LoopInfo:
        """The loop that stands for `info` in the copy; the parts of one have one origin."""
        if info.iteration != "unified" and info.origin not in renamed:
            make(table[info.origin])
        distance, rows = info.diagonal or (0, None)
        fresh = replace(
            changed(info),
            id=max(table) + 1,
            inner_of=None if info.inner_of is None else renamed.get(info.inner_of, info.inner_of),
            origin=renamed.get(info.origin, info.origin),
            diagonal=None if rows is None else (distance, renamed.get(rows, rows)),
        )
        table[fresh.id] = fresh
        renamed[info.id] = fresh.id
        return fresh

    return {begin.id: make(table[begin.id]) for begin in begins}


def rename_loops_inside(ops: Sequence[Operation], table: dict[int, LoopInfo]) -> None:
    """Give the loops inside of a copy of a loop ids of their own, and write their infos."""
    begins = [op for op in ops[1:] if isinstance(op, LoopBeginOp)]
    fresh = fresh_loops(begins, table, {})
    rename_loops(ops, {old: Part(loop, final=True) for old, loop in fresh.items()})


def copy_loop(ops: Sequence[Operation], idle: Container[int] = ()) -> list[Operation]:
    """A copy of `ops`, a loop, before the first of them, without the loops inside in `idle`.

    Those run no iteration in the copy: what they carry goes past them. Results and buffers that
    `ops` feed also take the copy's stores, and what the loop carries goes on from the copy.
    """
    left_out = loops_inside(ops, idle)
    skipped = {op for body in left_out for op in body}
    begins = {body[-1]: body[0] for body in left_out}
    mapping: dict[SSAValue, SSAValue] = {}
    missing: set[SSAValue] = set()  # what the stores of loops that are left out store into
    copies: list[Operation] = []
    for op in ops:
        if op not in skipped:
            copy = cloned(op, mapping)
            put_before(copy, ops[0])
            copies.append(copy)
        elif (begin := begins.get(op)) is not None:
            carried = [mapping.get(value, value) for value in begin.operands]
            mapping.update(zip(op.results, carried, strict=True))
        elif isinstance(op, StoreOp):
            missing.add(op.target)
    if missing:
        for copy in copies:
            if isinstance(copy, ResultOp | BufferOp):
                _drop_targets(copy, missing)
    inside = set(ops)
    for op in ops:
        if isinstance(op, StoreOp) and op not in skipped:
            join_targets(op, mapping[op.target], inside)
    ops[0].operands = list(copies[-1].results)
    return copies


def join_targets(store: StoreOp, copy: SSAValue, inside: Container[Operation] = ()) -> None:
    """Let results and buffers that take the target of `store` take that of a copy of it, too.

    Those in `inside` are copied themselves.
    """
    for user in _takers(store):
        if user not in inside:
            (port, *_), results = input_ports(user), output_ports(user)
            user.operands = [copy, *user.operands]
            set_ports(user, [port] * len(user.operands) + list(results))


def _takers(store: StoreOp) -> list[Operation]:
    """The results and buffers that take the target of a store."""
    users = [use.operation for use in store.target.uses]
    return [user for user in users if isinstance(user, ResultOp | BufferOp)]


def _drop_targets(user: Operation, targets: Container[SSAValue]) -> None:
    """Let a result or a buffer take no store into `targets` any more."""
    (port, *_), results = input_ports(user), output_ports(user)
    user.operands = [value for value in user.operands if value not in targets]
    set_ports(user, [port] * len(user.operands) + list(results))


def erase_loop(ops: Sequence[Operation]) -> None:
    """Erase a loop, markers included, that runs no iteration: what it carries goes past it."""
    begin, end = ops[0], ops[-1]
    for before, after in zip(begin.operands, end.results, strict=True):
        after.replace_all_uses_with(before)
    for op in ops:
        if isinstance(op, StoreOp):
            for user in _takers(op):
                _drop_targets(user, {op.target})
    for op in reversed(ops):
        erase(op)


def change_motions(
    ops: Sequence[Operation], changes: Mapping[int, Callable[[LoopPort], LoopPort]]
) -> None:
    """Change what the loops in `changes`, by id, do to the pointers of `ops`."""
    made: dict[int, tuple[PortDescriptor, PortDescriptor]] = {}  # by identity: ops share ports
    for op in ops:
        old = ports(op)
        new = [_changed(port, changes, made) for port in old]
        if any(map(is_not, old, new)):
            set_ports(op, new)


def _changed(
    port: PortDescriptor,
    changes: Mapping[int, Callable[[LoopPort], LoopPort]],
    made: dict[int, tuple[PortDescriptor, PortDescriptor]],
) -> PortDescriptor:
    """`port` with its changed motions, itself if none changes; `made` has what is known."""
    if (known := made.get(id(port))) is not None:
        return known[1]
    found = port
    if any([motion.loop in changes for motion in port.loops]):
        loops = [changes[m.loop](m) if m.loop in changes else m for m in port.loops]
        found = port.with_loops(tuple(loops))
    made[id(port)] = port, found  # with `port`, whose identity is no other one's meanwhile
    return found


def put_marker(new: LoopMarkerOp, old: LoopMarkerOp, values: Sequence[SSAValue]) -> None:
    """Put the marker `new` in the place of `old`; what reads its results reads `values`."""
    new.location = old.location
    block = old.parent
    assert block is not None
    block.insert_op_before(new, old)
    for before, after in zip(old.results, values, strict=True):
        after.name_hint = before.name_hint
        before.replace_all_uses_with(after)
    erase(old)


def loops_inside(ops: Sequence[Operation], ids: Container[int]) -> list[list[Operation]]:
    """The outermost loops of those called `ids` inside of the loop `ops`, markers included."""
    found: list[list[Operation]] = []
    for op in ops[1:]:
        if isinstance(op, LoopBeginOp) and op.id in ids and not (found and op in found[-1]):
            found.append(loop_body(op))
    return found


def loop_body(begin: LoopBeginOp) -> list[Operation]:
    """The ops of the loop, markers included."""
    ops: list[Operation] = [begin]
    op = begin.next_op
    while op is not None:
        ops.append(op)
        if op.name == LoopEndOp.name and isinstance(op, LoopEndOp) and op.id == begin.id:
            break
        op = op.next_op
    return ops
