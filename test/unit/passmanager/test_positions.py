"""Passes at positions of a pipeline: from Python, from a plugin, from a target machine."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import snippets_mlir
from snippets_mlir.driver.settings import Settings
from snippets_mlir.driver.sources.load import load_source
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline
from snippets_mlir.passmanager.plugins import load_pass_plugin
from snippets_mlir.passmanager.positions import insert_passes, place_of, read_insertion
from snippets_mlir.targets import machine as machines
from snippets_mlir.tools import snippets_opt

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
"""


def test_positions_are_about_the_pipeline_as_it_was() -> None:
    """Several at one place stand in the order given; `after` is about the last of a name."""
    ctx = make_context()
    passes = parse_pipeline("cse,dce,cse", ctx)
    texts = ["end:canonicalize", "after:cse:licm", "before:cse:dce", "start:canonicalize"]
    names = [p.name for p in insert_passes(passes, texts, ctx)]
    assert names == ["dce", "canonicalize", "cse", "dce", "cse", "canonicalize", "licm"]
    assert place_of(read_insertion("after:cse:dce"), ["cse", "dce", "cse"]) == 3


def test_passes_are_left_out() -> None:
    """All of a name; what is inserted there stays."""
    ctx = make_context()
    passes = parse_pipeline("cse,dce,cse", ctx)
    texts = ["without:cse", "after:cse:licm", "end:cse"]
    assert [p.name for p in insert_passes(passes, texts, ctx)] == ["dce", "licm", "cse"]
    with pytest.raises(snippets_mlir.CompileError, match="the pipeline has no pass 'licm'"):
        insert_passes(passes, ["without:licm"], ctx)
    with pytest.raises(snippets_mlir.CompileError, match="expected without:NAME, found 'without:'"):
        insert_passes(passes, ["without:"], ctx)
    program = snippets_mlir.compile(PROGRAM, insert_passes=["without:lir-fuse-loops"])
    assert "lir-fuse-loops" not in program.passes


def test_from_python() -> None:
    """The inserted pass is in the pipeline of the program, which still computes the same."""
    program = snippets_mlir.compile(PROGRAM, insert_passes=["before:lir-init-loops:cse"])
    x = np.linspace(-1, 1, 40, dtype=np.float32)
    np.testing.assert_array_equal(program(x), np.maximum(x, 0))
    assert ",cse,lir-init-loops" in program.passes


MALFORMED = {
    "afterr:cse:dce": "unknown position 'afterr' in 'afterr:cse:dce'; did you mean 'after'?",
    "cse": "unknown position 'cse' in 'cse'; expected start:PASS, end:PASS, before:NAME:PASS, "
    "after:NAME:PASS or without:NAME",
    "after:cse": "expected after:NAME:PASS, found 'after:cse', which has no PASS",
    "end:": "expected end:PASS, found 'end:', which has no PASS",
    "before::dce": "expected before:NAME:PASS, found 'before::dce', which has no NAME",
}


@pytest.mark.parametrize("text", MALFORMED)
def test_malformed_insertions(text: str) -> None:
    """They are errors before anything is compiled, and name the part that is missing."""
    with pytest.raises(snippets_mlir.CompileError) as caught:
        snippets_mlir.compile(PROGRAM, insert_passes=[text])
    assert caught.value.message == MALFORMED[text]


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


def with_positions(tmp_path: Path, positions: str) -> Path:
    """A file with the plug-in, and what it has for `POSITIONS`."""
    path = tmp_path / "marker.py"
    path.write_text(f"{PLUGIN}POSITIONS = {positions}")
    return path


AFTER = "['after:snippets-tokenize:mark-it']"


def test_from_a_plugin(tmp_path: Path) -> None:
    """A plug-in's `POSITIONS` hold for every pipeline of its context that has the place."""
    path = with_positions(tmp_path, AFTER)
    ctx = make_context()
    load_pass_plugin(str(path), ctx)
    module = load_source(PROGRAM, None, ctx).module
    assert "snippets-tokenize,mark-it" in Settings.filled(context=ctx).passes_for(module)
    assert Settings.filled(context=ctx, pipeline="cse").passes_for(module) == "cse"
    assert ctx.clone().positioned == ctx.positioned


def test_positions_of_plugins_in_programs(tmp_path: Path) -> None:
    """Programs of pipelines with and without the place, and a function on memrefs."""
    plugins = [with_positions(tmp_path, "['before:lower-affine:mark-it']")]
    x = np.linspace(-1, 1, 40, dtype=np.float32)
    program = snippets_mlir.compile(PROGRAM, plugins=plugins, pipeline="snippets-to-llvm")
    np.testing.assert_array_equal(program(x), np.maximum(x, 0))
    assert "mark-it" not in program.passes
    copy = snippets_mlir.compile(
        """func.func @f(%x: memref<4xf32>, %y: memref<4xf32>) {
          affine.for %i = 0 to 4 {
            %v = affine.load %x[%i] : memref<4xf32>
            affine.store %v, %y[%i] : memref<4xf32>
          }
          func.return
        }""",
        plugins=plugins,
    )
    assert ",mark-it,lower-affine" in copy.passes


