"""Times of graphs in sessions of onnxruntime, and the lines through them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from engine_graphs import Graph

BLOCK = 0.012
BLOCKS = 3
"""Seconds of a block of calls, and blocks of each run."""

Middle = Callable[[Sequence[float]], float]


class Line(NamedTuple):
    """A line through points: the time of a unit, and the fixed time."""

    slope: float
    start: float


def line(xs: Sequence[float], ys: Sequence[float]) -> Line:
    """The line of least squares; weights give large and small times the same influence."""
    weights = 1 / np.maximum(np.asarray(ys), 1e-9)
    slope, start = np.polyfit(np.asarray(xs), np.asarray(ys), 1, w=weights)
    return Line(float(slope), float(start))


class Run:
    """Sessions that are called one after the other with arrays of ones, timed together."""

    def __init__(self, graphs: Sequence[Graph], threads: int, *, alone: bool = True) -> None:
        """`alone`: threads of a single session may spin from one call to the next."""
        import onnxruntime

        package: Any = onnxruntime
        self.calls: list[Callable[[], object]] = []
        for graph in graphs:
            options = package.SessionOptions()
            options.intra_op_num_threads = threads
            options.inter_op_num_threads = 1
            options.log_severity_level = 4
            if len(graphs) > 1 or not alone:  # as with kernels between the sessions
                options.add_session_config_entry("session.force_spinning_stop", "1")
            session = package.InferenceSession(
                graph.model.SerializeToString(), options, providers=["CPUExecutionProvider"]
            )
            names = [o.name for o in session.get_outputs()]
            self.calls.append(lambda s=session, n=names, feed=graph.feed(): s.run(n, feed))

    def __call__(self) -> None:
        """Run each session once."""
        for call in self.calls:
            call()


def nanoseconds(
    *runs: Callable[[], object], middle: Middle = min, blocks: int = BLOCKS
) -> list[float]:
    """The time of a call of each, in alternating blocks; `middle` summarizes all calls."""
    times: list[list[float]] = [[] for _ in runs]
    for _ in range(blocks):
        for run, found in zip(runs, times, strict=True):
            run()
            end = perf_counter() + BLOCK
            while True:  # at least one call, however long the process had to wait
                start = perf_counter()
                run()
                found.append((now := perf_counter()) - start)
                if now >= end:
                    break
    return [1e9 * middle(found) for found in times]
