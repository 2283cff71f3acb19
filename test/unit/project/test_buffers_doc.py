"""`docs/buffers.md`: what it says that commands print is what they print."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from snippets_mlir.checkers.linear_ir import verify_linear_ir
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.parsing import parse_module

DOCS = Path(__file__).resolve().parents[3] / "docs"
TEXT = (DOCS / "buffers.md").read_text(encoding="utf-8")


def pipelines() -> list[str]:
    """The pipelines of the page's commands."""
    return [p.replace("\\\n", "") for p in re.findall(r"-p '([^']*)'", TEXT)]


def shown(first: str) -> str:
    """The indented block that begins so."""
    lines = TEXT[TEXT.index(f"    {first}") :].split("\n\n")[0].splitlines()
    return "\n".join(line.removeprefix("    ") for line in lines)


def test_report(capsys: pytest.CaptureFixture[str]) -> None:
    ctx = make_context()
    module = parse_module((DOCS / "examples" / "buffers.mlir").read_text(encoding="utf-8"), ctx)
    run_passes(module, ctx, parse_pipeline(pipelines()[0], ctx), verify_each=True)
    assert capsys.readouterr().out.strip() == shown("kernel @subgraph_0: 4 loops")


def test_the_checker_finds_the_buffer_that_was_moved() -> None:
    ctx = make_context()
    module = parse_module((DOCS / "examples" / "buffers.mlir").read_text(encoding="utf-8"), ctx)
    run_passes(module, ctx, parse_pipeline(pipelines()[1], ctx))
    text = str(module)
    assert text.count("offset = 1024") == 1
    moved = parse_module(text.replace("offset = 1024", "offset = 0"), ctx, "wrong.mlir")
    with pytest.raises(CompileError) as caught:
        verify_linear_ir(moved)
    message = " ".join(shown("wrong.mlir:").split())
    assert message.endswith(f"error: {caught.value.message}")
    assert message.startswith(f"wrong.mlir:{caught.value.line}:{caught.value.column}: ")
