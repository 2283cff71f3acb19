"""The object cache on disk: hits, damage, eviction, and disks that do not work."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from snippets_mlir.codegen import cache, compile
from snippets_mlir.codegen.errors import InternalError

TRIPLE = "x86_64-unknown-linux-gnu"


def cached(text: str, **how: Any) -> bytes:
    fields: dict[str, Any] = {"triple": TRIPLE, "cpu": "", "features": "", "opt": 2}
    return cache.cached(text, bytes, **{**fields, **how})


def key_of(text: str) -> str:
    return cache.object_key(text, TRIPLE, "", "", 2, False)


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that were really compiled; the object is the text."""
    texts: list[str] = []

    def fake(text: str, **fields: object) -> bytes:
        texts.append(text)
        return text.encode() * 10

    monkeypatch.setattr(compile, "compile_object", fake)
    return texts


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SNIPPETS_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def files(directory: Path) -> list[Path]:
    return sorted((directory / "objects").iterdir())


def test_the_second_time_is_a_hit(compiled: list[str], directory: Path) -> None:
    first = cached("a")
    assert cached("a") == first == b"a" * 10
    assert compiled == ["a"]
    assert len(files(directory)) == 1


@pytest.mark.parametrize(
    "change",
    [{"triple": "t"}, {"cpu": "c"}, {"features": "+f"}, {"opt": 0}, {"kernels": True}],
)
def test_each_field_is_part_of_the_key(
    compiled: list[str], directory: Path, change: dict[str, Any]
) -> None:
    cached("a")
    cached("a", **change)
    assert compiled == ["a", "a"]
    assert len(files(directory)) == 2


def test_fields_do_not_run_together() -> None:
    assert cache.object_key("a", "t", "cx", "f", 2, False) != cache.object_key(
        "a", "tc", "x", "f", 2, False
    )


def test_versions_are_part_of_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    before = cache.object_key("a", "t", "c", "f", 2, False)
    monkeypatch.setattr(cache, "__version__", "0.0.0")
    assert cache.object_key("a", "t", "c", "f", 2, False) != before


@pytest.mark.parametrize("damage", [b"", b"short", None])
def test_a_damaged_entry_is_compiled_anew(
    compiled: list[str], directory: Path, damage: bytes | None
) -> None:
    cached("a")
    (path,) = files(directory)
    raw = path.read_bytes()
    path.write_bytes(raw[:-1] + b"!" if damage is None else damage)
    assert cached("a") == b"a" * 10
    assert compiled == ["a", "a"]
    assert files(directory) == [path]
    assert path.read_bytes() == raw


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names")
def test_a_pipe_in_the_place_of_an_entry(compiled: list[str], directory: Path) -> None:
    cached("a")
    (path,) = files(directory)
    path.unlink()
    os.mkfifo(path)
    assert cached("a") == b"a" * 10  # nobody writes to it
    assert compiled == ["a", "a"]
    assert path.is_file()


def test_an_empty_variable_turns_the_cache_off(
    compiled: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SNIPPETS_CACHE_DIR", "")
    assert cache.cache_directory() is None
    cached("a")
    cached("a")
    assert compiled == ["a", "a"]


def test_without_the_variable_it_is_in_the_xdg_directory(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("SNIPPETS_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache.cache_directory() == tmp_path / "snippets_mlir"


def test_a_directory_that_cannot_be_made_is_no_error(
    compiled: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("SNIPPETS_CACHE_DIR", str(tmp_path / "file"))
    assert cached("a") == b"a" * 10
    assert compiled == ["a"]


def test_a_full_disk_is_no_error_and_leaves_nothing(
    compiled: list[str], directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(source: str, target: str) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(os, "replace", full)
    assert cached("a") == b"a" * 10
    assert files(directory) == []


def test_the_least_recently_used_go_first(
    compiled: list[str], directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for age, text in ((30, "a"), (20, "b"), (10, "c")):
        cached(text)
        name = key_of(text)
        stamp = (directory / "objects").stat().st_mtime - age
        os.utime(directory / "objects" / name, (stamp, stamp))
    cached("a")
    monkeypatch.setattr(cache, "LIMIT", 3 * (10 + 32))
    cached("d")
    kept = {path.name for path in files(directory)}
    assert kept == {key_of(text) for text in "acd"}


def test_few_writes_look_at_all_files_and_the_limit_holds(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Asking for each file at each write is quadratic in the number of entries."""
    looks: list[int] = []
    evict, size, entries = cache.evict, 100, 2000
    limit = 400 * size

    def counted(folder: Path, most: int) -> None:
        looks.append(1)
        evict(folder, most)

    monkeypatch.setattr(cache, "evict", counted)
    monkeypatch.setattr(cache, "LIMIT", limit)
    (directory / "objects").mkdir(parents=True)
    largest = 0
    for number in range(entries):
        cache.write_entry(directory / "objects" / key_of(str(number)), b"x" * (size - 32))
        if number % 50 == 0:
            largest = max(largest, len(files(directory)) * size)
    assert entries // 20 < len(looks) < entries // 5  # 217 are expected
    assert limit * 3 // 4 < largest < limit * 5 // 4


def test_large_entries_always_look_at_all_files(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "LIMIT", 64 * 100)
    for number in range(100):
        cache.write_entry(directory / "objects" / str(number), bytes(100))
        assert len(files(directory)) <= 48  # of 132 bytes


def test_an_entry_of_another_name_is_compiled_anew(compiled: list[str], directory: Path) -> None:
    """The sum is of the name, too."""
    cached("a")
    cached("b")
    first, second = (directory / "objects" / key_of(text) for text in "ab")
    first.write_bytes(second.read_bytes())
    assert cached("a") == b"a" * 10
    assert compiled == ["a", "b", "a"]


@pytest.mark.parametrize("error", [InternalError, KeyError])
def test_an_entry_that_cannot_be_used_is_compiled_anew(
    compiled: list[str], directory: Path, error: type[Exception]
) -> None:
    cached("a")
    path = directory / "objects" / key_of("a")
    cache.write_entry(path, b"foreign")

    def use(obj: bytes) -> bytes:
        if obj == b"foreign":
            raise error("foreign")
        return obj

    for _ in range(2):
        assert cache.cached("a", use, triple=TRIPLE, cpu="", features="") == b"a" * 10
    assert compiled == ["a", "a"]


def test_new_code_that_cannot_be_used_is_an_error(compiled: list[str], directory: Path) -> None:
    def use(obj: bytes) -> None:
        raise InternalError(f"{len(obj)} bytes")

    for _ in range(2):
        with pytest.raises(InternalError, match="10 bytes"):
            cache.cached("a", use, triple=TRIPLE, cpu="", features="")
    assert compiled == ["a", "a"]
