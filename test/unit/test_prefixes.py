"""Text at every joint: after any pass the module prints and parses back to the same text, and the
rest of the pipeline run on what was parsed gives byte-equal LLVM text.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp

from snippets_mlir.context import make_context
from snippets_mlir.emit.llvm_text import emit_llvm
from snippets_mlir.parsing import parse_module, print_module
from snippets_mlir.pipeline_spec import check_module, parse_pipeline, run_passes, spell

EXAMPLES = Path(__file__).resolve().parents[2] / "docs" / "examples"
# Dynamic shapes are specialised by the driver before the pipeline runs.
STATIC = sorted(path for path in EXAMPLES.glob("*.mlir") if "tensor<?" not in path.read_text())
PIPELINE = "snippets-to-llvm"


def parse(text: str) -> ModuleOp:
    return parse_module(text, make_context())


def llvm_text(module: ModuleOp, pipeline: str) -> str:
    ctx = make_context()
    run_passes(module, ctx, parse_pipeline(pipeline, ctx))
    return emit_llvm(module)


def test_there_are_examples():
    assert len(STATIC) >= 5


@pytest.mark.parametrize("path", STATIC, ids=lambda path: path.stem)
def test_every_prefix_of_the_pipeline(path: Path):
    source = path.read_text(encoding="utf-8")
    ctx = make_context()
    passes = parse_pipeline(PIPELINE, ctx)
    expected = llvm_text(parse(source), PIPELINE)
    module = parse(source)
    before = ""
    for position, p in enumerate(passes):
        run_passes(module, ctx, [p])
        text = print_module(module)
        if text == before:
            continue
        before = text
        again = parse(text)
        check_module(again)
        assert print_module(again) == text, f"after {p.name}"
        generic = print_module(module, generic=True)
        assert print_module(parse(generic)) == text, f"generic form after {p.name}"
        rest = spell(passes[position + 1 :])
        assert llvm_text(again, rest) == expected, f"rest of the pipeline after {p.name}"
