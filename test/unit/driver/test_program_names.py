"""What is part of the names of programs on disk: options, versions, the computer, folders."""

from __future__ import annotations

from dataclasses import fields
from inspect import signature
from pathlib import Path
from typing import Any

import pytest
from cached_programs import TEXT, compiled

import snippets_mlir
from snippets_mlir.driver import compile_with
from snippets_mlir.driver.arguments import OF_COMPILATION
from snippets_mlir.driver.cache import stored
from snippets_mlir.driver.cache.program_cache import (
    Request,
    clear,
    program_key,
)
from snippets_mlir.driver.cache.stored import filled_request
from snippets_mlir.driver.settings import Settings

OPTIONS = {"pipeline": None, "target": "generic", "num_threads": 1, "fallback": "error"}


def base(**changes: Any) -> Request:
    return filled_request(changes.pop("entry", None), {**OPTIONS, **changes})


CHANGES = {
    "entry": "f",
    "pipeline": "canonicalize",
    "target": "x86-64-avx2",
    "num_threads": 2,
    "fallback": "onnxruntime",
    "insert_passes": ("end:cse",),
    "streaming": "never",
    "partitioner": "fuse-ops",
    "mark_skipped": "none",
}


@pytest.mark.parametrize("option", CHANGES)
def test_each_option_is_part_of_the_name(cache_directory: Path, option: str) -> None:
    changed = program_key(TEXT, base(**{option: CHANGES[option]}))
    assert None is not changed != program_key(TEXT, base())


def test_all_options_are_in_the_request(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Request] = []

    def note(source: object, request: Request) -> None:
        seen.append(request)

    monkeypatch.setattr(stored, "program_key", note)
    given = set(signature(snippets_mlir.compile).parameters) - {"source", "entry", "plugins"}
    compiled()
    assert seen[0].options.keys() == given - OF_COMPILATION
    compile_with(TEXT, None, Settings.filled())
    settings = {field.name for field in fields(Settings)}
    assert seen[1].options.keys() == settings - {"context"} - OF_COMPILATION


@pytest.mark.parametrize("facts", ["_versions", "computer"])
def test_versions_and_the_computer_are_part_of_the_name(
    cache_directory: Path, monkeypatch: pytest.MonkeyPatch, facts: str
) -> None:
    before = program_key(TEXT, base())
    monkeypatch.setattr(f"snippets_mlir.driver.cache.program_cache.{facts}", lambda: ("other",))
    assert program_key(TEXT, base()) != before


def test_defaults_are_filled_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    assert filled_request(None, {}).threads == 7
    host = filled_request(None, {"target": "host"}).options["target"]
    assert host == filled_request(None, {}).options["target"] != "host"


def test_sources_without_bytes_are_not_kept(cache_directory: Path, tmp_path: Path) -> None:
    assert program_key(object(), base()) is None
    assert program_key(tmp_path / "missing.mlir", base()) is None
    assert program_key(tmp_path / "other.txt", base()) is None
    assert program_key(b"a model with data at another location", base()) is None
    assert program_key(b"a model", base()) is not None


def test_folders_of_earlier_versions_are_removed(cache_directory: Path) -> None:
    folder, other = cache_directory / "stubs", cache_directory / "mine"
    for directory in (folder, other):
        directory.mkdir(parents=True)
        (directory / "a").write_text("")
    assert clear() >= 1
    assert not folder.exists()
    assert (other / "a").exists()
