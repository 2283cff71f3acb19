"""A language of programs is one row of a table: `compile`, the cache and `snippets-opt` know it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import snippets_mlir
from snippets_mlir.driver.cache import stored
from snippets_mlir.driver.cache.program_cache import program_key
from snippets_mlir.frontends.texts import TEXTS
from snippets_mlir.support.errors import CompileError
from snippets_mlir.tools import snippets_opt

PROGRAM = "x:4x8 y:8\nadd relu\n"


@pytest.fixture(autouse=True)
def language(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(TEXTS, "polish", "polish:read")


def written(folder: Path, text: str) -> Path:
    (path := folder / "program.polish").write_text(text)
    return path


def test_compile_reads_it(tmp_path: Path) -> None:
    program = snippets_mlir.compile(written(tmp_path, PROGRAM), fallback="error")
    x, y = np.linspace(-2, 2, 32, dtype=np.float32).reshape(4, 8), np.ones(8, np.float32)
    np.testing.assert_array_equal(program(x, y), np.maximum(x + y, 0))


def test_a_program_from_the_cache_knows_its_language(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """IR is made again from the text that was compiled, though the file has changed since."""
    monkeypatch.setenv("SNIPPETS_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(stored, "program_key", program_key)
    path = written(tmp_path, PROGRAM)
    snippets_mlir.compile(path)
    program = snippets_mlir.compile(path)
    assert program.from_cache == "program"
    path.write_text("x:2 exp")
    assert "snippets.relu" in program.ir("graph")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x:4\n  foo", "program.polish:2:3: expected an input or an op, found 'foo'"),
        ("x:4 add", "program.polish:1:5: add takes 2 values, found 1"),
    ],
)
def test_errors_have_places(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(CompileError) as error:
        snippets_mlir.compile(written(tmp_path, text))
    assert str(error.value).endswith(message)


def test_snippets_opt_reads_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert snippets_opt.main([str(written(tmp_path, PROGRAM))]) == 0
    assert "snippets.relu" in capsys.readouterr().out
    path = written(tmp_path, f"{PROGRAM}// -----\nx:4 foo\n")
    assert snippets_opt.main([str(path), "--split-input-file"]) == 1
    error = f"{path}:4:5: error: expected an input or an op, found 'foo'\nx:4 foo\n    ^\n"
    assert capsys.readouterr().err == error


def test_other_kinds_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (path := tmp_path / "program.txt").write_text(PROGRAM)
    with pytest.raises(CompileError, match=r"expected a \.mlir or .*\.polish or \.onnx file"):
        snippets_mlir.compile(path)
    assert snippets_opt.main([str(path)]) == 1
    assert "use -f mlir or -f polish or -f onnx" in capsys.readouterr().err
