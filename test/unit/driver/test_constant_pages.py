"""Files of constants are written in pieces of a huge page, and mapped in such pages."""

import sys
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from mapped_pages import facts_at, flags_at

from snippets_mlir.driver.cache.constant_files import keep_constants, mapped
from snippets_mlir.support.cache_lines import LINE
from snippets_mlir.support.huge_pages import HUGE


def test_constants_of_several_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SNIPPETS_CACHE_DIR", str(tmp_path))
    rng = np.random.default_rng(0)
    sizes = (HUGE + 100, 3, 2 * HUGE - 64 - 128, HUGE // 2, 4096)  # the third one ends a piece
    arrays = {number: rng.integers(0, 255, size, np.uint8) for number, size in enumerate(sizes)}
    kept = keep_constants(arrays, 1)
    assert kept is not None
    data = mapped(kept.data)
    for number, offset in kept.offsets.items():
        assert offset % LINE == 0
        assert bytes(data[offset : offset + sizes[number]]) == arrays[number].tobytes()
    (path,) = (tmp_path / "constants").iterdir()
    assert sha256(path.read_bytes()).hexdigest() == path.name
    assert len(data) == path.stat().st_size == sum(-(-size // LINE) * LINE for size in sizes)
    if sys.platform == "linux":
        address: int = np.frombuffer(data, np.uint8).__array_interface__["data"][0]
        assert facts_at(address)["mode"] == "r--s"  # read-only, and shared with other processes
        assert "hg" in flags_at(address)
