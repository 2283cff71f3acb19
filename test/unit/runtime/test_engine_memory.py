"""Sessions beside kernels share an arena: together they keep what the largest of them needs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import snippets_mlir

SESSIONS, SIZE = 6, 2048
"""Each session has an intermediate result of `SIZE` x `SIZE` float32: 16 MiB."""


def _text() -> str:
    wide = f"tensor<{SIZE}x{SIZE}xf32>"
    row = f"tensor<1x{SIZE}xf32>"
    lines = [f"%shape = snippets.constant dense<[{SIZE}, {SIZE}]> : tensor<2xi64>"]
    for i in range(SESSIONS):
        lines += [
            f"%k{i} = snippets.negative %{f's{i - 1}' if i else 'x'} : {row}",
            f'%w{i} = onnx.node "Expand"(%k{i}, %shape) {{domain = "", version = 13 : i64}}'
            f" : ({row}, tensor<2xi64>) -> {wide}",
            f'%s{i} = onnx.node "ReduceMax"(%w{i}) {{domain = "", version = 13 : i64,'
            f" attributes = {{axes = array<i64: 0>, keepdims = 1 : i64}}}} : ({wide}) -> {row}",
        ]
    lines += [f"%y = snippets.negative %s{SESSIONS - 1} : {row}", f"func.return %y : {row}"]
    body = "\n  ".join(lines)
    return f"func.func @main(%x: {row}) -> {row} {{\n  {body}\n}}"


def _mebibytes() -> float:
    """What this process has written to, in memory or swapped out."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    kinds = ("RssAnon:", "VmSwap:")
    return sum(int(line.split()[1]) for line in lines if line.startswith(kinds)) / 1024


def kept() -> float:
    """MiB that a program of several sessions keeps after its first call."""
    program = snippets_mlir.compile(_text(), num_threads=1, mark_skipped="none")
    x = np.linspace(-1, 1, SIZE, dtype=np.float32).reshape(1, SIZE)
    kinds = [step["kind"] for step in program.manifest["steps"]]
    assert kinds.count("execute") == SESSIONS
    before = _mebibytes()
    for _ in range(2):
        np.testing.assert_array_equal(program(x), -x if SESSIONS % 2 == 0 else x)
    return _mebibytes() - before


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the system has no such file")
def test_several_sessions_keep_the_memory_of_one() -> None:
    """In a process of its own: 16 MiB and a little, not six times as much."""
    command = [sys.executable, __file__]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    assert 15 < float(done.stdout) < 40


if __name__ == "__main__":
    print(kept())
