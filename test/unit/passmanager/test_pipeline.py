"""Pipelines: both spellings, values by type, and one clear error for each mistake."""

from __future__ import annotations

from pathlib import Path

import pytest
from sample_passes import SamplePass, StrictPass
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from snippets_mlir.passmanager.context import ToolContext, make_context, rehome
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes, spell
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.parsing import parse_module

EXAMPLES = Path(__file__).parents[3] / "docs/examples"


@pytest.fixture
def ctx() -> ToolContext:
    context = make_context()
    context.passes["sample"] = lambda: SamplePass
    context.passes["strict"] = lambda: StrictPass
    return context


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("  ", []),
        ("sample", [SamplePass()]),
        ("sample,", [SamplePass()]),
        (" sample , sample ", [SamplePass(), SamplePass()]),
        ("builtin.module(sample)", [SamplePass()]),
        ("builtin.module( any( sample{count=4} ), sample )", [SamplePass(count=4), SamplePass()]),
        ("sample{}", [SamplePass()]),
        ("sample{count=4 factor=2}", [SamplePass(count=4, factor=2.0)]),
        ("sample{count=0x10}", [SamplePass(count=16)]),
        ("sample{count=-1}", [SamplePass(count=-1)]),
        ("sample{factor=1e-5}", [SamplePass(factor=1e-5)]),
        ("sample{ count=4, factor=2 }", [SamplePass(count=4, factor=2.0)]),
        ("sample{sizes=1,2,3}", [SamplePass(sizes=(1, 2, 3))]),
        ("sample{sizes=1,2,count=3}", [SamplePass(sizes=(1, 2), count=3)]),
        ("sample{sizes=1,2,fast}", [SamplePass(sizes=(1, 2), fast=True)]),
        ("sample{fast}", [SamplePass(fast=True)]),
        ("sample{fast=false}", [SamplePass(fast=False)]),
        ("sample{mode=exact}", [SamplePass(mode="exact")]),
        ('sample{mode="exact"}', [SamplePass(mode="exact")]),
        ('sample{label="a b,c}"}', [SamplePass(label="a b,c}")]),
        (r'sample{label="say \"x\""}', [SamplePass(label='say "x"')]),
        ("sample{label='a b'}", [SamplePass(label="a b")]),
        ("sample{label=x86-64/v3.1}", [SamplePass(label="x86-64/v3.1")]),
        ("sample{limit=5}", [SamplePass(limit=5)]),
        ("sample{limit}", [SamplePass(limit=None)]),
        ("sample{either=2}", [SamplePass(either=2)]),
        ("sample{either=2.5}", [SamplePass(either=2.5)]),
        ("sample{long-name=1}", [SamplePass(long_name=1)]),
        ("sample{long_name=1}", [SamplePass(long_name=1)]),
        ("strict{need=1}", [StrictPass(1)]),
    ],
)
def test_text_to_passes(ctx: ToolContext, text: str, expected: list[object]):
    assert parse_pipeline(text, ctx) == expected


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("nosuchthing", 1, "unknown pass 'nosuchthing'; see --list-passes"),
        ("sample,sampel", 8, "unknown pass 'sampel'; did you mean 'sample'?"),
        ("sample{cuont=1}", 1, "no option 'cuont'; did you mean 'count'?; options: count=int"),
        ("sample{count=x}", 1, "option 'count' of pass 'sample': expected int, got 'x'"),
        ("sample{count=1,2}", 1, "expected int, got '1,2'"),
        ("sample{count=1.5}", 1, "expected int, got '1.5'"),
        ('sample{count="1"}', 1, "expected int, got '1'"),
        ("sample{count}", 1, "expected int, but no value is given"),
        ("sample{fast=maybe}", 1, "expected bool, got 'maybe'"),
        ("sample{mode=exat}", 1, "expected fast|exact, got 'exat'; did you mean 'exact'?"),
        ("sample{sizes=1,x}", 1, "expected int,..., got '1,x'"),
        ("sample{count=1 count=2}", 16, "option 'count' of pass 'sample' is given twice"),
        ("sample{count=", 14, "expected a value for option 'count', found the end"),
        ("sample{count=1", 15, "expected an option of 'sample' or '}', found the end"),
        ("sample{=1}", 8, "expected an option of 'sample' or '}', found '='"),
        ("sample sample", 8, "expected ',' between passes, found 's'"),
        ("sample)", 7, "expected ',' between passes, found ')'"),
        ("builtin.module(sample", 22, "expected ')' at the end of 'builtin.module(...'"),
        ("func.func(sample)", 1, "not on each 'func.func'"),
        (",", 1, "expected a pass name, found ','"),
        ("strict", 1, "pass 'strict' needs option 'need'; options: need=int (required)"),
        ("strict{need=0}", 1, "pass 'strict': need has to be positive"),
        ("snippets-to-lir{a=1}", 1, "pipeline 'snippets-to-lir' takes no options"),
    ],
)
def test_mistakes(ctx: ToolContext, text: str, column: int, message: str):
    with pytest.raises(CompileError) as caught:
        parse_pipeline(text, ctx)
    assert message in caught.value.message
    assert (caught.value.file, caught.value.line, caught.value.column) == ("<pipeline>", 1, column)


