"""Which programs the cache keeps, and which are compiled each time."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from cached_programs import ROWS, TEXT, compiled, programs

import snippets_mlir
from snippets_mlir.driver.cache.program_cache import has_effects
from snippets_mlir.driver.settings import default_context
from snippets_mlir.passes.pipelines import PIPELINES
from snippets_mlir.passmanager import universe
from snippets_mlir.passmanager.positions import read_insertion
from snippets_mlir.support.lazy import named


def test_nothing_is_kept_without_a_cache(
    cache_directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SNIPPETS_CACHE_DIR", "")
    compiled()
    assert compiled().from_cache is None
    assert not cache_directory.exists()


CLEANUP = "lir-cleanup-loop-offsets"
DO_MORE = [
    "end:lir-print-buffers",
    "before:cse:lir-debug-print",
    "end:lir-insert-perf-count",
    f"before:convert-lir-to-vector:{CLEANUP}{{report}}",
    f"end:{CLEANUP}{{report=true}}",
    f"end:cse,any({CLEANUP}{{ report = 1 }})",
    "end:apply-pdl{pdl-file=x.mlir}",
]
KEPT = ["end:cse,dce", f"end:{CLEANUP}", f"end:{CLEANUP}{{report=false}}", "end:canonicalize"]


@pytest.mark.parametrize("passes", DO_MORE)
def test_passes_that_do_more_run_every_time(passes: str) -> None:
    assert has_effects(f"snippets-to-llvm,{read_insertion(passes).passes}", default_context())


@pytest.mark.parametrize("passes", KEPT)
def test_passes_that_only_change_the_module_are_kept(passes: str) -> None:
    assert not has_effects(f"snippets-to-llvm,{passes[4:]}", default_context())


@pytest.mark.parametrize(
    "options",
    [
        {"perf_count": "body"},
        {"segfault_detector": True},
        {"insert_passes": ["start:printf-to-llvm"]},
    ],
)
def test_programs_with_such_passes_are_not_kept(
    cache_directory: Path, options: dict[str, Any]
) -> None:
    for _ in range(2):
        assert compiled(TEXT, **options).from_cache is None
    assert programs(cache_directory) == []


def test_a_program_with_another_pass_is_kept(cache_directory: Path) -> None:
    assert compiled(TEXT, insert_passes=["end:cse"]).from_cache is None
    assert compiled(TEXT, insert_passes=["end:cse"]).from_cache == "program"


def test_a_report_comes_every_time(
    cache_directory: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The report of a pass with a report was once printed by the first compilation only."""
    said: list[str] = []
    for _ in range(2):
        compiled(ROWS, insert_passes=[f"before:convert-lir-to-vector:{CLEANUP}{{report}}"])
        said.append(capsys.readouterr().err)
    assert said[0]
    assert said[0] == said[1]


def test_every_pass_that_acts_says_so() -> None:
    """What prints or writes files states `SIDE_EFFECTS`; no pipeline of ours has such a pass."""
    root = Path(snippets_mlir.__file__).parents[1]
    words = re.compile(r"sys\.std(out|err)|\bprint\(|write_text|write_bytes|debug\.files import")
    for name, row in universe.PASSES.items():
        path = Path(root, *row.partition(":")[0].split(".")).with_suffix(".py")
        if words.search(path.read_text()):
            assert named(row).SIDE_EFFECTS, name
    assert not any(has_effects(text, default_context()) for text in PIPELINES.values())


def test_wrong_programs_are_not_kept(cache_directory: Path) -> None:
    for _ in range(2):
        with pytest.raises(snippets_mlir.CompileError):
            compiled(TEXT.replace("maximum", "no_such_op"))
        with pytest.raises(ValueError, match="num_threads"):
            compiled(num_threads=0)
        with pytest.raises(snippets_mlir.CompileError, match="target"):
            compiled(target="no-such-target")
    assert programs(cache_directory) == []


def test_too_many_constants_are_not_kept(
    cache_directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("snippets_mlir.driver.cache.program_entry.MAX_CONSTANTS", 10)
    compiled()
    assert compiled().from_cache is None
