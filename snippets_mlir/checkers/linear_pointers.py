"""The pointers of a `lir.kernel` agree with the shapes of the arrays.

Accesses share a pointer if they read one array under one view, write one output or touch buffers in
it, or touch buffers of one register group. Claims checked, from stage `looped` on:

* P1: in a loop, all accesses that move a shared pointer move it by the same number of bytes (it is
  moved once);
* P2: over a whole loop, or all parts of a split one, the motion adds up to 0. From stage `expanded`
  on it may add up to 0 in the outer loop, or not at all, if no access uses the pointer after the
  loop, in the same iteration of the outer loop; never in a parallel loop;
* P3: one iteration, including the remaining motion of inner loops, moves a pointer by the distance
  of neighbours in the dim that the loop walks. The pointer does not move if the port has size 1 in
  that dim, or in the loops that a buffer of the scratchpad lives in. In a loop that runs once it
  may stay until the end. A part of a split loop leaves the pointer where the next part begins.
"""

from __future__ import annotations

from collections.abc import Sequence

from snippets_mlir.checkers.linear_access_facts import Access, Pointer
from snippets_mlir.checkers.linear_loops import Item, LoopNode, fail, sibling_parts
from snippets_mlir.checkers.linear_motion import KernelMotion, Motions
from snippets_mlir.dialects.builtin.dims import format_size, static_size
from snippets_mlir.dialects.builtin.size_text import format_sizes
from snippets_mlir.dialects.lir.access import loop_ids
from snippets_mlir.dialects.lir.loops import LoopInfo


def verify_pointers(motion: KernelMotion) -> None:
    """Check the claims on a kernel at stage `looped` or later.

    Raises:
        CompileError: at the first loop or access that breaks one.
    """
    kernel, table = motion.kernel, motion.kernel.loop_table

    def walk(items: Sequence[Item], walked: dict[int, int], around: LoopNode | None = None) -> None:
        may_leave = kernel.reached("expanded") and (around is None or not around.info.parallel)
        for group in sibling_parts(items):
            moved = [motion.of(node) for node in group]
            after = items[items.index(group[-1]) + 1 :]
            _check_net(group, moved, _pointers(after, motion) if may_leave else None)
            origin = table.get(group[0].info.unified_id, group[0].info)
            inside = {origin.dim: static_size(origin.work_amount), **walked}
            for node, motions in zip(group, moved, strict=True):
                for access in motion.accesses_in(node):
                    step = motions.get(access.pointer, (0, 0))
                    if inside[origin.dim] != 1:
                        _check_stride(access, node.info, step, followed=node is not group[-1])
                walk(node.items, inside, node)

    walk(motion.items, {})


def _pointers(items: Sequence[Item], motion: KernelMotion) -> set[Pointer]:
    """The pointers of the accesses in `items`."""
    found: set[Pointer] = set()
    for item in items:
        if isinstance(item, LoopNode):
            found.update(access.pointer for access in motion.accesses_in(item))
        elif item in motion.accesses:
            found.add(motion.accesses[item].pointer)
    return found


def _check_net(
    group: Sequence[LoopNode], moved: Sequence[Motions], after: set[Pointer] | None
) -> None:
    """P2 for a loop, before accesses through the pointers in `after`; None for all pointers."""
    pointers = dict.fromkeys(pointer for motions in moved for pointer in motions)
    for pointer in pointers:
        net = 0
        for node, motions in zip(group, moved, strict=True):
            unit, final = motions.get(pointer, (0, 0))
            net += unit * static_size(node.info.work_amount) + final
        if net and (after is None or pointer in after):
            fail(
                group[0].begin,
                "P2",
                f"expected loop {group[0].info.unified_id} to take each pointer back to where it "
                f"began, found one that ends {format_size(net)} bytes away",
            )


def _check_stride(
    access: Access, loop: LoopInfo, motion: tuple[int, int], *, followed: bool
) -> None:
    """P3 for one access in one loop; other parts may follow the loop."""
    unit, final = motion
    expected = _expected(access, loop)
    if unit != expected and not (unit == 0 and loop.work_amount == loop.increment):
        fail(
            access.op,
            "P3",
            f"expected loop {loop.id} to move the pointer of {access.op.name} by "
            f"{format_size(expected)} "
            f"bytes per unit of dim {loop.dim} of {format_sizes(access.port.shape)}, found "
            f"{format_size(unit)}",
        )
    net = unit * loop.work_amount + final
    if followed and net != expected * loop.work_amount:
        fail(
            access.op,
            "P3",
            f"expected loop {loop.id}, which other parts follow, to move the pointer of "
            f"{access.op.name} by {format_size(expected * loop.work_amount)} bytes, found "
            f"{format_size(net)}",
        )


def _expected(access: Access, loop: LoopInfo) -> int:
    buffer = access.buffer
    own = () if buffer is None or buffer.output is not None else loop_ids(buffer)
    place = len(access.port.shape) - 1 - loop.dim
    if loop.id in own or access.port.shape[place] == 1:
        return 0
    return static_size(access.port.step(loop)) * access.size
