"""Examples from their host function to a schedule: each pass keeps every bit."""

from __future__ import annotations

from pathlib import Path

import pytest

from snippets_mlir.dialects.program.graph import graphs_of
from snippets_mlir.inspect.check_each import EachChecker
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.support.parsing import parse_module

EXAMPLES = Path(__file__).parents[4] / "docs" / "examples"
PLANS = {
    "in-order": "program-memory-dependencies,program-plan-memory,program-schedule",
    "out-of-order": "program-memory-dependencies{queue=out-of-order},program-plan-memory,"
    "program-schedule{queues=2}",
}


@pytest.mark.parametrize("queue", PLANS)
@pytest.mark.parametrize("name", ["two_outputs.mlir", "rank0.mlir"])
def test_a_scheduled_example_computes_the_same(name: str, queue: str) -> None:
    context = make_context()
    module = parse_module((EXAMPLES / name).read_text(encoding="utf-8"), context)
    passes = parse_pipeline(f"snippets-to-lir,convert-host-to-program,{PLANS[queue]}", context)
    checker = EachChecker(seed=1)
    checker.start(module)
    run_passes(module, context, passes, verify_each=True, after=checker.after)
    assert [graph.stage.data for graph in graphs_of(module)] == ["scheduled"]
