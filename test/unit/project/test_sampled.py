"""Samples of large families of tests: equal in each run, whole in `make fuzz`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import sampled as support
from sampled import alternating, ends, sampled

ROOT = Path(__file__).resolve().parents[3]


def test_one_of_each_neighbours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(support, "ALL", False)
    for count in range(30):
        for part in (1, 2, 3, 5):
            found = sampled(range(count), part)
            of = part if part == 1 else max(part, min(4 * part, count))
            assert [case // of for case in found] == [*range(-(-count // of))]
            assert found == sampled(iter(range(count)), part)


def test_a_quarter_of_a_large_family(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(support, "ALL", False)
    assert len(sampled(range(12), 3)) == 1
    assert len(sampled(range(24), 3)) == 2
    assert len(sampled(range(90), 3)) == 8
    assert sampled(range(60), 1) == [*range(60)]


def test_no_value_of_an_inner_loop_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(support, "ALL", False)
    for part in (2, 3, 4):
        assert {case % part for case in sampled(range(40 * part), part)} == {*range(part)}


def test_ends_are_the_first_and_the_last(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(support, "ALL", False)
    assert ends((1, 2, 5)) == [1, 5]


def test_every_case_has_one_value_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(support, "ALL", False)
    assert alternating(iter("abc"), (1, 2)) == [("a", 1), ("b", 2), ("c", 1)]


def test_make_fuzz_runs_all_cases(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(support, "ALL", True)
    assert sampled(range(7), 3) == [*range(7)]
    assert ends((1, 2, 5)) == (1, 2, 5)
    assert alternating("ab", (1, 2)) == [("a", 1), ("a", 2), ("b", 1), ("b", 2)]


def test_make_fuzz_finds_the_files_that_take_samples() -> None:
    """By the line of their import, in the folders that it looks at."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    line = re.search(r"grep -rl --include='(\*\.py)' '\^(.*)' (.*)\)", makefile)
    assert line is not None
    found = [
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "test").rglob(line[1])
        if re.search(r"\b(sampled|alternating)\(", text := path.read_text(encoding="utf-8"))
        and not re.search(rf"^{line[2]}", text, re.MULTILINE)
    ]
    assert found == ["test/support/sampled.py"]
    folders = ("test/fuzz", *line[3].split())
    for path in (ROOT / "test").rglob(line[1]):
        if re.search(rf"^{line[2]}", path.read_text(encoding="utf-8"), re.MULTILINE):
            assert path.relative_to(ROOT).as_posix().startswith(folders), path
