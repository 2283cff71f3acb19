"""Passes that are patterns: one sweep equals xDSL's walker, and every pattern fires somewhere.

Each pass is checked on the lit tests that have its name: wherever it runs there, the same patterns
run on a copy through `PatternRewriteWalker(..., apply_recursively=False)`, and the texts are equal.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from lit_runner import run_test
from sampled import sampled
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    PatternRewriteWalker,
)

from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.passes.patterns import AnyPattern, Pattern, PatternPass
from snippets_mlir.passmanager import universe
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.lazy import named
from snippets_mlir.support.parsing import parse_module
from snippets_mlir.support.printing import print_module

LIT = Path(__file__).resolve().parents[2] / "passes"
PASSES: dict[str, type[PatternPass]] = {
    name: cls for name, row in universe.PASSES.items() if issubclass(cls := named(row), PatternPass)
}


def walk(p: PatternPass, module: ModuleOp) -> None:
    """What the pass does, by xDSL's driver."""
    p.prepare(module)
    for root, patterns in p.sweeps(module):
        applier = GreedyRewritePatternApplier([*patterns], dce_enabled=False)
        walker = PatternRewriteWalker(applier, apply_recursively=False)
        for region in root.regions:
            walker.rewrite_region(region)
    p.complete(module)


class Watch:
    """Runs a pass by both drivers and counts what fires."""

    def __init__(self, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
        self.name = name
        self.runs = 0
        self.fired: set[type[AnyPattern]] = set()
        self._apply = PatternPass.apply
        self._match = Pattern[Any, Any].match_and_rewrite
        watch = self

        def apply(p: PatternPass, ctx: Context, op: ModuleOp) -> None:
            watch.apply(p, ctx, op)

        def match_and_rewrite(p: AnyPattern, op: Operation, rewriter: PatternRewriter) -> None:
            before = rewriter.has_done_action
            watch._match(p, op, rewriter)
            if rewriter.has_done_action and not before:
                watch.fired.add(type(p))

        monkeypatch.setattr(PatternPass, "apply", apply)
        monkeypatch.setattr(Pattern, "match_and_rewrite", match_and_rewrite)

    def apply(self, p: PatternPass, ctx: Context, op: ModuleOp) -> None:
        """Run a pass; if it is the one that is watched, the walker on a copy, too."""
        if p.name != self.name:
            self._apply(p, ctx, op)
            return
        other, before = op.clone(), print_module(op)
        self._apply(p, ctx, op)
        walk(p, other)
        assert print_module(op) == print_module(other), f"{p.name} on\n{before}"
        self.runs += 1


def lit_tests(name: str) -> list[Path]:
    return [
        path
        for path in sorted(LIT.rglob(f"{name}*.mlir"))
        if re.search(rf"\b{name}\b(?!-)", path.read_text()) and "inputs" not in path.parts
    ]


@pytest.mark.usefixtures("unverified")
@pytest.mark.parametrize("name", sampled(PASSES, 5))
def test_the_sweep_is_the_walker(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    watch, tests = Watch(name, monkeypatch), lit_tests(name)
    assert tests, f"there is no lit test of {name}"
    for path in tests:
        run_test(path, only=name)
    assert watch.runs
    idle = [p.name for p in PASSES[name].PATTERNS if p not in watch.fired]
    assert not idle, f"no lit test of {name} makes these fire: {idle}"


@pytest.mark.parametrize("name", PASSES)
def test_patterns_are_named_and_local(name: str) -> None:
    patterns = PASSES[name].PATTERNS
    names = [pattern.name for pattern in patterns]
    assert len(set(names)) == len(names)
    for pattern in patterns:
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", pattern.name)
        assert pattern.__doc__, pattern
        assert not {ModuleOp, KernelOp}.intersection(pattern.ops)


TEXT = """
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = snippets.subgraph (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %1 = snippets.multiply %a, %a : tensor<4xf32>
    %2 = snippets.add %1, %a : tensor<4xf32>
    snippets.yield %2 : tensor<4xf32>
  }
  func.return %0 : tensor<4xf32>
}
"""


def after(passes: str) -> str:
    """What passes make of `TEXT`."""
    ctx = make_context()
    module = parse_module(TEXT, ctx)
    spec = f"snippets-set-target{{target=x86-64-avx2}},{passes}"
    run_passes(module, ctx, parse_pipeline(spec, ctx))
    return print_module(module)


def test_a_pattern_can_be_disabled() -> None:
    assert "snippets.fma" in after("snippets-mul-add-to-fma")
    assert "snippets.fma" not in after("snippets-mul-add-to-fma{disable-patterns=multiply-add}")
    with pytest.raises(CompileError, match="has no pattern 'multiply'; did you mean"):
        after("snippets-mul-add-to-fma{disable-patterns=multiply}")
