"""`docs/program-stages.md`: the text at every stage is what the command prints, and it runs."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import numpy as np
import pytest

import snippets_mlir
from snippets_mlir.tools.snippets_opt import main

ROOT = Path(__file__).resolve().parents[3]
TEXT = (ROOT / "docs" / "program-stages.md").read_text("utf-8")
SHOWN = re.findall(r"^```sh\nsnippets-opt ([^\n]*)\n```\n\n```mlir\n(.*?)\n```$", TEXT, re.M | re.S)


def test_all_stages_are_there() -> None:
    assert TEXT.count("```sh") == TEXT.count("```mlir") == len(SHOWN)
    stages = [re.findall(r'program.graph @main "(\w+)"', text) for _, text in SHOWN]
    assert stages == [[s] for s in ("topology", "selected", "selected", "planned", "scheduled")]


@pytest.mark.parametrize(("command", "text"), SHOWN)
def test_text_is_what_the_command_prints(
    command: str, text: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    assert main(shlex.split(command)) == 0
    assert capsys.readouterr().out.strip() == text


@pytest.mark.parametrize("text", [text for _, text in SHOWN])
def test_text_runs(text: str) -> None:
    inputs = np.random.default_rng(0).integers(-128, 128, (2, 1, 1, 3, 8), np.int8)
    windows = np.lib.stride_tricks.sliding_window_view(inputs, (2, 2), (3, 4))
    pooled = windows.max((-2, -1))
    (result,) = snippets_mlir.compile(text).run(dict(zip(("input0", "input1"), inputs))).values()
    np.testing.assert_array_equal(result, np.concatenate([*pooled], 1))
