"""Our `canonicalize` makes of every module what upstream's makes of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.transforms import canonicalize

from snippets_mlir.passes.graph.canonicalize.upstream_canonicalize import (
    CanonicalizePass,
)
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline
from snippets_mlir.support.parsing import parse_module
from snippets_mlir.support.printing import print_module

EXAMPLES = sorted((Path(__file__).resolve().parents[4] / "docs" / "examples").glob("*.mlir"))

TEXTS = {
    "dead": """
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = snippets.relu %x : tensor<4xf32>
  %1 = snippets.exp %0 : tensor<4xf32>
  func.return %x : tensor<4xf32>
}""",
    "effects stay": """
func.func @main(%p: !llvm.ptr, %x: f32) {
  %0 = llvm.load %p : !llvm.ptr -> f32
  %1 = "test.unknown"(%x) : (f32) -> f32
  llvm.store %x, %p : f32, !llvm.ptr
  func.return
}""",
    "regions": """
func.func @main(%n: index, %x: f32) -> f32 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %dead = scf.for %i = %zero to %n step %one iter_args(%a = %x) -> (f32) {
    %s = arith.addf %a, %x : f32
    scf.yield %s : f32
  }
  %live = scf.for %i = %zero to %n step %one iter_args(%a = %x) -> (f32) {
    %unread = arith.mulf %a, %a : f32
    scf.yield %x : f32
  }
  func.return %live : f32
}""",
    "blocks": """
func.func @main(%c: i1, %x: i32) -> i32 {
  %true = arith.constant true
  cf.cond_br %true, ^a(%x : i32), ^b(%x : i32)
^a(%y: i32):
  cf.br ^b(%y : i32)
^b(%z: i32):
  %sum = arith.addi %z, %z : i32
  func.return %sum : i32
}""",
    "constants": """
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = snippets.constant dense<2.0> : tensor<4xf32>
  %1 = snippets.constant dense<3.0> : tensor<4xf32>
  %2 = snippets.add %0, %1 : tensor<4xf32>
  %3 = snippets.multiply %x, %2 : tensor<4xf32>
  %4 = snippets.multiply %x, %2 : tensor<4xf32>
  func.return %3 : tensor<4xf32>
}""",
}


def same(module: ModuleOp) -> str:
    """What upstream's pass and ours make of it, which has to be one text."""
    ctx = make_context(allow_unregistered=True)
    text = print_module(module)
    made: list[str] = []
    for wanted in (canonicalize.CanonicalizePass(), CanonicalizePass()):
        copy = parse_module(text, ctx)
        wanted.apply(ctx, copy)
        made.append(print_module(copy))
    assert made[0] == made[1]
    return made[1]


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_small_modules(text: str) -> None:
    made = same(parse_module(text, make_context(allow_unregistered=True)))
    assert made
    assert "snippets.exp" not in made
    assert ("test.unknown" in made) == ("test.unknown" in text)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples(path: Path) -> None:
    same(parse_module(path.read_text(), make_context()))


def test_pipelines_have_it() -> None:
    (found,) = parse_pipeline("canonicalize", make_context())
    assert type(found) is CanonicalizePass
    assert isinstance(found, canonicalize.CanonicalizePass)
    assert found.name == "canonicalize"
