"""Pointers of a `lir.kernel` stand where the shapes of the arrays say.

Accesses share a pointer when they read one array under one view, write one output, or touch buffers
of one register group. Claims checked, from stage `looped` on:

* P1: in a loop, all accesses that move a shared pointer move it by the same bytes (it is moved
  once);
* P2: over a whole loop, or all parts of a split one, the motion adds up to 0;
* P3: a pointer moves by the distance of neighbours in the dim that the loop walks; it stands still
  where the port has size 1 in that dim, and in the loops that a buffer lives in. In a loop that
  runs once it may stand still until the end: P2 is about the sum.
"""

from __future__ import annotations

from collections.abc import Sequence

from snippets_mlir.checkers.linear_access_facts import (
    Access,
    Motions,
    accesses_in,
    known_accesses,
    motions_in,
)
from snippets_mlir.checkers.linear_loops import Item, LoopNode, fail, loop_nodes, sibling_parts
from snippets_mlir.dialects.lir.access import loop_ids
from snippets_mlir.dialects.lir.attributes import LoopInfo
from snippets_mlir.dialects.lir.kernel import KernelOp


def verify_pointers(kernel: KernelOp) -> None:
    """Check the claims on a kernel at stage `looped` or later.

    Raises:
        CompileError: at the first loop or access that breaks one.
    """
    known = known_accesses(kernel)
    table = kernel.loop_table

    def walk(items: Sequence[Item], walked: dict[int, int]) -> None:
        for group in sibling_parts(items):
            moved = [motions_in(node, known) for node in group]
            _check_net(group, moved)
            origin = table.get(group[0].info.unified_id, group[0].info)
            inside = {origin.dim: origin.work_amount, **walked}
            for node, motions in zip(group, moved, strict=True):
                for access in accesses_in(node, known):
                    _check_stride(access, node, motions, inside[origin.dim])
                walk(node.items, inside)

    walk(loop_nodes(kernel), {})


def _check_net(group: Sequence[LoopNode], moved: Sequence[Motions]) -> None:
    pointers = dict.fromkeys(pointer for motions in moved for pointer in motions)
    for pointer in pointers:
        net = 0
        for node, motions in zip(group, moved, strict=True):
            unit, final = motions.get(pointer, (0, 0))
            net += unit * node.info.work_amount + final
        if net:
            fail(
                group[0].begin,
                "P2",
                f"expected loop {group[0].info.unified_id} to take each pointer back to where it "
                f"began, found one that ends {net} bytes away",
            )


def _check_stride(access: Access, node: LoopNode, motions: Motions, walked: int) -> None:
    """P3 for one access in one loop over a dim of which the kernel walks `walked` units."""
    if walked == 1:
        return
    once = node.info.work_amount == node.info.increment
    if once and not motions.get(access.pointer, (0, 0))[0]:
        return
    expected = _expected(access, node.info)
    found = motions.get(access.pointer, (0, 0))[0]
    if expected != found:
        fail(
            access.op,
            "P3",
            f"expected loop {node.info.id} to move the pointer of {access.op.name} by {expected} "
            f"bytes per unit of dim {node.info.dim} of {list(access.port.shape)}, found {found}",
        )


def _expected(access: Access, loop: LoopInfo) -> int:
    own = () if access.buffer is None else loop_ids(access.buffer)
    place = len(access.port.shape) - 1 - loop.dim
    if loop.id in own or access.port.shape[place] == 1:
        return 0
    return access.port.stride(place) * access.size