@pytest.mark.parametrize(
    "passes",
    [
        [SamplePass()],
        [SamplePass(count=-3, factor=0.1, sizes=(4, 5), fast=True, mode="exact")],
        [SamplePass(label='a "quoted" b'), StrictPass(7)],
        [SamplePass(label="back\\slash"), SamplePass(label="{a=b}"), SamplePass(label="")],
    ],
)
def test_printing_and_parsing_give_the_same(ctx: ToolContext, passes: list[SamplePass]):
    assert parse_pipeline(spell(passes), ctx) == passes


def test_hooks_see_each_pass(ctx: ToolContext):
    seen: list[str] = []
    run_passes(
        ModuleOp([]),
        ctx,
        parse_pipeline("sample,strict{need=1}", ctx),
        before=lambda p, module: seen.append(f"before {p.name}"),
        after=lambda p, module: seen.append(f"after {p.name}"),
    )
    assert seen == ["before sample", "after sample", "before strict", "after strict"]


def test_named_pipeline_stands_for_its_passes(ctx: ToolContext, monkeypatch: pytest.MonkeyPatch):
    from snippets_mlir.passes.pipelines import PIPELINES

    monkeypatch.setitem(PIPELINES, "mine", "sample{count=4},also-mine")
    monkeypatch.setitem(PIPELINES, "also-mine", "strict{need=2}")
    assert parse_pipeline("sample,mine", ctx) == [SamplePass(), SamplePass(count=4), StrictPass(2)]
    monkeypatch.setitem(PIPELINES, "also-mine", "mine")
    with pytest.raises(CompileError, match="pipeline 'mine' contains itself"):
        parse_pipeline("mine", ctx)


def test_upstream_tool_syntax(ctx: ToolContext):
    (found,) = parse_pipeline("mlir-opt[cse,canonicalize]", ctx)
    assert found.name == "mlir-opt"
    assert "builtin.module(cse,canonicalize)" in str(found)


def test_a_text_is_read_once_but_for_plugins():
    def identities(ctx: ToolContext) -> list[int]:
        passes = parse_pipeline("snippets-to-lir", ctx)
        found = [id(p) for p in passes]
        passes.clear()  # the list is the caller's
        return found

    ctx = make_context()
    first = identities(ctx)
    assert first
    assert identities(ctx) == first
    assert identities(ctx.clone()) != first
    ctx.plugin_passes.add("theirs")
    assert identities(ctx) != first


@pytest.mark.parametrize(
    "name", ["silu_mul", "softmax", "layer_norm", "attention", "product", "loops/stencil"]
)
def test_ops_have_the_classes_of_the_context_after_each_pass(name: str):
    ctx = make_context()
    module = parse_module((EXAMPLES / f"{name}.mlir").read_text(), ctx)
    strangers: dict[str, int] = {}

    def after(p: ModulePass, module: ModuleOp) -> None:
        strangers[p.name] = rehome(module, ctx)

    pipeline = "affine-to-llvm" if "loops" in name else "snippets-to-llvm"
    text = f"snippets-set-target{{target=x86-64-avx512 streaming=always}},{pipeline}"
    run_passes(module, ctx, parse_pipeline(text, ctx), after=after)
    assert set(strangers.values()) == {0}
