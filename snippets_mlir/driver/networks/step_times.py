"""The times and names of the steps of a run."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from snippets_mlir.driver.building.built import Built
from snippets_mlir.driver.reports.kernel_entry import KernelEntry
from snippets_mlir.runtime.manifests.manifest import Step
from snippets_mlir.runtime.steps.table_words import Launch


@dataclass(frozen=True)
class StepTime:
    """How long a step took in the last run of a network.

    Attributes:
        nodes: the nodes of the model that it computes, by name, first the node after which the step
            is named; ops if no node has a name.
        kind: `kernel`, `execute` (onnxruntime, NumPy), `copy`, `view`, or `rest` (threads stop
            spinning before a session runs).
        symbol: the kernel; empty for other kinds.
        begin: its start, in nanoseconds of `time.monotonic_ns`.
        end: its end.
        stream: the number of its stream; None: the caller's thread.
        step: its number in the manifest; None for `copy` and `rest`.
    """

    nodes: tuple[str, ...]
    kind: str
    symbol: str
    begin: int
    end: int
    stream: int | None
    step: int | None

    @property
    def nanoseconds(self) -> int:
        """How long it took."""
        return self.end - self.begin


Described = tuple[tuple[str, ...], str, str]
"""The nodes of a step (`StepTime.nodes`), its kind and its symbol."""


def kernel_entries(built: Built) -> dict[int, KernelEntry]:
    """The entry of each kernel step, by its number in the manifest.

    Calls may share a kernel, as equal layers of a model do: each has an entry of its own.
    """
    waiting: dict[str, deque[KernelEntry]] = {}
    for entry in built.kernels:
        waiting.setdefault(entry.name, deque()).append(entry)
    found: dict[int, KernelEntry] = {}
    for number, step in enumerate(built.program.form.manifest["steps"]):
        if entries := waiting.get(step.get("symbol") or ""):
            found[number] = entries.popleft()
    return found


def described_steps(built: Built) -> list[Described]:
    """Nodes, kind and symbol of each step of the manifest."""
    entries = kernel_entries(built)
    return [
        _described(step, entries.get(number))
        for number, step in enumerate(built.program.form.manifest["steps"])
    ]


def _described(step: Step, entry: KernelEntry | None) -> Described:
    symbol = step.get("symbol") or ""
    if (node := step.get("node")) is not None:
        return (str(node), *step.get("fused", ())), step["kind"], symbol
    if step["kind"] == "kernel":
        return (() if entry is None else entry.names or entry.ops), "kernel", symbol
    return tuple(step.get("ops") or ()), step["kind"], symbol


def described_launches(built: Built, launches: Sequence[Launch]) -> list[Described]:
    """Descriptions of a table's steps; steps outside of the manifest compute no nodes."""
    steps = described_steps(built)
    others: dict[bool, Described] = {True: ((), "rest", ""), False: ((), "copy", "")}
    return [
        others[callable(launch.kernel)] if launch.number is None else steps[launch.number]
        for launch in launches
    ]
