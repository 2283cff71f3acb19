"""A command runs without collections of cycles; a tool that is called leaves them alone."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest
from warm_process import run_warm

from snippets_mlir.tools.snippets_opt import main

TEXT = """func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = snippets.add %a, %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""

COMMAND = """
import atexit, gc, sys
FROZEN, freeze = [], gc.freeze  # Python 3.12 also counts objects that nobody has frozen
gc.freeze = lambda: (FROZEN.append(1), freeze())
atexit.register(lambda: print(*NUMBERS, bool(FROZEN)))
from {module} import {name} as run
def collections(): return sum(row["collections"] for row in gc.get_stats())
gc.unfreeze()  # of a process that is warm
gc.collect()  # what was imported is no reason to collect
gc.set_threshold(100)
before = collections()
code = run()
NUMBERS = code, collections() > before
"""
"""Runs a command; its last line has the exit code, whether the collector ran, and whether it has
nothing to look at when Python exits."""


def numbers(module: str, name: str, path: Path) -> str:
    code = COMMAND.format(module=module, name=name)
    done = run_warm("-c", code, str(path))
    assert done.returncode == 0, done.stderr
    return done.stdout.split("\n")[-2]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    found = tmp_path / "sum.mlir"
    found.write_text(TEXT, encoding="utf-8")
    return found


@pytest.mark.parametrize("name", ["snippets_opt", "snippets_run"])
def test_command_does_not_collect(name: str, path: Path):
    assert numbers("snippets_mlir.tools.commands", name, path) == "0 False True"


def test_called_tool_collects(path: Path):
    """The twin: `main` in a process of somebody else."""
    assert numbers("snippets_mlir.tools.snippets_opt", "main", path) == "0 True False"


def test_called_tool_leaves_the_collector_on(path: Path, capsys: pytest.CaptureFixture[str]):
    assert gc.isenabled()
    assert main([str(path)]) == 0
    assert gc.isenabled()
    assert "snippets.add" in capsys.readouterr().out
