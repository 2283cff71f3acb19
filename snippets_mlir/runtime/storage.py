"""The memory of each value of a program: a pure plan over a manifest.

A value is the caller's (an input), a constant, an output written in place, a slot of the arena (an
intermediate result of a kernel), or whatever an executor returns. A view lives where its source
lives: the *root* of a value is the value that owns the memory.

Where values go is what the manifest says (`mem`), as `program-plan-memory` has decided it in the
text of the program. For sizes that are known at a call only, the manifest says nothing, and the
values are placed here, by the same two files: `analysis/happens_before.py` and
`analysis/placement.py`. Two slots share bytes only when one value is dead before the step that
writes the other begins, so the inputs and outputs of one step never overlap. The scratchpads of
kernels are before the slots; their size depends on how many threads run a step.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from math import prod

from snippets_mlir.analysis.happens_before import InOrder, Step, lives_of, owners_of
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


def plan_storage(manifest: Manifest, teams: Sequence[int], executed: bool = False) -> Storage:
    """The memory of one call of the program, with step `i` on up to `teams[i]` threads.

    With `executed`, the results of executors are written where the plan says, too.
    """
    values, manifest_steps = manifest["values"], manifest["steps"]
    steps = [
        Step(tuple(step["inputs"]), tuple(step["outputs"]), step["kind"] == "view")
        for step in manifest_steps
    ]
    owners = owners_of(steps)
    roots = [owners.get(value, value) for value in range(len(values))]
    writing = ("kernel", "execute") if executed else ("kernel",)
    written = [v for s in manifest_steps if s["kind"] in writing for v in s["outputs"]]
    needed = [_scratch(step) * team for step, team in zip(manifest_steps, teams, strict=True)]
    scratch = max(needed, default=0)
    told = _told(manifest, written, aligned(scratch))
    if told is None:
        told = _placed(manifest, steps, roots, set(written), aligned(scratch))
    claims, slots, arena = told
    uses = last_uses(manifest, roots)
    dead = [[v for v, root in enumerate(roots) if uses.get(root) == i] for i in range(len(steps))]
    return Storage(
        roots=tuple(roots),
        claims=claims,
        slots=slots,
        scratch=scratch,
        arena=arena,
        dead=tuple(map(tuple, dead)),
    )


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


def _placed(
    manifest: Manifest,
    steps: Sequence[Step],
    roots: Sequence[int],
    written: AbstractSet[int],
    start: int,
) -> _Places:
    """A plan for values of known sizes, in an arena from `start` on."""
    claims: dict[int, int] = {}
    for index, output in enumerate(manifest["outputs"]):
        if (root := roots[output["value"]]) in written:
            claims.setdefault(root, index)
    lives = lives_of(steps, [output["value"] for output in manifest["outputs"]])
    placed = {v: life for v, life in lives.items() if v in written and v not in claims}
    sizes = [byte_size(manifest["values"][value]) for value in placed]
    in_order = list(placed.values())
    plan = place(sizes, in_order, InOrder.of(in_order), start=start)
    slots = dict(zip(placed, map(Slot, sizes, plan.offsets), strict=True))
    return claims, slots, start + plan.arena
