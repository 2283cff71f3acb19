"""Random programs through the planner of memory: its bounds, the checker, and runs.

`make fuzz SEED=n` runs them for a minute; ten thousand smaller graphs are in
`test_random_planned_graphs.py`. A number of them, from the folder `test/fuzz` with `../support` and
`../..` on the path:

    python test_random_memory.py --count 1000 --seed 0
"""

from __future__ import annotations

import argparse
import os
import random
import re
import sys
import time

import numpy as np
from random_memory import orders_of, overwritten, random_program
from random_programs import random_graph
from sampled import ALL
from xdsl.dialects.builtin import ModuleOp

import snippets_mlir
from snippets_mlir.dialects.builtin.dtypes import Array
from snippets_mlir.dialects.builtin.shaped import tensor_of
from snippets_mlir.dialects.program.graph import graphs_of
from snippets_mlir.interpreter import Interpreter
from snippets_mlir.interpreter.planned_programs import run_planned
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.passmanager.verification import check_module
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.parsing import parse_module
from snippets_mlir.support.printing import print_module

SECONDS = float(os.environ.get("SNIPPETS_FUZZ_SECONDS", "0"))
SEED = int(os.environ.get("SNIPPETS_FUZZ_SEED", "0"))
CONTEXT = make_context()
POOLS = ("offsets", "records", "none")
RUNS = 4


def check_plan(seed: int) -> None:
    """One program of steps: the bounds, and runs in every order if there are few steps."""
    rng = random.Random(f"plan {seed}")
    program = random_program(rng, rng.choice((6, 9, 40)))
    text_order = range(len(program.steps))
    for pool in POOLS:
        for queue in ("in-order", "out-of-order"):
            plan = program.placed(queue, pool)
            assert plan.live <= plan.arena <= plan.total
            assert overwritten(program, plan, text_order) is None
        if len(program.steps) <= 6:
            plan = program.placed("out-of-order", pool)
            for order in orders_of(program.steps):
                assert overwritten(program, plan, order) is None


def pipeline_of(rng: random.Random) -> str:
    """A pipeline that plans memory, and maybe a schedule."""
    queue, pool = rng.choice(("in-order", "out-of-order", "out-of-order")), rng.choice(POOLS)
    by = rng.choice(("", "depth", "memory", "levels"))
    passes = [f"program-order{{by={by}}}"] if by else []
    passes += [
        f"program-memory-dependencies{{queue={queue}}}",
        f"program-plan-memory{{pool={pool}}}",
    ]
    if rng.random() < 0.6:
        queues = 1 if queue == "in-order" else rng.randint(1, 4)
        passes.append(f"program-schedule{{queues={queues}}}")
    return ",".join(passes)


def check_runs(module: ModuleOp, inputs: list[Array], expected: tuple[Array, ...]) -> None:
    """Interleavings of a planned graph, in poisoned memory, give the expected outputs."""
    (graph,) = graphs_of(module)
    interpreter = Interpreter(module)
    for seed in range(RUNS):
        found = run_planned(interpreter, graph, inputs, seed)
        for a, b in zip(found, expected, strict=True):
            assert a.shape == b.shape
            assert np.array_equal(a, b, equal_nan=True)


def check_native(seed: int) -> None:
    """One graph, compiled from its planned text: results have the places that the text says."""
    rng = random.Random(f"native {seed}")
    module = parse_module(random_graph(rng), CONTEXT)
    run_passes(module, CONTEXT, parse_pipeline(pipeline_of(rng), CONTEXT), verify_each=True)
    (graph,) = graphs_of(module)
    shape = tensor_of(graph.block.args[0]).get_shape()
    inputs = [np.linspace(-1, 2, shape[0], dtype=np.float32)]
    expected = Interpreter(module).run("main", inputs)
    program = snippets_mlir.compile(print_module(module)).built().program
    slots = [slot for node in graph.nodes for slot in node.slots if slot.pool == "arena"]
    told = sorted((slot.offset, slot.size) for slot in slots)
    assert told == sorted((slot.offset, slot.size) for slot in program.storage.slots.values())
    for found in (program.run(inputs), program.run(inputs), program.run_in_python(inputs)):
        for a, b in zip(found, expected, strict=True):
            assert a.shape == b.shape
            assert np.array_equal(a, b, equal_nan=True)


def edited(text: str, rng: random.Random) -> str:
    """The text with one offset, one wait, one queue of a launch or the kind of queue changed."""
    edits: list[tuple[str, str]] = [
        (r"mem<arena, \d+", f"mem<arena, {rng.randrange(0, 12) * 64}"),
        (r"(program.wait %\w+) queue \d+", r"\1 queue 0"),
        (r'(program.launch "\w+") queue \d+', r"\1 queue 0"),
        (r'queue = "in-order"', 'queue = "out-of-order"'),
    ]
    pattern, new = rng.choice(edits)
    places = list(re.finditer(pattern, text))
    if not places:
        return text
    place = rng.choice(places)
    return text[: place.start()] + place.expand(new) + text[place.end() :]


def check_graph(seed: int) -> bool:
    """One graph: planned, it gives the outputs of the plain one; whether an edit was refused."""
    rng = random.Random(f"graph {seed}")
    module = parse_module(random_graph(rng), CONTEXT)
    shape = tensor_of(graphs_of(module)[0].block.args[0]).get_shape()
    inputs = [np.linspace(-1, 2, shape[0], dtype=np.float32)]
    expected = Interpreter(module).run("main", inputs)
    run_passes(module, CONTEXT, parse_pipeline(pipeline_of(rng), CONTEXT), verify_each=True)
    check_runs(module, inputs, expected)
    wrong = parse_module(edited(print_module(module), rng), CONTEXT)
    try:
        check_module(wrong)
    except CompileError:
        return True
    check_runs(wrong, inputs, expected)
    return False


def test_random_plans() -> None:
    for seed in range(40 if ALL else 15):
        check_plan(seed)


def test_random_graphs_run_in_their_memory() -> None:
    assert sum(check_graph(seed) for seed in range(8 if ALL else 4))


def test_random_plans_are_what_runs() -> None:
    for seed in range(12 if ALL else 5):
        check_native(seed)


def test_more_for_as_long_as_asked() -> None:
    """One at least; with `SNIPPETS_FUZZ_SECONDS` set, as many as fit."""
    first, end = 1_000_000 * (SEED + 1), time.monotonic() + SECONDS
    refused, seed = 0, first
    while seed == first or time.monotonic() < end:
        check_plan(seed)
        refused += check_graph(seed)
        check_native(seed)
        seed += 1
    print(f"seeds {first} to {seed - 1}; {refused} of as many edited graphs were refused")


def main() -> int:
    """The long run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    refused = 0
    for seed in range(options.seed, options.seed + options.count):
        try:
            check_plan(seed)
            refused += check_graph(seed)
            check_native(seed)
        except Exception:
            print(f"seed {seed}", file=sys.stderr)
            raise
    print(f"{options.count} programs; {refused} of as many edited ones were refused")
    return 0


if __name__ == "__main__":
    sys.exit(main())
