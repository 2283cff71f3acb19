"""Kernels that a call in Python launches without further work, and their runtime slots."""

from __future__ import annotations

from collections.abc import Sequence
from ctypes import Array as Array_
from ctypes import addressof, c_int64, c_void_p
from typing import TYPE_CHECKING, NamedTuple

from snippets_mlir.codegen.stubs.interface import aligned_word
from snippets_mlir.runtime.manifests.manifest import Step

if TYPE_CHECKING:
    from snippets_mlir.runtime.program import Program


class Plain(NamedTuple):
    """A kernel that is neither counted nor watched: the arguments of `launch` that calls share."""

    kernel: int
    rt: int
    domain: int
    grain: int
    team: int
    aligned: int
    touched: tuple[int, ...]
    pointers: type[Array_[c_void_p]]


def slots_of(steps: Sequence[Step]) -> list[Array_[c_int64] | None]:
    """The runtime slots of each step; steps with equal ones share them."""
    made: dict[tuple[int, ...], Array_[c_int64]] = {}
    found: list[Array_[c_int64] | None] = []
    for step in steps:
        slots = tuple(step.get("rt") or ())
        if slots and slots not in made:
            made[slots] = (c_int64 * len(slots))(*slots)
        found.append(made.get(slots))
    return found


def plain_launches(program: Program) -> list[Plain | None]:
    """The launch of each step; None for a step that needs more work, or none."""
    found: list[Plain | None] = []
    for step, slots, team in zip(
        program.manifest["steps"], program.slots, program.teams, strict=True
    ):
        domain, grain = step.get("domain"), step.get("grain")
        plain = "symbol" in step and "counters" not in step and "sites" not in step
        if not plain or not domain or grain is None or program.writes_nothing(step):
            found.append(None)
            continue
        assert "symbol" in step
        touched = (*step["inputs"], *step["outputs"])
        found.append(
            Plain(
                program.addresses[step["symbol"]],
                0 if slots is None else addressof(slots),
                domain,
                grain,
                team,
                aligned_word(step.get("aligned")),
                touched,
                c_void_p * len(touched),
            )
        )
    return found
