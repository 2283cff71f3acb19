"""The recorder of what the compiler prints: equal twice, and a changed text is reported."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from record import compare, main, programs, record
from recorded_programs import Program


def some() -> list[Program]:
    """A few of each part: the whole recording takes minutes."""
    names = ("examples/silu_mul", "loops/saxpy.plain", "workloads/select.call", "graphs/0000")
    names += ("lit/lir-mark-loops", "lit/snippets-run-errors", "programs/opaque")
    every = programs(("examples", "workloads", "graphs", "programs", "lit"), 1)
    return [p for p in every if p.name.startswith(names)]


@pytest.fixture(scope="module")
def recordings(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two recordings of the same commit."""
    folder = tmp_path_factory.mktemp("records")
    first, second = folder / "first", folder / "second"
    assert record(first, some(), 1) == record(second, some(), 1) > 30
    return first, second


def test_two_recordings_are_equal(recordings: tuple[Path, Path]):
    first, second = recordings
    assert compare(first, second, 10) == (0, [])
    assert (first / "index.txt").read_bytes() == (second / "index.txt").read_bytes()


def test_the_index_holds_the_sum_of_every_text(recordings: tuple[Path, Path]):
    folder, _ = recordings
    rows = [row.split("  ") for row in (folder / "index.txt").read_text().splitlines()]
    files = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}
    assert {name for _, name in rows} == files - {"index.txt"}
    for total, name in rows:
        assert total == hashlib.sha256((folder / name).read_bytes()).hexdigest()


def test_every_kind_of_text_is_there(recordings: tuple[Path, Path]):
    folder, _ = recordings
    for target in ("generic", "x86-64-avx2", "x86-64-avx512", "aarch64-neon"):
        assert "define void" in (folder / f"examples/silu_mul.{target}.ll").read_text()
        assert '"steps"' in (folder / f"graphs/0000.{target}.json").read_text()
    assert "error: " in (folder / "lit/snippets-run-errors.txt").read_text()
    assert "lir.kernel" in (folder / "lit/lir-mark-loops.txt").read_text()


def test_a_changed_text_is_reported(
    recordings: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    first, _ = recordings
    other = tmp_path / "other"
    record(other, [p for p in some() if p.name == "examples/silu_mul"], 1)
    text = other / "examples" / "silu_mul.generic.ll"
    text.write_text(text.read_text().replace("define void", "define i32", 1))
    for path in first.glob("examples/silu_mul.*"):
        (tmp_path / "one" / "examples").mkdir(parents=True, exist_ok=True)
        (tmp_path / "one" / "examples" / path.name).write_bytes(path.read_bytes())
    (tmp_path / "one" / "index.txt").touch()
    assert main(["--compare", str(tmp_path / "one"), str(other)]) == 1
    shown = capsys.readouterr().out
    assert "+define i32" in shown
    assert shown.endswith("1 texts differ\n")
    text.unlink()
    found = compare(tmp_path / "one", other, 10)
    assert found == (1, [f"only in {tmp_path / 'one'}: examples/silu_mul.generic.ll\n"])


def test_wrong_arguments_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    for arguments in ([], [str(tmp_path / "a"), "--parts=none"], [str(tmp_path)]):
        with pytest.raises(SystemExit):
            main(arguments)
    with pytest.raises(SystemExit):
        main(["--compare", str(tmp_path), str(tmp_path)])
    assert "it has no index.txt" in capsys.readouterr().err
