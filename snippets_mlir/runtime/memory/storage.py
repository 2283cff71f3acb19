"""The memory of each value of a program: a pure plan over a manifest.

A value is the caller's (an input), a constant, an output written in place, a slot of the arena (an
intermediate result of a kernel), or the result of an executor. A view shares the memory of its
source: the *root* of a value is the value that owns the memory.

The manifest states the places of values (`mem`), as `program-plan-memory` has decided in the text
of the program. If sizes are known only at a call, the manifest has no places, and this module
places the values with the same two files: `analysis/memory/happens_before.py` and
`analysis/placement.py`. Two slots share bytes only if one value is dead before the step that
writes the other begins, so the inputs and outputs of one step never overlap. The scratchpads of
kernels come before the slots; their size depends on the number of threads of a step. In this case
some results of executors are not in a slot but in the executor's memory (`session_results.py`).
Facts that depend on no size are computed once for all calls of a program, and a plan also serves
smaller sizes (`Memory`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from snippets_mlir.analysis.memory.happens_before import InOrder
from snippets_mlir.analysis.placement import aligned, place
from snippets_mlir.runtime.manifests.formulas import Numbers
from snippets_mlir.runtime.manifests.manifest import Manifest, Value
from snippets_mlir.runtime.memory.frame import Frame
from snippets_mlir.runtime.memory.session_results import apart_of


@dataclass(frozen=True)
class Slot:
    """The piece of the arena, `[offset, offset + size)`, that a value is in."""

    size: int
    offset: int


@dataclass(frozen=True)
class Storage:
    """The plan: see the module docstring.

    Attributes:
        roots: for each value, the value that owns its memory.
        claims: root -> the output into whose array it is written in place.
        slots: root -> its slot of the arena.
        scratch: bytes that the kernels of a call need for their teams; at the start of the arena.
        arena: bytes of the arena.
        dead: for each step, the values that nothing reads after it.
        apart: the values in memory allocated by their executors.
    """

    roots: tuple[int, ...]
    claims: Mapping[int, int]
    slots: Mapping[int, Slot]
    scratch: int
    arena: int
    dead: tuple[tuple[int, ...], ...]
    apart: frozenset[int]


def known_sizes(value: Value) -> list[int | None]:
    """The shape of a value that a kernel or a view reads or writes: its rank is known."""
    sizes = value["shape"]
    assert sizes is not None, "a kernel or view of unknown rank"
    return sizes


def static_shape(value: Value) -> tuple[int, ...]:
    """The shape of a value that a kernel reads or writes: kernels have no dynamic dims."""
    sizes = known_sizes(value)
    static = tuple(s for s in sizes if s is not None)
    assert len(static) == len(sizes), f"a kernel with dynamic dims: {sizes}"
    return static


SMALL_ARENA = 1 << 20
"""Bytes of values and scratchpads up to which a plan serves all smaller calls, and is not searched
for: making a plan takes longer than a kernel. In this case no result is in its executor's memory
(`session_results.py`).
"""


KEPT_PLANS = 16


class Places(NamedTuple):
    """The places of the values with a slot in the arena of one call.

    Attributes:
        sizes: bytes of each of them.
        offsets: of each of them.
        scratch: as in `Storage`, as is `arena`.
        apart: the numbers of the values outside of the arena, in memory of their executors.
        plan: the other sizes that it is valid for; None: for no others.
    """

    sizes: Numbers
    offsets: Numbers
    scratch: int
    arena: int
    apart: tuple[int, ...] = ()
    plan: Plan | None = None


@dataclass(frozen=True, eq=False)
class Plan:
    """Places for values of at most these sizes, from the byte `start` on.

    Attributes:
        sizes: the most bytes of each value.
        asked: the bytes of scratchpads, then of each value, in the call for which it was made.
        start: the most bytes of scratchpads.
        least: the fewest bytes, of values and scratchpads together, for which the plan is used.
        most: the most bytes for which it is used.
        offsets: as in `Places`, as are `arena` and `apart`.
    """

    sizes: Numbers
    asked: Numbers
    start: int
    least: int
    most: int
    offsets: Numbers
    arena: int
    apart: tuple[int, ...]

    def serves(self, sizes: Numbers, start: int, needed: int) -> bool:
        """Whether values of other sizes fit, and use most of the memory; together they need so
        many bytes.
        """
        if not (start <= self.start and self.least <= needed <= self.most):
            return False
        return not (sizes > self.sizes).any()


class Memory:
    """The plans of a program for the sizes of its calls.

    A plan is valid for calls whose values are not larger, and together not much smaller, unless the
    whole plan is small. From the second plan on, values and scratchpads that have grown get an
    eighth more memory, in a small arena a half, so that a cache that grows from call to call needs
    few plans. The latest plans are kept for calls with varying sizes.

    Attributes:
        frame: the data that do not depend on sizes.
        claims: as in `Storage`.
        slots: the values with a slot.
    """

    def __init__(self, manifest: Manifest, executed: bool, unsized: Collection[int] = ()) -> None:
        """The plans of a program with this manifest.

        With `executed`, the results of executors are also written to planned places; values in
        `unsized` are in memory of their executors.
        """
        self.frame = Frame.of(manifest, executed, unsized)
        self.claims = self.frame.claims
        steps = enumerate(manifest["steps"])
        self._executed = {i for i, step in steps if executed and step["kind"] == "execute"}
        self.slots = tuple(self.frame.lives)
        self._told: tuple[Numbers, Numbers, int] | None = None
        if (told := _told(manifest, self.frame.written)) is not None:
            self.claims, slots, arena = told
            self.slots = tuple(slots)
            sizes, offsets = ([getattr(s, n) for s in slots.values()] for n in ("size", "offset"))
            self._told = np.array(sizes, np.int64), np.array(offsets, np.int64), arena
        self._plans: deque[Plan] = deque(maxlen=KEPT_PLANS)  # the latest last

    def places(self, sizes: Numbers, scratch: int) -> Places:
        """The places of values of these sizes, if kernels need this many bytes of scratchpads."""
        start = aligned(scratch)
        if self._told is not None:
            sizes, offsets, arena = self._told
            return Places(sizes, offsets + start, scratch, arena + start)
        plan = self._plan(sizes, start)
        return Places(sizes, plan.offsets, scratch, plan.arena, plan.apart, plan)

    def _plan(self, sizes: Numbers, start: int) -> Plan:
        """A plan for values of these sizes, from `start` on."""
        needed, plans = start + int(sizes.sum()), [*self._plans]
        for plan in reversed(plans):
            if plan.serves(sizes, start, needed):
                return plan
        asked = np.array([start, *sizes], np.int64)
        if plans:
            # This includes values that the last plan has room for: they grow together with the
            # others.
            part = 2 if needed <= SMALL_ARENA else 8
            most = asked + np.where(asked > plans[-1].asked, asked // part, 0)
            start, sizes = aligned(int(most[0])), most[1:]
        lives = list(self.frame.lives.values())
        apart = apart_of(sizes.tolist(), lives, self._executed)
        inside = sizes.copy()
        inside[[*apart]] = 0
        largest = start + int(sizes.sum())
        is_small = largest <= SMALL_ARENA
        conflicts, search = InOrder.of(lives), not is_small
        placed = place(inside.tolist(), lives, conflicts, start=start, search=search)
        least = 0 if is_small else -(-3 * largest // 4)
        offsets = np.array(placed.offsets, np.int64)
        made = Plan(sizes, asked, start, least, largest, offsets, start + placed.arena, apart)
        self._plans.append(made)
        return made

    def storage(self, places: Places) -> Storage:
        """The places as a plan of all values."""
        pairs = zip(places.sizes.tolist(), places.offsets.tolist(), strict=True)
        slots = {v: Slot(*pair) for v, pair in zip(self.slots, pairs, strict=True)}
        apart = frozenset(self.slots[number] for number in places.apart)
        for value in apart:
            del slots[value]
        frame = self.frame
        scratch, arena = places.scratch, places.arena
        return Storage(frame.roots, self.claims, slots, scratch, arena, frame.dead, apart)


_Told = tuple[Mapping[int, int], Mapping[int, Slot], int]
"""Claims, slots, and the bytes of the arena."""


def _told(manifest: Manifest, written: Sequence[int]) -> _Told | None:
    """The places that the manifest states, in an arena from 0 on; None if it states none."""
    arena = manifest.get("arena")
    claims: dict[int, int] = {}
    slots: dict[int, Slot] = {}
    for value in written:
        match manifest["values"][value].get("mem"):
            case ["output", int() as index, *_]:
                claims[value] = index
            case ["arena", int() as offset, int() as size]:
                slots[value] = Slot(size, offset)
            case _:
                return None
    return None if arena is None else (claims, slots, arena)
