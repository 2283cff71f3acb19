"""`snippets-run -`: the program comes from standard input."""

import sys
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from snippets_mlir.tools.snippets_opt import main as optimise
from snippets_mlir.tools.snippets_run import main

EXAMPLES = Path(__file__).resolve().parents[3] / "docs" / "examples"


def run(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    data: bytes,
    *options: str,
) -> tuple[int, str, str]:
    monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(data)))
    code = main(["-", *options])
    out, err = capsys.readouterr()
    return code, out, err


def test_text_runs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    data = (EXAMPLES / "integers.mlir").read_bytes()
    code, out, err = run(monkeypatch, capsys, data, "--verify")
    assert (code, err) == (0, "")
    assert out.count(" ok\n") == out.count("\n") > 0


def test_text_on_one_line_is_no_path(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    code, _, err = run(monkeypatch, capsys, b"module.mlir")
    assert code == 1
    assert err.startswith("<stdin>:1:1: error: ")


def test_text_is_resumed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    assert not optimise([str(EXAMPLES / "softmax.mlir"), "-p", "snippets-to-lir"])
    text = capsys.readouterr().out
    code, out, err = run(monkeypatch, capsys, text.encode(), "--resume", "--verify")
    assert (code, err) == (0, "")
    assert out.endswith(" ok\n")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "<stdin>:1:1: error: the input is empty"),
        (b"func.func @main() {\n  snippets.no\n}", "<stdin>:2:3: error: "),
        (b"\xff\xfe", "<stdin>: error: expected MLIR text: "),
    ],
)
def test_errors_name_standard_input(
    data: bytes,
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    code, out, err = run(monkeypatch, capsys, data)
    assert (code, out) == (1, "")
    assert err.startswith(message)
    assert err.count("error:") == 1
