"""What every pass says of itself, and that it is so."""

from __future__ import annotations

from collections import Counter
from typing import get_args

import pytest

from snippets_mlir.passes.base import DECLARATIVE, Form, Pass, Stage
from snippets_mlir.passes.patterns import PatternPass
from snippets_mlir.passes.plans import PlanPass
from snippets_mlir.passmanager import universe
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import has_side_effects, parse_pipeline

PASSES: dict[str, type[Pass]] = {name: universe.load(row) for name, row in universe.PASSES.items()}


@pytest.mark.parametrize("name", PASSES)
def test_a_pass_states_its_form_and_its_stages(name: str) -> None:
    cls = PASSES[name]
    assert issubclass(cls, Pass)
    assert cls.FORM in get_args(Form)
    assert cls.STAGES.source
    assert {*cls.STAGES.source, cls.STAGES.target or "any"} <= {*get_args(Stage)}
    assert issubclass(cls, PatternPass) == (cls.FORM in ("formulas", "patterns"))
    assert issubclass(cls, PlanPass) == (cls.FORM == "plan")


def test_half_of_the_passes_are_declarative() -> None:
    forms = Counter(cls.FORM for cls in PASSES.values())
    assert 2 * sum(forms[form] for form in DECLARATIVE) >= len(PASSES)


def test_checks_and_reports_change_nothing() -> None:
    """No pass of a pipeline after them takes another stage than what they found."""
    for cls in PASSES.values():
        if cls.FORM in ("check", "report"):
            assert cls.STAGES.target is None, cls.name


@pytest.mark.parametrize(
    ("text", "acts"),
    [
        ("lir-print-buffers", True),
        ("lir-cleanup-loop-offsets", False),
        ("lir-cleanup-loop-offsets{report=true}", True),
        ("lir-insert-perf-count", True),
        ("canonicalize,cse,snippets-to-llvm", False),
        ("print-between-passes", True),
        ("lir-debug-print", True),
    ],
)
def test_side_effects(text: str, acts: bool) -> None:
    if text == "print-between-passes":
        text = "printf-to-llvm"  # a pass of upstream's of which nothing is known
    passes = parse_pipeline(text, make_context())
    assert any(has_side_effects(p) for p in passes) == acts
