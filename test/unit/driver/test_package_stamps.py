"""How the cache tells one version of the package from another."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import snippets_mlir
from snippets_mlir.codegen import cache, stamps
from snippets_mlir.driver.cache import stored
from snippets_mlir.driver.reports.notebooks import report_of

TEXT = """
func.func @main(%x: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = snippets.relu %x : tensor<4x5xf32>
  func.return %0 : tensor<4x5xf32>
}
"""


def test_the_files_of_the_package_are_told_by_size_and_date(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "__pycache__").mkdir()
    for path in (tmp_path / "a.py", inner / "b.py", inner / "c.txt", inner / "__pycache__/d.py"):
        path.write_text("x")

    def found() -> list[tuple[str, int, int]]:
        return sorted(stamps.python_files(str(tmp_path))[0])

    before = found()
    expected = [(str(tmp_path / "a.py"), 1), (str(inner / "b.py"), 1)]
    assert [(path, size) for path, size, _ in before] == expected
    assert stamps.files_stamp(tmp_path) == stamps.files_stamp(tmp_path)
    os.utime(inner / "b.py", ns=(5, 5))
    assert found() != before


def test_an_installed_package_is_told_by_what_its_installer_wrote(tmp_path: Path) -> None:
    package = tmp_path / "snippets_mlir"
    package.mkdir()
    (package / "a.py").write_text("x")
    found = [stamps.files_stamp(package)[0]]  # a checkout
    os.utime(package / "a.py", ns=(5, 5))
    found.append(stamps.files_stamp(package)[0])
    record = tmp_path / f"snippets_mlir-{snippets_mlir.__version__}.dist-info" / "RECORD"
    record.parent.mkdir()
    record.write_text("snippets_mlir/a.py,sha256=1,1")
    found.append(stamps.files_stamp(package)[0])
    (package / "a.py").write_text("y")  # no installer did that
    assert stamps.files_stamp(package)[0] == found[-1]
    os.utime(record, ns=(5, 5))
    found.append(stamps.files_stamp(package)[0])
    record.write_text("snippets_mlir/a.py,sha256=2,10")
    os.utime(record, ns=(5, 5))
    found.append(stamps.files_stamp(package)[0])
    assert len(set(found)) == 5
    moved = tmp_path / "old.dist-info"
    record.parent.rename(moved)  # of another version
    assert stamps.files_stamp(package)[0] not in found


def test_this_checkout_is_told_by_its_files() -> None:
    files = {path for path, *_ in stamps.python_files(str(stamps.PACKAGE))[0]}
    assert {cache.__file__, stamps.__file__} <= files


@pytest.mark.parametrize("installed", [False, True])
def test_a_file_that_is_younger_than_the_process_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, installed: bool
) -> None:
    package = tmp_path / "snippets_mlir"
    package.mkdir()
    file = package / "a.py"
    file.write_text("x")
    if installed:
        file = tmp_path / f"snippets_mlir-{snippets_mlir.__version__}.dist-info" / "RECORD"
        file.parent.mkdir()
        file.write_text("x")
    monkeypatch.setattr(stamps, "PACKAGE", package)
    own_stamp = stamps.own_stamp.__wrapped__
    monkeypatch.setattr(stamps, "IMPORTED_AT", time.time() + 1)
    assert own_stamp() is not None
    monkeypatch.setattr(stamps, "IMPORTED_AT", time.time() - 1)
    os.utime(file, ns=(5, 5))  # as a copy does that keeps the date
    assert own_stamp() is None


def test_nobody_asks_for_the_files_where_no_program_is_kept(
    programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[bool] = []

    def own_stamp() -> bytes:
        asked.append(programs.exists())
        return b"these files"

    monkeypatch.setattr(cache, "own_stamp", own_stamp)
    cache.read_entry(programs / "name")
    assert not asked
    snippets_mlir.compile(TEXT)
    assert asked
    assert snippets_mlir.compile(TEXT).from_cache == "program"


def test_a_program_of_other_files_is_compiled_anew(
    programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    x = np.linspace(-1, 1, 20, dtype=np.float32).reshape(4, 5)
    for stamp in (b"these", b"those", b"these"):
        monkeypatch.setattr(cache, "own_stamp", lambda stamp=stamp: stamp)
        found = [snippets_mlir.compile(TEXT) for _ in range(2)]
        assert [m.from_cache for m in found] == [None, "program"]
        np.testing.assert_array_equal(found[1](x), np.maximum(x, 0))
    assert len(list(programs.iterdir())) == 1


def test_a_process_whose_files_have_changed_takes_and_keeps_no_program(
    programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    snippets_mlir.compile(TEXT)
    kept = [(path.name, path.read_bytes()) for path in programs.iterdir()]
    monkeypatch.setattr(cache, "own_stamp", lambda: None)
    found = [snippets_mlir.compile(TEXT + end) for end in ("", "\n")]
    assert [m.from_cache for m in found] == [None, None]
    assert [(path.name, path.read_bytes()) for path in programs.iterdir()] == kept
    assert [m.uncached_reason for m in found] == [cache.CHANGED] * 2
    assert f"not kept in the cache: {cache.CHANGED}" in report_of(found[0])


def test_a_program_that_is_kept_nowhere_says_nothing_of_changed_files(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert snippets_mlir.compile(TEXT).uncached_reason is None
    monkeypatch.setattr(cache, "own_stamp", lambda: None)
    monkeypatch.setenv(cache.CACHE_DIR, "")
    assert snippets_mlir.compile(TEXT).uncached_reason is None


@pytest.mark.parametrize("stamp", [b"these", b"those", None])
def test_files_are_looked_at_while_a_program_is_loaded(
    stamp: bytes | None, programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The thread answers after the program is loaded, and before it is returned."""
    monkeypatch.setattr(stored, "LIGHT", 0)
    monkeypatch.setattr(stored, "is_known", lambda: False)
    monkeypatch.setattr(cache, "own_stamp", lambda: b"these")
    snippets_mlir.compile(TEXT)
    loaded, load = threading.Event(), stored.program_of

    def program_of(*arguments: Any) -> Any:
        found = load(*arguments)
        loaded.set()
        return found

    def own_stamp() -> bytes | None:
        assert loaded.wait(60)
        return stamp

    monkeypatch.setattr(stored, "program_of", program_of)
    monkeypatch.setattr(cache, "own_stamp", own_stamp)
    m = snippets_mlir.compile(TEXT)
    assert m.from_cache == ("program" if stamp == b"these" else None)
    assert (m.uncached_reason is None) == (stamp is not None)
    np.testing.assert_array_equal(m(np.full((4, 5), -1, np.float32)), np.zeros((4, 5)))


@pytest.mark.parametrize("light", [0, 1 << 30])
def test_a_program_of_other_files_may_not_even_load(
    light: int, programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def program_of(*_: object) -> None:
        raise KeyError("a field that only other files write")

    snippets_mlir.compile(TEXT)
    monkeypatch.setattr(stored, "is_known", lambda: False)
    monkeypatch.setattr(stored, "LIGHT", light)
    with monkeypatch.context() as patch:
        patch.setattr(stored, "program_of", program_of)
        with pytest.raises(KeyError):
            snippets_mlir.compile(TEXT)
        patch.setattr(cache, "own_stamp", lambda: b"those")
        assert snippets_mlir.compile(TEXT).from_cache is None
