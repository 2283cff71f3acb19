"""Files with the times of the steps of a run, as CSV or as a Chrome trace.

write_times("steps.csv", network.node_profile())
write_trace("trace.json", network.profile())        for chrome://tracing or ui.perfetto.dev
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

from snippets_mlir.driver.networks.node_states import EXECUTED, NodeState
from snippets_mlir.driver.networks.step_times import StepTime
from snippets_mlir.inspect.chrome_trace import event, write_events
from snippets_mlir.support.errors import CompileError

COLUMNS = ("stream", "node", "state", "kind", "kernel", "begin (us)", "time (us)")


def write_times(file: str, nodes: Sequence[NodeState]) -> None:
    """Write a line of CSV for each node of the model; begins count from the first one.

    The node that gives a step its name has the times; the other nodes are fused into it, or
    optimised out.

    Raises:
        CompileError: the file cannot be written.
    """
    first = min((node.step.begin for node in nodes if node.step is not None), default=0)
    try:
        with Path(file).open("w", newline="", encoding="utf-8") as out:
            writer = csv.writer(out)
            writer.writerow(COLUMNS)
            for node in nodes:
                stream, step = "" if node.stream is None else node.stream, node.step
                how = ("", "") if step is None else (step.kind, step.symbol)
                times: tuple[object, object] = ("", "")
                if step is not None and node.state == EXECUTED:
                    times = (step.begin - first) / 1000, step.nanoseconds / 1000
                writer.writerow([stream, node.node, node.state, *how, *times])
    except OSError as error:
        raise CompileError(f"cannot write it: {error.strerror}", file=file) from None


def write_trace(file: str, rows: Sequence[StepTime]) -> None:
    """Write the steps as JSON in Chrome's trace format, a row for each stream.

    A step is named after the first node of the model that it computes.

    Raises:
        CompileError: the file cannot be written.
    """
    first = min((row.begin for row in rows), default=0)
    events = [
        event(
            next(iter(row.nodes), row.kind),
            row.kind,
            row.begin - first,
            row.nanoseconds,
            0 if row.stream is None else row.stream,
            nodes=[*row.nodes],
            kernel=row.symbol,
        )
        for row in rows
    ]
    write_events(file, events)
