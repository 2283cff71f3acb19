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
    """The replacement of a loop.

    Attributes:
        loop: its info.
        final: whether it is the last part of the loop, which resets pointers.
        back: the units by which it resets its pointers; None: by the loop's offsets.
    """

    loop: LoopInfo
    final: bool
    back: Dim | None = None

    def motion(self, old: LoopPort) -> LoopPort:
        """The part's motion of a pointer that the loop moves by `old`."""
        offset = old.finalization_offset if self.final else 0
        if self.back is not None:
            offset = -old.pointer_increment * self.back
        return LoopPort(self.loop.id, old.dim, old.pointer_increment, offset)


def rename_loops(ops: Sequence[Operation], parts: Mapping[int, Part]) -> None:
    """Let the ops of the loops in `parts`, including markers, name the replacements."""
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
    """New loops for those that begin at `begins` in a copy, written into `table`.

    Args:
        begins: the markers of the loops in the copy.
        table: the loops of the kernel by id.
        renamed: the outer loops with other ids in the copy; the new ids are added.
        changed: other changes of a loop in the copy.
    """

    def make(info: LoopInfo) -> LoopInfo:
        """The loop that replaces `info` in the copy; the parts of a loop have one origin."""
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
    """Give the inner loops of a loop's copy new ids, and write their infos."""
    begins = [op for op in ops[1:] if isinstance(op, LoopBeginOp)]
    fresh = fresh_loops(begins, table, {})
    rename_loops(ops, {old: Part(loop, final=True) for old, loop in fresh.items()})


def copy_loop(ops: Sequence[Operation], idle: Container[int] = ()) -> list[Operation]:
    """Copy the loop `ops` before its first op, without the inner loops in `idle`.

    Those run no iteration in the copy: their carried values bypass them. Results and buffers that
    `ops` feed also take the copy's stores, and the loop's carried values continue from the copy.
    """
    left_out = loops_inside(ops, idle)
    skipped = {op for body in left_out for op in body}
    begins = {body[-1]: body[0] for body in left_out}
    mapping: dict[SSAValue, SSAValue] = {}
    missing: set[SSAValue] = set()  # the targets of stores in left out loops
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
    """Let results and buffers that take the target of `store` also take the target of its copy.

    Results and buffers in `inside` are copied themselves.
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
    """Let a result or a buffer no longer take stores into `targets`."""
    (port, *_), results = input_ports(user), output_ports(user)
    user.operands = [value for value in user.operands if value not in targets]
    set_ports(user, [port] * len(user.operands) + list(results))


def erase_loop(ops: Sequence[Operation]) -> None:
    """Erase a loop without iterations, including markers; its carried values bypass it."""
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
    """Change the motions of the pointers of `ops` by the loops in `changes`, by id."""
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
    """`port` with its changed motions, itself if none changes; `made` has known results."""
    if (known := made.get(id(port))) is not None:
        return known[1]
    found = port
    if any([motion.loop in changes for motion in port.loops]):
        loops = [changes[m.loop](m) if m.loop in changes else m for m in port.loops]
        found = port.with_loops(tuple(loops))
    made[id(port)] = port, found  # with `port`, so that no other port gets its identity
    return found


def put_marker(new: LoopMarkerOp, old: LoopMarkerOp, values: Sequence[SSAValue]) -> None:
    """Replace the marker `old` by `new`; readers of its results read `values`."""
    new.location = old.location
    block = old.parent
    assert block is not None
    block.insert_op_before(new, old)
    for before, after in zip(old.results, values, strict=True):
        after.name_hint = before.name_hint
        before.replace_all_uses_with(after)
    erase(old)


def loops_inside(ops: Sequence[Operation], ids: Container[int]) -> list[list[Operation]]:
    """The outermost loops with `ids` inside of the loop `ops`, including markers."""
    found: list[list[Operation]] = []
    for op in ops[1:]:
        if isinstance(op, LoopBeginOp) and op.id in ids and not (found and op in found[-1]):
            found.append(loop_body(op))
    return found


def loop_body(begin: LoopBeginOp) -> list[Operation]:
    """The ops of the loop, including markers."""
    ops: list[Operation] = [begin]
    op = begin.next_op
    while op is not None:
        ops.append(op)
        if op.name == LoopEndOp.name and isinstance(op, LoopEndOp) and op.id == begin.id:
            break
        op = op.next_op
    return ops
