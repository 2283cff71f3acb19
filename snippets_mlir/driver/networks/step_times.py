"""The times of the steps of a run, and what steps are called."""

from __future__ import annotations

from dataclasses import dataclass

from snippets_mlir.driver.built import Built
from snippets_mlir.runtime.manifest import Step
from snippets_mlir.runtime.table import Launch


@dataclass(frozen=True)
class StepTime:
    """How long a step took in the last run of a network.

    Attributes:
        nodes: the nodes of the model that it computes, by name, the one that gives the step its
            name first; ops where none has a name.
        kind: `kernel`, `execute` (onnxruntime, NumPy), `copy`, `view`, or `rest` (threads stop to
            spin before a session runs).
        symbol: the kernel; empty for other kinds.
        begin: when it began, in nanoseconds of `time.monotonic_ns`.
        end: when it ended.
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


def described_launch(built: Built, launch: Launch) -> tuple[tuple[str, ...], str, str]:
    """Nodes, kind and symbol of a step of the table."""
    if launch.step is not None:
        return nodes_of(built, launch.step)
    return (), "rest" if callable(launch.kernel) else "copy", ""


def nodes_of(built: Built, step: Step) -> tuple[tuple[str, ...], str, str]:
    """Nodes, kind and symbol of a step of the manifest."""
    symbol = step.get("symbol") or ""
    if (node := step.get("node")) is not None:
        return (str(node), *step.get("fused", ())), step["kind"], symbol
    if step["kind"] == "kernel":
        entry = next((entry for entry in built.kernels if entry.name == symbol), None)
        return (() if entry is None else entry.names or entry.ops), "kernel", symbol
    return tuple(step.get("ops") or ()), step["kind"], symbol
