"""The benchmark of NumPy's functions writes its part of docs/frontend-results.md."""

from __future__ import annotations

import importlib
import shutil
from pathlib import Path
from typing import Any

import pytest
from benchmark_programs import BENCHMARKS, run_benchmark
from frontend_rows import PAGE, rows


@pytest.fixture
def tables(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(BENCHMARKS))  # pyright: ignore[reportUnknownMemberType]
    return importlib.import_module("tables")


def test_the_page_has_the_programs_of_the_benchmark(tables: Any) -> None:
    programs = importlib.import_module("numpy_functions").PROGRAMS
    found = rows(tables, PAGE, "numpy")
    assert found in ([], [*programs]), "run benchmarks/numpy_functions.py"


def test_a_run_replaces_its_part_alone(tables: Any, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    shutil.copy(PAGE, page)
    before = {part: tables.between_marks(page, part) for part in ("jax", "torch", "dask")}
    name = "stencil, 2048x2048"
    done = run_benchmark("numpy_functions", name, "--quick", f"--document={page}")
    assert done.code is None, done.err
    assert rows(tables, page, "numpy") == [name]
    assert "A quick run" in tables.between_marks(page, "numpy")
    assert "call of 64 elements takes" in done.out
    assert {part: tables.between_marks(page, part) for part in before} == before


def test_a_part_of_the_programs_is_only_printed(tables: Any) -> None:
    pages: Any = importlib.import_module("frontend_page")
    for given, written in (([], True), (["one"], False), (["--quick"], False)):
        options = pages.parsed(pages.parser_of("", ["one", "two"]), ["one", "two"], given)
        assert (options.document == PAGE) is written
    assert run_benchmark("numpy_functions", "nothing").code == 2
