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
EVERY = 401


@pytest.mark.parametrize("kind", KINDS)
def test_entries_with_a_wrong_leaf_are_compiled_anew(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One change of many; with `SNIPPETS_FUZZ_SECONDS` set, as many other ones as fit."""
    monkeypatch.setenv("SNIPPETS_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(stored, "program_key", program_key)
    tried, found = faults(kind, tmp_path, EVERY, SEED % EVERY)
    end = time.monotonic() + SECONDS
    for first in range(1, EVERY):
        if (left := end - time.monotonic()) <= 0:
            break
        more, wrong = faults(kind, tmp_path / str(first), EVERY, (SEED + first) % EVERY, "", left)
        tried, found = tried + more, found + wrong
    assert tried
    assert not found


def test_a_size_that_is_a_number_is_no_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the linear IR says of kernels has scratchpads, whose sizes may be formulas."""
    monkeypatch.setenv("SNIPPETS_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(stored, "program_key", program_key)
    tried, found = faults("program", tmp_path, 1, 0, key="scratch")
    assert tried
    assert not found


def test_a_number_among_the_shapes_of_a_template_is_no_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Formulas of sizes are text, and known sizes are numbers."""
    monkeypatch.setenv("SNIPPETS_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(stored, "program_key", program_key)
    tried, found = faults("template", tmp_path, 5, 0, key="shapes")
    assert tried
    assert not found
