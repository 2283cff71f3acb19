"""Wrong values in all places of the cache's entries; `make fuzz` tries as many as fit."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from entry_leaves import KINDS, faults

from snippets_mlir.driver.cache import stored
from snippets_mlir.driver.cache.program_cache import program_key

SECONDS = float(os.environ.get("SNIPPETS_FUZZ_SECONDS", "0"))
SEED = int(os.environ.get("SNIPPETS_FUZZ_SEED", "0"))


@pytest.mark.parametrize("kind", KINDS)
def test_entries_with_a_wrong_leaf_are_compiled_anew(
    kind: str, cache_directory: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """A few of the changes; with `SNIPPETS_FUZZ_SECONDS` set, as many other ones as fit."""
    every = 97 if kind == "session" else 397
    tried, found = faults(kind, cache_directory, every, SEED % every)
    assert tried > 5
    end = time.monotonic() + SECONDS
    for first in range(1, every):
        if (left := end - time.monotonic()) <= 0:
            break
        found += faults(kind, tmp_path / str(first), every, (SEED + first) % every, "", left)[1]
    assert not found
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("kind", "key", "every"),
    [("program", "scratch", 1 if SECONDS else 3), ("template", "shapes", 5)],
)
def test_a_size_that_is_a_number_is_no_text(
    kind: str, key: str, every: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Scratchpads of kernels and shapes of templates may be formulas, which are text."""
    monkeypatch.setenv("SNIPPETS_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(stored, "program_key", program_key)
    tried, found = faults(kind, tmp_path, every, every // 3, key=key)  # with "4"
    assert tried
    assert not found
