"""`docs/program-memory.md`: what it says that commands print is what they print."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from snippets_mlir.dialects.program.graph import graphs_of
from snippets_mlir.passes.plans import PlanPass
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.support.parsing import parse_module

TEXT = (Path(__file__).resolve().parents[3] / "docs" / "program-memory.md").read_text("utf-8")
CONTEXT = make_context()


def block(start: str, at: int = 0) -> str:
    """The next fenced block whose fence begins so."""
    begin = TEXT.index("\n", TEXT.index(f"```{start}", at)) + 1
    return TEXT[begin : TEXT.index("```", begin)].strip()


def test_explanations_are_those_of_the_passes() -> None:
    pages = list(re.finditer(r"-p '?([^' ]+)'? --explain=(\S+)", TEXT))
    assert len(pages) == 3
    for page in pages:
        module = parse_module(block("mlir"), CONTEXT)
        *before, last = parse_pipeline(page[1], CONTEXT)
        run_passes(module, CONTEXT, before)
        assert isinstance(last, PlanPass)
        assert last.name == page[2]
        assert "\n".join(last.explained(module)) == block("text", page.end())


@pytest.mark.parametrize("queue", ["in-order", "out-of-order"])
def test_the_table_of_arenas(queue: str) -> None:
    (row,) = re.findall(rf"^\| {queue} \| (\d+) \| (\d+) \| (\d+) \|$", TEXT, re.MULTILINE)
    for kib, pool in zip(row, ("offsets", "records", "none"), strict=True):
        module = parse_module(block("mlir"), CONTEXT)
        spec = f"program-memory-dependencies{{queue={queue}}},program-plan-memory{{pool={pool}}}"
        run_passes(module, CONTEXT, parse_pipeline(spec, CONTEXT))
        assert graphs_of(module)[0].number("arena") == int(kib) * 1024
