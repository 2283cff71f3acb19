"""The memory of each value of a program: a pure plan over a manifest.

A value is the caller's (an input), a constant, an output written in place, a slot of the arena (an
intermediate result of a kernel), or whatever an executor returns. A view lives where its source
lives: the *root* of a value is the value that owns the memory.

Where values go is what the manifest says (`mem`), as `program-plan-memory` has decided it in the
text of the program. For sizes that are known at a call only, the manifest says nothing, and the
values are placed here, by the same two files: `analysis/happens_before.py` and
`analysis/placement.py`. Two slots share bytes only when one value is dead before the step that
writes the other begins, so the inputs and outputs of one step never overlap. The scratchpads of
kernels are before the slots; their size depends on how many threads run a step. What no size
decides is found once for all calls of a program, and a plan serves smaller sizes, too (`Plans`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

from snippets_mlir.analysis.happens_before import InOrder, Life, Step, lives_of, owners_of
from snippets_mlir.analysis.placement import aligned, place
from snippets_mlir.runtime.arrays import dtype_from_name
from snippets_mlir.runtime.manifest import Manifest, Value
from snippets_mlir.runtime.manifest import Step as ManifestStep


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
        claims: root -> the output whose array it is written to in place.
        slots: root -> its slot of the arena.
        scratch: bytes that the kernels of a call need for their teams; at the start of the arena.
        arena: bytes of the arena.
        dead: for each step, the values that nothing reads after it.
    """

    roots: tuple[int, ...]
    claims: Mapping[int, int]
    slots: Mapping[int, Slot]
    scratch: int
    arena: int
    dead: tuple[tuple[int, ...], ...]


def byte_size(value: Value) -> int:
    """Bytes of a value of the manifest."""
    return prod(static_shape(value)) * dtype_from_name(value["dtype"]).itemsize


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


def _scratch(step: ManifestStep) -> int:
    return (step.get("scratch") or 0) if step["kind"] == "kernel" else 0


def last_uses(manifest: Manifest, roots: Sequence[int]) -> dict[int, int]:
    """For each root, the last step that touches it; outputs live until after the last step."""
    uses: dict[int, int] = {}
    for index, step in enumerate(manifest["steps"]):
        uses |= {roots[v]: index for v in (*step["inputs"], *step["outputs"])}
    return uses | {roots[o["value"]]: len(manifest["steps"]) for o in manifest["outputs"]}


@dataclass(frozen=True)
class Frame:
    """What a plan is made of and no size decides.

    Attributes:
        roots: as in `Storage`.
        written: the values that the plan is for.
        claims: as in `Storage`.
        lives: the values with a slot -> how long they live.
        dead: as in `Storage`.
    """

    roots: tuple[int, ...]
    written: tuple[int, ...]
    claims: Mapping[int, int]
    lives: Mapping[int, Life]
    dead: tuple[tuple[int, ...], ...]

    @staticmethod
    def of(manifest: Manifest, executed: bool) -> Frame:
        """The frame of a manifest; see `plan_storage` for `executed`."""
        steps = [
            Step(tuple(step["inputs"]), tuple(step["outputs"]), step["kind"] == "view")
            for step in manifest["steps"]
        ]
        owners = owners_of(steps)
        roots = tuple(owners.get(value, value) for value in range(len(manifest["values"])))
        writing = ("kernel", "execute") if executed else ("kernel",)
        written = [v for s in manifest["steps"] if s["kind"] in writing for v in s["outputs"]]
        results = [output["value"] for output in manifest["outputs"]]
        claims: dict[int, int] = {}
        for index, value in enumerate(results):
            if (root := roots[value]) in set(written):
                claims.setdefault(root, index)
        own = {*written} - claims.keys()
        lives = {v: life for v, life in lives_of(steps, results).items() if v in own}
        uses = last_uses(manifest, roots)
        ends: list[list[int]] = [[] for _ in steps]
        for value, root in enumerate(roots):
            if (last := uses.get(root)) is not None and last < len(steps):
                ends[last].append(value)
        return Frame(roots, tuple(written), claims, lives, tuple(map(tuple, ends)))


