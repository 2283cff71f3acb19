"""The in-process runner fails where lit would."""

from __future__ import annotations

from pathlib import Path

import pytest
from lit_runner import LitFailure, pipelines, plugins_apart, run_command, run_lines, run_test

from snippets_mlir.support.outside import OPS, PARTS
from snippets_mlir.targets.machine import TARGETS

ROOT = Path(__file__).resolve().parents[3]

MODULE = "func.func @f(%x: tensor<4xf32>) {\n  func.return\n}\n"


def outcome(folder: Path, head: str) -> str:
    """What running a test says; nothing when it passes."""
    path = folder / "test.mlir"
    path.write_text(head + MODULE, encoding="utf-8")
    try:
        run_test(path)
    except LitFailure as failure:
        return str(failure) or "failed"
    return ""


@pytest.mark.parametrize(
    "head",
    [
        "// RUN: snippets-opt %s\n",
        "// RUN: snippets-opt %s | filecheck %s\n// CHECK: func.func @f\n",
        "// RUN: snippets-opt %s \\\n// RUN:   | filecheck %s\n// CHECK: func.func @f\n",
        "// RUN: %roundtrip\n// CHECK: func.func @f\n",
        "// RUN: not snippets-opt %s --nothing 2>&1 | filecheck %s\n// CHECK: unknown option\n",
        "// RUN: snippets-opt %s > %t && filecheck %s < %t\n// CHECK: func.func @f\n",
        "// RUN: snippets-opt - < %s | filecheck %s\n// CHECK: func.func @f\n",
        '// RUN: env A=b python -c \'import os; assert os.environ["A"] == "b"\' %s\n',
        "// RUN: cat %s | grep -c tensor | filecheck %s\n// CHECK: 2\n",
        "// RUN: echo a > %t; echo b >> %t; cat %t | filecheck %s\n// CHECK: a\n// CHECK: b\n",
        "// RUN: echo \"a  b\" 'c d' %% | filecheck %s\n// CHECK: {{^}}a  b c d %{{$}}\n",
        "// RUN: test -e %S/test.mlir\n",
    ],
)
def test_passes(tmp_path: Path, head: str):
    assert outcome(tmp_path, head) == ""


@pytest.mark.parametrize(
    ("head", "message"),
    [
        ("// RUN: snippets-opt %s | filecheck %s\n// CHECK: func.func @g\n", "Couldn't match"),
        ("// RUN: snippets-opt %s --nothing\n", "exit code 1"),
        ("// RUN: snippets-opt %s --nothing | cat\n", "exit code 1"),
        ("// RUN: not snippets-opt %s\n", "exit code 0"),
        ("// RUN: snippets-opt %s\n// RUN: false %s\n", "exit code 1: false"),
        ("// RUN: no-such-command %s\n", "cannot run 'no-such-command'"),
        ("// RUN: false || true\n", "'||' is not supported"),
        ("// RUN: snippets-opt %s |\n", "cannot read"),
        ("// RUN: | snippets-opt %s\n", "cannot read"),
        ("// RUN: env A=b %s > %t\n", "cannot run"),
        ("// RUN: not env A=b\n", "no command after"),
        ("// RUN: snippets-opt %s >\n", "cannot read"),
        ("// RUN: snippets-opt %s & \n", "cannot read"),
        ("// REQUIRES: x86\n// RUN: snippets-opt %s\n", "'REQUIRES:' is not supported"),
        ("// RUN: snippets-opt %s \\\n", "ends with a backslash"),
    ],
)
def test_fails(tmp_path: Path, head: str, message: str):
    found = outcome(tmp_path, head)
    assert found
    assert message in found


def test_nothing_leaks_out_of_a_test(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("LEAK", raising=False)
    before = Path.cwd()
    text = "// RUN: env LEAK=1 snippets-opt %s --disable-verify > %t\n"
    assert outcome(tmp_path, text) == ""
    assert Path.cwd() == before
    assert [p.name for p in tmp_path.iterdir()] == ["test.mlir"]
    wrong = "// RUN: not snippets-opt %S/wrong.mlir\n"
    (tmp_path / "wrong.mlir").write_text('"arith.addi"() : () -> ()', encoding="utf-8")
    assert outcome(tmp_path, wrong) == ""


def test_lines_and_pipelines():
    assert run_lines("// RUN: a \\\n// RUN: b\n# RUN: c\n// RUN d\n") == ["a  b", "c"]
    ((first, second),) = pipelines("a 'x | y' 2>&1 | b --c=\"d e\" > f")
    assert first.words == ["a", "x | y"]
    assert first.redirects == [((">&", 2), "1")]
    assert second.words == ["b", "--c=d e"]
    assert second.redirects == [((">",), "f")]


def test_what_plugins_register_ends_with_the_test():
    plugins = ROOT / "docs" / "examples" / "plugin" / "shrinking"
    loaded = f"snippets-opt --load-pass-plugin={plugins}/small_cache.py"
    loaded += f" --load-dialect-plugin={plugins}/softshrink.py --list-passes"
    with plugins_apart():
        run_command(loaded)
        assert "x86-64-small" in TARGETS
        assert "mine.softshrink" in OPS
        assert PARTS
    assert "x86-64-small" not in TARGETS
    assert "mine.softshrink" not in OPS
    assert not PARTS
