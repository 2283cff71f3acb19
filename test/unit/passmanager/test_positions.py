"""Passes at positions of a pipeline: from Python, from a plugin, from a target machine."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import snippets_mlir
from snippets_mlir.driver.settings import Settings
from snippets_mlir.driver.sources import load_source
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline
from snippets_mlir.passmanager.plugins import load_pass_plugin
from snippets_mlir.passmanager.positions import insert_passes, place_of, read_insertion
from snippets_mlir.targets import machine as machines

PROGRAM = """func.func @main(%x: tensor<40xf32>) -> tensor<40xf32> {
  %0 = snippets.relu %x : tensor<40xf32>
  func.return %0 : tensor<40xf32>
}"""

PLUGIN = """
from dataclasses import dataclass
from xdsl.dialects.builtin import UnitAttr
from xdsl.passes import ModulePass

@dataclass(frozen=True)
class Mark(ModulePass):
    name = "mark-it"

    def apply(self, ctx, op):
        op.attributes["test.marked"] = UnitAttr()

PASSES = {"mark-it": Mark}
POSITIONS = ["after:snippets-tokenize:mark-it"]
"""


def test_positions_are_about_the_pipeline_as_it_was() -> None:
    """Several at one place stand in the order given; `after` is about the last of a name."""
    ctx = make_context()
    passes = parse_pipeline("cse,dce,cse", ctx)
    texts = ["end:canonicalize", "after:cse:licm", "before:cse:dce", "start:canonicalize"]
    names = [p.name for p in insert_passes(passes, texts, ctx)]
    assert names == ["dce", "canonicalize", "cse", "dce", "cse", "canonicalize", "licm"]
    assert place_of(read_insertion("after:cse:dce"), ["cse", "dce", "cse"]) == 3


def test_from_python() -> None:
    """The inserted pass is in the pipeline of the program, which still computes the same."""
    program = snippets_mlir.compile(PROGRAM, insert_passes=["before:lir-init-loops:cse"])
    x = np.linspace(-1, 1, 40, dtype=np.float32)
    np.testing.assert_array_equal(program(x), np.maximum(x, 0))
    assert ",cse,lir-init-loops" in program.passes


@pytest.mark.parametrize("text", ["afterr:cse:dce", "after:cse", "end:", "before::dce"])
def test_malformed_insertions(text: str) -> None:
    """They are errors before anything is compiled."""
    with pytest.raises(snippets_mlir.CompileError, match=r"position|expected"):
        snippets_mlir.compile(PROGRAM, insert_passes=[text])


@pytest.mark.parametrize("size", ["40", "?"])
def test_unknown_anchor(size: str) -> None:
    """The error has a close match, and comes before the first call of a dynamic program."""
    text = PROGRAM.replace("40", size)
    with pytest.raises(snippets_mlir.CompileError, match="did you mean 'lir-fuse-loops'"):
        snippets_mlir.compile(text, insert_passes=["after:lir-fuse-loop:cse"])


def test_unknown_pass_of_a_dynamic_program() -> None:
    """A pipeline is read when a program is compiled, not when it is called."""
    with pytest.raises(snippets_mlir.CompileError, match="did you mean 'snippets-to-llvm'"):
        snippets_mlir.compile(PROGRAM.replace("40", "?"), pipeline="snippets-to-lvm")


def test_from_a_plugin(tmp_path: Path) -> None:
    """A plugin's `POSITIONS` hold for every pipeline of its context."""
    path = tmp_path / "marker.py"
    path.write_text(PLUGIN)
    ctx = make_context()
    load_pass_plugin(str(path), ctx)
    settings = Settings.filled(context=ctx)
    module = load_source(PROGRAM, None, ctx).module
    assert "snippets-tokenize,mark-it" in settings.passes_for(module)
    assert ctx.clone().positioned == ctx.positioned


def test_from_a_target(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine adds its own passes."""
    mine = replace(machines.machine("generic"), positioned=("end:cse",))
    monkeypatch.setitem(machines.TARGETS, "generic", mine)
    settings = Settings.filled(target="generic")
    module = load_source(PROGRAM, None, make_context()).module
    assert settings.passes_for(module).endswith(",cse")
