"""Text between any two passes: after any pass the module prints and parses back to the same text,
and the rest of the pipeline run on what was parsed gives byte-equal LLVM text.

Two modules take the pipeline: one never becomes text, the other is text between any two passes. As
each pass makes the same text of both, each prefix can be followed by the rest in either way.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute
from xdsl.passes import ModulePass

from snippets_mlir.emit.llvm_text import emit_llvm
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes, spell
from snippets_mlir.passmanager.verification import check_module
from snippets_mlir.support.parsing import parse_module
from snippets_mlir.support.printing import print_module

EXAMPLES = Path(__file__).resolve().parents[3] / "docs" / "examples"
# Dynamic shapes are specialised by the driver before the pipeline runs.
STATIC = sorted(path for path in EXAMPLES.glob("*.mlir") if "tensor<?" not in path.read_text())
SAMPLE = ("integers", "rank0")
"""What `make test` runs; `make fuzz` runs all, those with long rows and many loops, too."""
CHOSEN = [p for p in STATIC if p.stem in SAMPLE or "SNIPPETS_FUZZ_SECONDS" in os.environ]
PIPELINE = "snippets-to-llvm"


SPELLED: set[object] = set()
"""What was read in the generic form before, in any example."""


def parse(text: str) -> ModuleOp:
    return parse_module(text, make_context())


def run_as_text(module: ModuleOp, passes: list[ModulePass]) -> None:
    """Run what the text of passes means, with no state of earlier ones."""
    ctx = make_context()
    run_passes(module, ctx, parse_pipeline(spell(passes), ctx))


def spellings(module: ModuleOp) -> set[object]:
    """What the generic form has to spell: names of ops, names and kinds of what they carry."""
    return {
        (op.name, *_kinds(op.properties), *_kinds(op.attributes), *map(type, op.result_types))
        for op in module.walk()
    }


def _kinds(attributes: dict[str, Attribute]) -> list[tuple[str, type[Attribute]]]:
    return [(name, type(value)) for name, value in attributes.items()]


def test_there_are_examples():
    assert len(STATIC) >= 12
    assert {path.stem for path in CHOSEN} >= set(SAMPLE)


@pytest.mark.parametrize("path", CHOSEN, ids=lambda path: path.stem)
def test_every_prefix_of_the_pipeline(path: Path):
    source = path.read_text(encoding="utf-8")
    ctx = make_context()
    module, again = parse(source), parse(source)
    before = ""
    since: list[ModulePass] = []
    for p in parse_pipeline(PIPELINE, ctx):
        run_passes(module, ctx, [p])
        since.append(p)
        text = print_module(module)
        if text == before:
            continue
        run_as_text(again, since)
        assert print_module(again) == text, f"{p.name} on what was read from text"
        before = text
        since = []
        again = parse(text)
        check_module(again)
        assert print_module(again) == text, f"after {p.name}"
        if not (new := spellings(module)) <= SPELLED:
            generic = print_module(module, generic=True)
            assert print_module(parse(generic)) == text, f"generic form after {p.name}"
            SPELLED.update(new)
    run_as_text(again, since)
    assert emit_llvm(again) == emit_llvm(module)
