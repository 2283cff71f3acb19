"""Processes that have the compiler loaded are like those that `python` starts."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest
from warm_process import run_warm

ON_TWO_THREADS = """
import numpy as np
import snippets_mlir
from snippets_mlir.runtime.parallel import threads
text = "func.func @f(%x: tensor<9x4096xf32>) -> tensor<9x4096xf32> {"
text += " %y = snippets.exp %x : tensor<9x4096xf32> func.return %y : tensor<9x4096xf32> }"
x = np.zeros((9, 4096), np.float32)
assert (snippets_mlir.compile(text, num_threads=2)(x) == 1).all()
print(threads._forked.value, bool(threads._shared.crew) == (threads.cores() > 1))
"""


def test_streams_arguments_and_variables():
    code = "import os, sys; print(input(), sys.argv, os.environ['A'], os.getcwd(), __name__)"
    env = {"PATH": os.environ["PATH"], "A": "b"}
    said = f"in ['-c', 'one', 'two'] b {os.getcwd()} __main__\n"
    assert run_warm("-c", code, "one", "two", input="in\n", env=env) == (0, said, "")


def test_each_begins_anew():
    code = "import sys; print(hasattr(sys, 'mine')); sys.mine = 1"
    assert [run_warm("-c", code).stdout for _ in range(2)] == ["False\n"] * 2


def test_a_file_finds_its_neighbours(tmp_path: Path):
    (tmp_path / "neighbour.py").write_text("NAME = 'next'")
    (tmp_path / "file.py").write_text("import neighbour, sys; print(neighbour.NAME, sys.argv[1:])")
    assert run_warm(str(tmp_path / "file.py"), "a").stdout == "next ['a']\n"


@pytest.mark.parametrize(
    ("code", "status", "errors"),
    [
        ("raise SystemExit(3)", 3, ""),
        ("import os; os.abort()", -signal.SIGABRT, ""),
        ("import atexit, sys; atexit.register(sys.stderr.write, 'end')", 0, "end"),
        ("1 / 0", 1, "ZeroDivisionError: division by zero\n"),
    ],
)
def test_ends(code: str, status: int, errors: str):
    done = run_warm("-c", code)
    assert (done.returncode, done.stdout) == (status, "")
    assert done.stderr.endswith(errors)
    assert bool(done.stderr) == bool(errors)


def test_what_hangs_is_killed():
    with pytest.raises(subprocess.TimeoutExpired):
        run_warm("-c", "import time; time.sleep(99)", timeout=0.1)


def test_kernels_have_their_threads():
    """A process that forked after it had loaded the runtime has none."""
    assert run_warm("-c", ON_TWO_THREADS) == (0, "0 True\n", "")
