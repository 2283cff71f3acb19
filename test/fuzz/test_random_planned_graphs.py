"""Passes that plan memory and queues against the checkers, on random graphs; and poisoned runs.

A sample runs with all tests, and 10,000 more, or as many as fit, with `make fuzz SEED=n`. Other
graphs, from the folder `test/fuzz` with `../support` and `../..` on the path:

    python test_random_planned_graphs.py --count 1000 --seed 5
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from random_planned_graphs import (
    conflict_pairs,
    edit,
    inputs_of,
    mix,
    random_graph_of_nodes,
    without_conflict,
)
from sampled import ALL, sampled
from xdsl.dialects.builtin import ModuleOp

from snippets_mlir.dialects.program.graph import GraphOp, graphs_of
from snippets_mlir.interpreter import Interpreter
from snippets_mlir.interpreter.planned_programs import run_planned
from snippets_mlir.passes.program.program_memory_dependencies import (
    ProgramMemoryDependenciesPass,
)
from snippets_mlir.passes.program.program_order import ProgramOrderPass
from snippets_mlir.passes.program.program_plan_memory import ProgramPlanMemoryPass
from snippets_mlir.passes.program.program_schedule import ProgramSchedulePass
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import run_passes
from snippets_mlir.passmanager.verification import check_module
from snippets_mlir.support.errors import CompileError

COUNT = 100
FULL = 10_000
"""So many graphs are planned, checked and run in poisoned memory in `make fuzz` at least."""
SECONDS = float(os.environ.get("SNIPPETS_FUZZ_SECONDS", "0"))
SEED = int(os.environ.get("SNIPPETS_FUZZ_SEED", "0"))
CONTEXT = make_context()
RUNS = 2
"""Interleavings of a graph as planned, and of one whose edit is accepted."""


def refused(module: ModuleOp) -> str | None:
    """The claim or law that a module breaks."""
    try:
        check_module(module)
    except CompileError as error:
        return error.message
    return None


def check_runs(module: ModuleOp, expected: Sequence[Any], rng: random.Random) -> None:
    """Interleavings in poisoned memory give the expected outputs."""
    (graph,) = graphs_of(module)
    interpreter = Interpreter(module, {"onnx.node": mix})
    for _ in range(RUNS):
        found = run_planned(interpreter, graph, inputs_of(graph), rng.randrange(1 << 30))
        for a, b in zip(found, expected, strict=True):
            assert a.shape == b.shape
            assert np.array_equal(a, b)


def check_conflicts(graph: GraphOp, module: ModuleOp, rng: random.Random) -> int:
    """The checker finds a pair that is taken out of the conflicts; how many pairs there are."""
    pairs = conflict_pairs(graph)
    if pairs:
        copy = module.clone()
        pair = rng.choice(sorted(pairs))
        without_conflict(graphs_of(copy)[0], pair)
        message = refused(copy)
        assert message is not None, pair
        assert message.startswith("M2: "), message
    return len(pairs)


def check_graph(seed: int, counts: Counter[str]) -> None:
    """Plan one graph, run it, and run it again after an edit, or see the edit refused."""
    rng = random.Random(f"planned {seed}")
    module = random_graph_of_nodes(rng, rng.choice((4, 9, 9, 20)))
    (graph,) = graphs_of(module)
    expected = Interpreter(module, {"onnx.node": mix}).run("main", inputs_of(graph))
    by = rng.choice((None, None, "depth", "memory", "levels"))
    queue = rng.choice(("in-order", "out-of-order", "out-of-order"))
    if by is not None:
        run_passes(module, CONTEXT, [ProgramOrderPass(by=by)])
    run_passes(module, CONTEXT, [ProgramMemoryDependenciesPass(queue=queue)])
    counts["pairs in conflict"] += check_conflicts(graph, module, rng)
    pool = rng.choice(("offsets", "offsets", "records", "none"))
    run_passes(module, CONTEXT, [ProgramPlanMemoryPass(pool=pool)])
    if rng.random() < 0.6:
        queues = 1 if queue == "in-order" else rng.randint(1, 4)
        run_passes(module, CONTEXT, [ProgramSchedulePass(queues=queues)])
    assert refused(module) is None, refused(module)
    check_runs(module, expected, rng)
    counts["graphs"] += 1
    counts["nodes"] += len(graph.nodes)
    counts[f"{queue} graphs"] += 1
    if rng.random() < 0.5:  # the checker decides, not the law on ranges in conflict
        for node in graph.nodes:
            del node.properties["conflicts"]
    if edit(graph, rng) is None:
        return
    message = refused(module)
    if message is None:
        check_runs(module, expected, rng)
    counts["edits accepted" if message is None else f"edits refused by {_claim(message)}"] += 1


def _claim(message: str) -> str:
    label = message.split(":")[0]
    return label if len(label) == 2 else "laws"


def check_graphs(first: int, count: int, seconds: float = 0.0) -> Counter[str]:
    """`count` graphs of successive seeds, and more until so many seconds have gone by.

    The seed of one that fails is on standard error.
    """
    counts, end, seed = Counter[str](), time.monotonic() + seconds, first
    while seed < first + count or time.monotonic() < end:
        try:
            check_graph(seed, counts)
        except BaseException:
            print(f"seed {seed}", file=sys.stderr)
            raise
        seed += 1
    return counts


def told(first: int, counts: Counter[str]) -> str:
    """What was done, as text."""
    return f"seeds {first} to {first + counts['graphs'] - 1}: " + ", ".join(
        f"{number} {what}" for what, number in sorted(counts.items())
    )


@pytest.mark.parametrize("part", sampled(range(4), 2))
def test_planner_and_checkers_agree(part: int) -> None:
    """A quarter of the graphs, in a quarter of the time."""
    counts = check_graphs(part * COUNT // 4, COUNT // 4)
    assert counts["graphs"] == COUNT // 4
    first = SEED * 1_000_000 + part * 250_000 + COUNT
    counts += check_graphs(first, FULL // 4 if ALL else 0, SECONDS / 4)
    assert counts["edits accepted"] > counts["graphs"] / 20
    for claim in ("M1", "M3", "R1", "laws"):
        assert counts[f"edits refused by {claim}"], claim
    print(counts)


def main() -> None:
    """A part of the long run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    print(told(options.seed, check_graphs(options.seed, options.count)))


if __name__ == "__main__":
    main()
