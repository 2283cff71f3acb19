"""How the loops of a `lir.kernel` move pointers, and the bytes that each access then touches.

    loop 0, work 8, inc 1        each access of %x: 4 bytes per unit, -32 after the end
      loop 1, work 64, inc 16    64 bytes per iteration, back at the end
        lir.load %x              reaches bytes 0 to 32 + 256

The checkers of loops, pointers, accesses and buffers share one `KernelMotion` of a kernel, so each
fact is computed once. This module also checks claims N1, N2 and N5 of `linear_loops.py`, and P1 and
P3 of `linear_pointers.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from xdsl.ir import Operation

from snippets_mlir.checkers.linear_access_facts import Access, Pointer, known_accesses
from snippets_mlir.checkers.linear_footprints import Reach, Step
from snippets_mlir.checkers.linear_loops import Item, LoopNode, fail, loop_nodes
from snippets_mlir.dialects.builtin.dims import format_size, static_size
from snippets_mlir.dialects.lir.gather import GatherOp
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.loops import PARTS, LoopInfo

Motions = dict[Pointer, tuple[int, int]]
"""For each pointer that a loop moves: bytes per unit of the counter, bytes after the end."""


class KernelMotion:
    """The loops of an unchanging kernel, and their motions of its pointers."""

    def __init__(self, kernel: KernelOp) -> None:
        self.kernel = kernel
        self._motions: dict[LoopNode, Motions] = {}
        self._inside: dict[LoopNode, list[Access]] = {}

    @cached_property
    def items(self) -> list[Item]:
        """The ops as a tree; CompileError if N1, N2 or N5 does not hold."""
        return loop_nodes(self.kernel)

    @cached_property
    def accesses(self) -> dict[Operation, Access]:
        """The loads and stores with known facts."""
        return known_accesses(self.kernel)

    def accesses_in(self, node: LoopNode) -> list[Access]:
        """The accesses in a loop, nested ones included, in order of execution."""
        if (found := self._inside.get(node)) is None:
            found = self._inside[node] = []
            for item in node.items:
                if isinstance(item, LoopNode):
                    found += self.accesses_in(item)
                elif item in self.accesses:
                    found.append(self.accesses[item])
        return found

    def of(self, node: LoopNode) -> Motions:
        """How an iteration of a loop, with all inner loops, moves pointers (P1, P3).

        Motion that inner loops do not reset is part of it, except in a parallel loop, whose units
        compute the pointer from their counter: P2 forbids it there.
        """
        if (found := self._motions.get(node)) is None:
            found = self._motions[node] = self._of(node)
        return found

    def _of(self, node: LoopNode) -> Motions:
        motions = self._own(node)
        for pointer, inside in self._net(node.items).items():
            if not inside or node.info.parallel:
                continue
            loop = node.info
            unit, final = motions.get(pointer, (0, 0))
            each = unit * loop.increment + inside
            if each % loop.increment == 0:
                motions[pointer] = (each // loop.increment, final)
            elif loop.work_amount == loop.increment:
                motions[pointer] = (0, final + each)
            else:
                fail(
                    node.begin,
                    "P3",
                    f"expected loop {loop.id} to move each pointer alike for every unit, found one "
                    f"that {format_size(loop.increment)} units move by {format_size(each)} bytes",
                )
        return motions

    def _net(self, items: Sequence[Item]) -> dict[Pointer, int]:
        """The bytes by which all loops among `items` move each pointer."""
        moved: dict[Pointer, int] = {}
        for node in items:
            if isinstance(node, LoopNode):
                for pointer, (unit, final) in self.of(node).items():
                    net = unit * node.info.work_amount + final
                    moved[pointer] = moved.get(pointer, 0) + static_size(net)
        return moved

    def _own(self, node: LoopNode) -> Motions:
        """The motions of a loop from the ports in it (P1)."""
        motions: Motions = {}
        for access in self.accesses_in(node):
            for motion in access.port.loops:
                if motion.loop != node.info.id:
                    continue
                moved = (
                    static_size(motion.pointer_increment) * access.size,
                    static_size(motion.finalization_offset) * access.size,
                )
                if moved == (0, 0):
                    continue
                if motions.setdefault(access.pointer, moved) != moved:
                    fail(
                        access.op,
                        "P1",
                        f"expected the accesses of one pointer to move it alike in loop "
                        f"{node.info.id}, found {motions[access.pointer]} and {moved} bytes per "
                        "unit and after the end",
                    )
        return motions

    @cached_property
    def reaches(self) -> dict[Operation, tuple[Access, Reach]]:
        """For each access the memory it touches, by following its pointer through earlier loops."""
        known = self.accesses
        found: dict[Operation, tuple[Access, Reach]] = {}
        places = _places_of_parts(self.kernel)

        def walk(
            items: Sequence[Item], path: tuple[tuple[LoopNode, Motions, Motions], ...]
        ) -> None:
            position: dict[Pointer, int] = {}
            for item in items:
                if isinstance(item, LoopNode):
                    motions = self.of(item)
                    entry: Motions = {pointer: (at, 0) for pointer, at in position.items()}
                    walk(item.items, (*path, (item, motions, entry)))
                    for pointer, (unit, final) in motions.items():
                        moved = unit * static_size(item.info.work_amount) + final
                        position[pointer] = position.get(pointer, 0) + moved
                elif item in known:
                    access = known[item]
                    steps = tuple(
                        Step(
                            node.info,
                            motions.get(access.pointer, (0, 0))[0],
                            entry.get(access.pointer, (0, 0))[0],
                            *places.get(node.info.id, (0, 0, True)),
                        )
                        for node, motions, entry in path
                    )
                    found[item] = (access, _reach(access, steps))

        walk(self.items, ())
        return found


def _places_of_parts(kernel: KernelOp) -> dict[int, tuple[int, int, bool]]:
    """For each part of a loop: see `Step`."""
    parts: dict[int, list[LoopInfo]] = {}
    for loop in kernel.loop_table.values():
        if loop.iteration != "unified":
            parts.setdefault(loop.origin, []).append(loop)
    found: dict[int, tuple[int, int, bool]] = {}
    for group in parts.values():
        group.sort(key=lambda part: PARTS.index(part.iteration))
        after = before = 0
        for part in group:
            found[part.id] = (after, before, part is group[-1])
            after, before = part.increment, before + static_size(part.work_amount)
    return found


def _reach(access: Access, steps: tuple[Step, ...]) -> Reach:
    last = static_size(access.port.stride(len(access.port.shape) - 1)) if access.port.shape else 1
    size, offset = access.size, static_size(access.op.distance) * access.size
    farthest = 0
    if isinstance(op := access.op, GatherOp):
        parts = zip(op.limits, op.steps, strict=True)
        farthest = sum(static_size(limit) * static_size(step) for limit, step in parts)
    return Reach(op, steps, op.elements, size, last * size, offset, farthest * size)
