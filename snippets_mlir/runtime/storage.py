"""The memory of each value of a program: a pure plan over a manifest.

A value is the caller's (an input), a constant, an output written in place, a slot of the arena (an
intermediate result of a kernel), or whatever an executor returns. A view lives where its source
lives: the *root* of a value is the value that owns the memory.

Two slots share bytes only when one value is dead before the step that writes the other begins, so
the inputs and outputs of one step never overlap. Slots are placed largest first, at the lowest
offset that is free for the whole life of the value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

from snippets_mlir.runtime.arrays import dtype_from_name
from snippets_mlir.runtime.manifest import Manifest, Step, Value
from snippets_mlir.runtime.scratch import ALIGNMENT


@dataclass(frozen=True)
class Slot:
    """A piece of the arena, `[offset, offset + size)`, in use from step `first` to step `last`."""

    value: int
    first: int
    last: int
    size: int
    offset: int = 0

    def meets(self, other: Slot) -> bool:
        """Whether both are in use at one step."""
        return self.first <= other.last and other.first <= self.last


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


def _aligned(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT


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


def _scratch(step: Step) -> int:
    return (step.get("scratch") or 0) if step["kind"] == "kernel" else 0


def find_roots(manifest: Manifest) -> list[int]:
    """For each value, the one that owns its memory."""
    roots = list(range(len(manifest["values"])))
    for step in manifest["steps"]:
        if step["kind"] == "view":
            roots[step["outputs"][0]] = roots[step["inputs"][0]]
    return roots


def last_uses(manifest: Manifest, roots: Sequence[int]) -> dict[int, int]:
    """For each root, the last step that touches it; outputs live until after the last step."""
    uses: dict[int, int] = {}
    for index, step in enumerate(manifest["steps"]):
        uses |= {roots[v]: index for v in (*step["inputs"], *step["outputs"])}
    return uses | {roots[o["value"]]: len(manifest["steps"]) for o in manifest["outputs"]}


def place(slots: Sequence[Slot], start: int = 0) -> list[Slot]:
    """The slots with offsets from `start` on, such that no two that meet share bytes."""
    placed: list[Slot] = []
    for slot in sorted(slots, key=lambda s: (-s.size, s.first)):
        offset = start
        for other in sorted((p for p in placed if p.meets(slot)), key=lambda p: p.offset):
            if offset + slot.size <= other.offset:
                break
            offset = max(offset, _aligned(other.offset + other.size))
        placed.append(Slot(slot.value, slot.first, slot.last, slot.size, offset))
    return placed


def plan_storage(manifest: Manifest, teams: Sequence[int]) -> Storage:
    """Plan the memory of one call of the program, with step `i` on up to `teams[i]` threads."""
    steps = manifest["steps"]
    roots = find_roots(manifest)
    uses = last_uses(manifest, roots)
    written = {v: i for i, s in enumerate(steps) if s["kind"] == "kernel" for v in s["outputs"]}
    claims: dict[int, int] = {}
    for index, output in enumerate(manifest["outputs"]):
        if (root := roots[output["value"]]) in written:
            claims.setdefault(root, index)
    needed = [_scratch(step) * team for step, team in zip(steps, teams, strict=True)]
    scratch = max(needed, default=0)
    slots = place(
        [
            Slot(value, first, uses[value], byte_size(manifest["values"][value]))
            for value, first in written.items()
            if value not in claims
        ],
        _aligned(scratch),
    )
    dead = [[v for v, root in enumerate(roots) if uses.get(root) == i] for i in range(len(steps))]
    return Storage(
        roots=tuple(roots),
        claims=claims,
        slots={slot.value: slot for slot in slots},
        scratch=scratch,
        arena=max((_aligned(s.offset + s.size) for s in slots), default=_aligned(scratch)),
        dead=tuple(map(tuple, dead)),
    )