def test_a_reproducer_has_the_positions_already(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """They are in its pipeline: they were made when it was written."""
    plugin = with_positions(tmp_path, "['before:cse:mark-it']")
    option = f"--load-pass-plugin={plugin}"
    path = tmp_path / "found.mlir"
    path.write_text(f"// RUN: snippets-opt %s {option} -p mark-it,cse\n{PROGRAM}")
    for options in (["--run-reproducer"], [option, "-p=cse"]):
        assert snippets_opt.main([str(path), *options, "--mlir-print-ir-before-all"]) == 0
        assert capsys.readouterr().err.count("(mark-it)") == 1


WRONG = {
    "'end:mark-it'": "expected a list of strings, as in ['end:cse'], found 'end:mark-it'",
    "[1]": "expected a list of strings, as in ['end:cse'], found [1]",
    "['end:']": "expected end:PASS, found 'end:', which has no PASS",
}


@pytest.mark.parametrize("positions", WRONG)
def test_positions_that_a_plugin_cannot_have(tmp_path: Path, positions: str) -> None:
    """They are refused when the plug-in is loaded; a string is no list of characters."""
    path = with_positions(tmp_path, positions)
    with pytest.raises(snippets_mlir.CompileError) as caught:
        load_pass_plugin(str(path), make_context())
    assert caught.value.message == f"plugin '{path}': POSITIONS: {WRONG[positions]}"


FORGETS = "after:lir-assign-registers:lir-init-live-ranges"
"""Registers are no longer known after it, and the next pass counts on them."""


def test_what_inserted_passes_make_is_verified(tmp_path: Path) -> None:
    """Of the caller, of a plug-in and of a target; passes that break no law run."""
    plugin = with_positions(tmp_path, f"[{FORGETS!r}]")
    ways: list[dict[str, Any]] = [{"insert_passes": [FORGETS]}, {"plugins": [plugin]}]
    for text in (PROGRAM, PROGRAM.replace("40", "?")):
        for options in ways:
            with pytest.raises(snippets_mlir.CompileError, match=r"after pass '.*L12") as caught:
                snippets_mlir.compile(text, **options)(np.ones(40, np.float32))
            assert caught.value.line == 2
        right = snippets_mlir.compile(text, insert_passes=["after:lir-assign-registers:cse"])
        x = np.linspace(-1, 1, 40, dtype=np.float32)
        np.testing.assert_array_equal(right(x), np.maximum(x, 0))


def test_who_chose_passes() -> None:
    """Passes that count or guard are ours, and are not looked at again in each compilation."""
    assert not Settings.filled().has_foreign_passes
    assert not Settings.filled(perf_count="body").has_foreign_passes
    assert Settings.filled(perf_count="body", insert_passes=["end:cse"]).has_foreign_passes
    assert Settings.filled(pipeline="snippets-to-llvm").has_foreign_passes


@pytest.mark.parametrize(
    ("positions", "message"),
    [
        ("['after:snippets-tokenise:mark-it']", "did you mean 'snippets-tokenize'"),
        ("['after:snippets-tokenize:mark-its']", "did you mean 'mark-it'"),
    ],
)
def test_passes_that_do_not_exist(tmp_path: Path, positions: str, message: str) -> None:
    """They are errors in a pipeline without the place, too."""
    load_pass_plugin(str(with_positions(tmp_path, positions)), ctx := make_context())
    with pytest.raises(snippets_mlir.CompileError, match=message):
        insert_passes(parse_pipeline("cse", ctx), [], ctx, everywhere=ctx.positioned)


_STRING: Any = "end:cse"
MINE = replace(machines.machine("generic"), name="mine", positioned=_STRING)


@pytest.mark.parametrize(
    ("table", "value", "message"),
    [
        ("TARGETS", [MINE], "positioned of 'mine': expected a list of strings, as in ['end:cse']"),
        ("TARGETS", MINE, "TARGETS: expected a list, found TargetMachine"),
        ("TARGETS", ["generic"], "TARGETS: expected TargetMachine(...), found 'generic'"),
        ("RECORDS", [MINE], "RECORDS: expected OpRecord(...), found TargetMachine"),
        ("RECORDS", 1, "RECORDS: expected a list, found 1"),
        ("IMPLEMENTATIONS", {}, "IMPLEMENTATIONS: expected a list, found {}"),
    ],
)
def test_other_tables_with_something_else(table: str, value: object, message: str) -> None:
    """The message names the table, and nothing is registered."""
    with pytest.raises(snippets_mlir.CompileError) as caught:
        snippets_mlir.compile(PROGRAM, plugins=[SimpleNamespace(**{table: value})])
    assert message in caught.value.message
    assert "mine" not in machines.TARGETS


def test_from_a_target(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine adds its own passes."""
    mine = replace(machines.machine("generic"), positioned=("end:cse",))
    monkeypatch.setitem(machines.TARGETS, "generic", mine)
    settings = Settings.filled(target="generic")
    module = load_source(PROGRAM, None, make_context()).module
    assert settings.passes_for(module).endswith(",cse")
    monkeypatch.setitem(machines.TARGETS, "generic", replace(mine, positioned=_STRING))
    with pytest.raises(snippets_mlir.CompileError, match="target 'generic': positioned: expected"):
        Settings.filled(target="generic")
