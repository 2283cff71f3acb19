"""What every pass says of itself, and that it is so."""

from __future__ import annotations

from collections import Counter
from dataclasses import fields
from pathlib import Path
from typing import get_args

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.passes.base import Form, Pass, Stage
from snippets_mlir.passes.patterns import PatternPass
from snippets_mlir.passes.plans import PlanPass
from snippets_mlir.passmanager import universe
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import has_side_effects, parse_pipeline, run_passes
from snippets_mlir.support.lazy import named
from snippets_mlir.support.parsing import parse_module
from snippets_mlir.support.printing import print_module

EXAMPLES = Path(__file__).resolve().parents[3] / "docs" / "examples"
PASSES: dict[str, type[Pass]] = {name: named(row) for name, row in universe.PASSES.items()}
CHANGELESS = [name for name, cls in PASSES.items() if cls.FORM in ("check", "report")]


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
    """Of all passes, those included that change nothing."""
    forms = Counter(cls.FORM for cls in PASSES.values())
    assert 2 * sum(forms[form] for form in ("equations", "formulas", "patterns")) >= sum(
        forms.values()
    )


SELECTED = """program.graph @main "selected" (%x: tensor<8xf32>) {
  %0 = program.node "a" (%a = %x) impl<"reference"> : (tensor<8xf32>) -> tensor<8xf32> {
    %r = snippets.relu %a : tensor<8xf32>
    program.yield %r : tensor<8xf32>
  }
  program.output %0 as "y" : tensor<8xf32>
}"""
PLANS = {
    "planned": "program-memory-dependencies,program-plan-memory",
    "scheduled": "program-schedule",
}


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    """A program of reductions and loops, and a graph of one node, as each stage leaves them."""
    found: dict[str, str] = {}

    def keep(_: ModulePass, module: ModuleOp) -> None:
        kernel = next((op for op in module.ops if isinstance(op, KernelOp)), None)
        if kernel is not None:
            found[kernel.stage.data] = print_module(module)

    ctx = make_context()
    module = parse_module((EXAMPLES / "softmax.mlir").read_text(encoding="utf-8"), ctx)
    found["graph"] = print_module(module)
    run_passes(module, ctx, parse_pipeline("snippets-to-llvm", ctx), before=keep)
    module = parse_module(SELECTED, ctx)
    for stage, pipeline in PLANS.items():
        run_passes(module, ctx, parse_pipeline(pipeline, ctx))
        found[stage] = print_module(module)
    return found


@pytest.fixture(scope="module")
def modules(texts: dict[str, str]) -> dict[str, ModuleOp]:
    """The modules of the texts, to be cloned."""
    return {stage: parse_module(text, make_context()) for stage, text in texts.items()}


@pytest.mark.parametrize("name", CHANGELESS)
def test_checks_and_reports_change_nothing(
    name: str,
    texts: dict[str, str],
    modules: dict[str, ModuleOp],
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    cls, ctx = PASSES[name], make_context()
    assert cls.STAGES.target is None
    for stage in cls.STAGES.source:
        file = tmp_path / f"{stage}.xml"
        options = f"{{path={file}}}" if any(f.name == "path" for f in fields(cls)) else ""
        module = modules[stage].clone()
        run_passes(module, ctx, parse_pipeline(f"{name}{options}", ctx))
        assert print_module(module) == texts[stage], stage
        says = file.exists() or any(capfd.readouterr())
        assert says == (cls.FORM == "report"), stage


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
