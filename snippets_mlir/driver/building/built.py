"""A finished build: its executable parts, and the facts for reports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from snippets_mlir.driver.reports.kernel_entry import KernelEntry, OpaqueOp
from snippets_mlir.runtime.program import Program

if TYPE_CHECKING:
    from snippets_mlir.codegen.load import LoadedObject


@dataclass(frozen=True)
class Built:
    """A program for one set of input shapes, and the facts for reports.

    Attributes:
        program: the executable program.
        code: the loaded kernels, which have to live as long as the program.
        passes: the textual pipeline that made it.
        kernels: the facts about each kernel call, in the order of the text.
        opaque: the ops that are in no kernel.
        seconds: time spent, by phase.
        any_shape: whether calls of all shapes may use it: it is one session.
        is_provisional: whether another build may soon replace it, so that each call asks again.
    """

    program: Program
    code: LoadedObject | None
    passes: str
    kernels: tuple[KernelEntry, ...]
    opaque: tuple[OpaqueOp, ...]
    seconds: Mapping[str, float]
    any_shape: bool = False
    is_provisional: bool = False


def of_call(built: Built) -> tuple[KernelEntry, ...]:
    """The facts about each kernel call, with the scratchpads that the build's sizes ask for."""
    if not any(it.facts is not None and isinstance(it.facts.scratch, str) for it in built.kernels):
        return built.kernels
    bytes_of = {
        symbol: scratch
        for step in built.program.manifest["steps"]
        if (symbol := step.get("symbol")) and isinstance(scratch := step.get("scratch"), int)
    }
    return tuple(
        entry
        if entry.facts is None
        else replace(
            entry,
            facts=replace(entry.facts, scratch=bytes_of.get(entry.name, entry.facts.scratch)),
        )
        for entry in built.kernels
    )
