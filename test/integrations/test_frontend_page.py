"""The benchmarks of JAX, PyTorch and Dask write their parts of docs/frontend-results.md."""

from __future__ import annotations

import importlib
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def _programs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        sys, "path", [str(ROOT / "benchmarks"), str(ROOT / "test/support"), *sys.path]
    )


def _page(part: str, page: Path) -> list[str]:
    return importlib.import_module("frontend_rows").rows(
        importlib.import_module("tables"), page, part
    )


def test_the_page_has_the_programs_of_the_benchmarks() -> None:
    page = ROOT / "docs" / "frontend-results.md"
    cases = importlib.import_module("torch_compile").CASES
    torch = [
        f"{name}, {size}, {kind}"
        for name, case in cases.items()
        for size in case.sizes
        for kind in ("hot", "rotating")
    ]
    assert _page("torch", page) in ([], torch), "run benchmarks/torch_compile.py"
    for program, part in (("jax_functions", "jax"), ("dask_arrays", "dask")):
        names = [*importlib.import_module(program).PROGRAMS]
        assert _page(part, page) in ([], names), f"run benchmarks/{program}.py"


def test_runs_write_their_parts(tmp_path: Path, torch: Any) -> None:
    page = tmp_path / "page.md"
    shutil.copy(ROOT / "docs" / "frontend-results.md", page)
    options = ["--quick", f"--document={page}"]
    importlib.import_module("jax_functions").main(["softmax(x)", *options])
    assert _page("jax", page) == ["softmax(x)"]
    assert "beside a handler that does nothing" in page.read_text()
    program = importlib.import_module("torch_compile")
    program.main(["silu_mul", "--sizes", "64", "--no-inductor", *options])
    assert _page("torch", page) == ["silu_mul, 64, hot", "silu_mul, 64, rotating"]
    assert "a backend that only makes a new result" in page.read_text()
