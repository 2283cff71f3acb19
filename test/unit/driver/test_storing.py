"""Programs that are written down after `compile` has returned."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import numpy as np
import pytest
from warm_process import run_warm

import snippets_mlir
from snippets_mlir.driver.cache import stored, storing
from snippets_mlir.driver.cache.program_cache import program_key

TEXT = """func.func @f(%x: tensor<300xf32>) -> tensor<300xf32> {
  %w = snippets.constant dense<"0x0000803F"> : tensor<300xf32>
  %0 = snippets.add %x, %w : tensor<300xf32>
  func.return %0 : tensor<300xf32>
}"""
X = np.arange(300, dtype=np.float32)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, for which every constant is many."""
    monkeypatch.setattr(stored, "program_key", program_key)
    monkeypatch.setenv("SNIPPETS_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(storing, "LATER", 0)
    return tmp_path


def names() -> list[str]:
    return [thread.name for thread in threading.enumerate()]


def test_a_lookup_waits_for_what_is_on_its_way(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_write = threading.Event()
    store = storing.Thread

    def slow(target: object, name: str) -> threading.Thread:
        assert callable(target)
        return store(target=lambda: (may_write.wait(300), target()), name=name)

    monkeypatch.setattr(storing, "Thread", slow)
    first = snippets_mlir.compile(TEXT)
    np.testing.assert_array_equal(first(X), X + 1)
    assert names().count("snippets-store") == 1
    assert not [*cache.glob("programs/*")]
    threading.Timer(0.05, may_write.set).start()
    second = snippets_mlir.compile(TEXT)
    assert (first.from_cache, second.from_cache) == (None, "program")
    np.testing.assert_array_equal(second(X), X + 1)
    assert "snippets-store" not in names()


def test_small_programs_are_written_at_once(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storing, "LATER", 1 << 26)
    snippets_mlir.compile(TEXT)
    assert "snippets-store" not in names()
    assert len([*cache.glob("programs/*")]) == 1


@pytest.mark.parametrize("last", ["", "os.fork() or os._exit(0)"])
def test_a_process_that_ends_writes_first(cache: Path, last: str) -> None:
    code = f"""
import os, time
import snippets_mlir
from snippets_mlir.driver.cache import program_cache, storing
storing.LATER = 0
write = program_cache.write_entry
program_cache.write_entry = lambda *given: (time.sleep(0.2), write(*given))
snippets_mlir.compile('''{TEXT}''')
{last}
"""
    environment = {**os.environ, "SNIPPETS_CACHE_DIR": str(cache)}
    assert run_warm("-c", code, env=environment).returncode == 0
    assert len([*cache.glob("programs/*")]) == 1
    assert snippets_mlir.compile(TEXT).from_cache == "program"