@dataclass(frozen=True, eq=False)
class _Placed:
    """Where values of a frame are that have at most these sizes, from the byte `start` on."""

    frame: Frame
    sizes: tuple[int, ...]
    start: int
    offsets: tuple[int, ...]
    arena: int

    def serves(self, sizes: Sequence[int], start: int) -> bool:
        """Whether values of other sizes fit, and use most of the memory."""
        pairs = zip(sizes, self.sizes, strict=True)
        fits = start <= self.start and all(size <= room for size, room in pairs)
        return fits and 8 * (start + sum(sizes)) >= 7 * (self.start + sum(self.sizes))


class Plans:
    """The plans of a program for the sizes of its calls.

    A plan holds for calls whose values are no larger, and together not much smaller. From the
    second one on, values that have grown get a sixteenth more, so that a cache that grows from call
    to call needs few plans.
    """

    def __init__(self) -> None:
        """Without plans."""
        self._frames: dict[bool, Frame] = {}
        self._last: _Placed | None = None

    def frame(self, manifest: Manifest, executed: bool) -> Frame:
        """The frame of the program."""
        if executed not in self._frames:
            self._frames[executed] = Frame.of(manifest, executed)
        return self._frames[executed]

    def placed(self, sizes: Sequence[int], frame: Frame, start: int) -> tuple[Sequence[int], int]:
        """The offsets of values of these sizes, from `start` on, and the bytes of the arena."""
        if (last := self._last) is not None and last.frame is frame:
            if last.serves(sizes, start):
                return last.offsets, last.arena
            pairs = zip(sizes, last.sizes, strict=True)
            sizes = [size + (size // 16 if size > room else 0) for size, room in pairs]
        lives = list(frame.lives.values())
        plan = place(sizes, lives, InOrder.of(lives), start=start)
        arena = start + plan.arena
        self._last = _Placed(frame, tuple(sizes), start, tuple(plan.offsets), arena)
        return plan.offsets, arena


def plan_storage(
    manifest: Manifest, teams: Sequence[int], executed: bool = False, plans: Plans | None = None
) -> Storage:
    """The memory of one call of the program, with step `i` on up to `teams[i]` threads.

    With `executed`, the results of executors are written where the plan says, too. `plans` are
    those for other sizes of the same program.
    """
    plans = plans or Plans()
    frame = plans.frame(manifest, executed)
    pairs = zip(manifest["steps"], teams, strict=True)
    scratch = max((_scratch(step) * team for step, team in pairs), default=0)
    told = _told(manifest, frame.written, aligned(scratch))
    if told is None:
        sizes = [byte_size(manifest["values"][value]) for value in frame.lives]
        offsets, arena = plans.placed(sizes, frame, aligned(scratch))
        slots = dict(zip(frame.lives, map(Slot, sizes, offsets), strict=True))
        told = frame.claims, slots, arena
    claims, slots, arena = told
    return Storage(frame.roots, claims, slots, scratch, arena, frame.dead)


_Places = tuple[Mapping[int, int], Mapping[int, Slot], int]
"""Claims, slots, and the bytes of the arena."""


def _told(manifest: Manifest, written: Sequence[int], start: int) -> _Places | None:
    """Where the manifest says that values are, in an arena from `start` on; None: it does not."""
    arena = manifest.get("arena")
    claims: dict[int, int] = {}
    slots: dict[int, Slot] = {}
    for value in written:
        match manifest["values"][value].get("mem"):
            case ["output", int() as index, *_]:
                claims[value] = index
            case ["arena", int() as offset, int() as size]:
                slots[value] = Slot(size, start + offset)
            case _:
                return None
    return None if arena is None else (claims, slots, start + arena)
