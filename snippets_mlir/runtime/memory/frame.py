"""The inputs of memory planning: lives and sizes of a program's values, before any call."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from snippets_mlir.analysis.memory.happens_before import Life, Step, lives_of, owners_of
from snippets_mlir.runtime.manifests.manifest import Manifest
from snippets_mlir.runtime.manifests.manifest import Step as ManifestStep


def scratch_of(step: ManifestStep) -> int:
    """Bytes of the scratchpad of a kernel; 0 for other steps."""
    return (step.get("scratch") or 0) if step["kind"] == "kernel" else 0


def roots_of(manifest: Manifest) -> tuple[int, ...]:
    """For each value, the value that owns its memory."""
    owners = owners_of(_order(manifest))
    return tuple(owners.get(value, value) for value in range(len(manifest["values"])))


def _order(manifest: Manifest) -> list[Step]:
    """The steps as lives are read from them."""
    return [
        Step(tuple(step["inputs"]), tuple(step["outputs"]), step["kind"] == "view")
        for step in manifest["steps"]
    ]


def last_uses(manifest: Manifest, roots: Sequence[int]) -> dict[int, int]:
    """For each root, the last step that touches it; outputs live until after the last step."""
    uses: dict[int, int] = {}
    for index, step in enumerate(manifest["steps"]):
        uses |= {roots[v]: index for v in (*step["inputs"], *step["outputs"])}
    return uses | {roots[o["value"]]: len(manifest["steps"]) for o in manifest["outputs"]}


@dataclass(frozen=True)
class Frame:
    """The data of a plan that do not depend on sizes.

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
    def of(manifest: Manifest, executed: bool, unsized: Collection[int] = ()) -> Frame:
        """The frame of a manifest; see `Memory` for the rest."""
        steps, roots = _order(manifest), roots_of(manifest)
        writing = ("kernel", "check", "execute") if executed else ("kernel",)
        writers = (step for step in manifest["steps"] if step["kind"] in writing)
        written = [v for step in writers for v in step["outputs"] if v not in unsized]
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
