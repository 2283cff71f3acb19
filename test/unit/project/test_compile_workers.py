"""`benchmarks/compile_workers.py` compiles what it says and prints two lines; no time is tested."""

from __future__ import annotations

import importlib
import os
import re
from pathlib import Path
from typing import Any

import pytest

import snippets_mlir

BENCHMARKS = Path(__file__).resolve().parents[3] / "benchmarks"


@pytest.fixture
def program(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("SNIPPETS_CACHE_DIR", "")
    monkeypatch.syspath_prepend(str(BENCHMARKS))  # pyright: ignore[reportUnknownMemberType]
    return importlib.import_module("compile_workers")


def test_its_program_has_as_many_different_kernels_as_asked_for(program: Any) -> None:
    m = snippets_mlir.compile(program.text_of(3))
    assert len({kernel.name for kernel in m.kernels}) == 3


def test_it_prints_later_and_first_compilations(
    program: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[tuple[int, int]] = []

    def first(kernels: int, workers: int) -> float:
        asked.append((kernels, workers))
        return 1.0

    monkeypatch.setattr(program, "first", first)
    program.main(["--kernels", "2", "--workers", "3", "--rounds", "1"])
    lines = capsys.readouterr().out.splitlines()
    form = (
        r"(later compilations|the first of a process), 2 kernels: 1 process \d+ ms, 3 processes "
        r"\d+ ms, \d+\.\d\d times as fast; 1 process on 1 core \d+ ms, \d+\.\d\d times as long"
    )
    assert [bool(re.fullmatch(form, line)) for line in lines] == [True, True]
    assert asked == [(2, 1), (2, 3), (2, program.ONE_CORE)] * 3


def test_one_core_is_one_core(program: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    cores: list[int] = []

    def compile_source(*_: object, **options: int) -> None:
        assert options["compile_workers"] == 1
        cores.append(len(os.sched_getaffinity(0)))

    monkeypatch.setattr(program.snippets_mlir, "compile", compile_source)
    program.compiled("", program.ONE_CORE)
    program.compiled("", 1)
    assert cores == [1, len(os.sched_getaffinity(0))]
