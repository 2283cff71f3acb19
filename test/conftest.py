"""Collects the lit tests: every `.mlir` file with RUN lines is one pytest item."""

from __future__ import annotations

import fcntl
import gc
import os
import sys
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from lit_runner import LitFailure, plugins_apart, run_lines, run_test

from snippets_mlir.driver.cache import stored, storing
from snippets_mlir.driver.cache.program_cache import program_key

ROOT = Path(__file__).resolve().parent

gc.set_threshold(1_000_000)
"""IR is made of cycles: with Python's threshold, collections take a tenth of the tests' time.

Most modules make fewer objects; they are collected once, after the module.
"""


class LitItem(pytest.Item):
    """One `.mlir` test."""

    def runtest(self) -> None:
        run_test(self.path)

    def repr_failure(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, excinfo: pytest.ExceptionInfo[BaseException]
    ) -> str:
        if isinstance(excinfo.value, LitFailure):
            return str(excinfo.value)
        return str(excinfo.getrepr())

    def reportinfo(self) -> tuple[Path, None, str]:
        return self.path, None, self.path.relative_to(ROOT.parent).as_posix()


class LitFile(pytest.File):
    """A `.mlir` file."""

    def collect(self) -> Iterator[LitItem]:
        if run_lines(self.path.read_text(encoding="utf-8")):
            yield LitItem.from_parent(self, name=self.path.stem)  # pyright: ignore[reportUnknownMemberType]


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """In a tree without bytecode, workers of pytest-xdist collect one after the other.

    The first compiles all tests; side by side each would do so.
    """
    compiled = (ROOT / "unit" / "tools" / "__pycache__").exists() or sys.dont_write_bytecode
    if compiled or "PYTEST_XDIST_WORKER" not in os.environ:
        return (yield)
    with open(__file__, encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        return (yield)


def pytest_collection_finish() -> None:
    """What collecting has made lives to the end: no collection of garbage need look at it."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True, scope="module")
def _few_objects_to_collect() -> Iterator[None]:
    """What a module leaves in caches lives to the end, too; many tests collect all garbage."""
    yield
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True, scope="session")
def _no_stored_programs() -> Iterator[None]:
    """Every test compiles: a program from the cache would hide what the passes do.

    A comparison of dynamic dimensions that has no answer is an error.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SNIPPETS_UNDECIDED", "error")  # see snippets_mlir/driver/dynamic/undecided.py
        patch.setenv("SNIPPETS_COMPILE_WORKERS", "1")  # the other cores have tests to run
        patch.setenv("OMP_NUM_THREADS", "2")  # programs are the same whatever cores there are
        patch.setattr("snippets_mlir.driver.cache.stored.program_key", lambda *_: None)  # pyright: ignore
        yield


@pytest.fixture
def cache_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty cache that is used; no thread stores anything after the test."""
    monkeypatch.setenv("SNIPPETS_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(stored, "program_key", program_key)
    yield tmp_path / "cache"
    storing.finish()


@pytest.fixture
def programs(cache_directory: Path) -> Path:
    """The folder of programs of a cache of the test's own."""
    return cache_directory / "programs"


@pytest.fixture
def foreign_products(monkeypatch: pytest.MonkeyPatch) -> None:
    """Matrix products are nodes that no kernel holds: for tests of what lies between such nodes."""
    monkeypatch.setattr("snippets_mlir.analysis.graph.products.HELD", False)


@pytest.fixture
def untuned(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels for all CPUs of the target, for tests of loops that a tune of the host changes."""
    monkeypatch.setattr("snippets_mlir.driver.settings.host_tune", str)


@pytest.fixture
def unverified(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is verified after each pass: for tests whose pipelines other tests verify."""
    monkeypatch.setattr("snippets_mlir.passmanager.pipeline.verify_after", lambda *_: None)  # pyright: ignore


@pytest.fixture(autouse=True)
def _no_parts_of_plugins() -> Iterator[None]:
    with plugins_apart():
        yield


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> LitFile | None:
    if file_path.suffix != ".mlir" or "inputs" in file_path.parts:
        return None
    return LitFile.from_parent(parent, path=file_path)  # pyright: ignore[reportUnknownMemberType]
