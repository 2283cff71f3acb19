"""Threads, forks and a damaged cache: a few trials of `stress.py`; `make fuzz SEED=n` runs more.

python test/support/stress.py --seed 3 --trials 1000
"""

from __future__ import annotations

import os
import time
from pathlib import Path

import forked_sessions
import pytest
from warm_process import run_warm

STRESS = Path(__file__).resolve().parents[1] / "support" / "stress.py"
SECONDS = float(os.environ.get("SNIPPETS_FUZZ_SECONDS", "0"))
SEED = int(os.environ.get("SNIPPETS_FUZZ_SEED", "0"))

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")


def run(*arguments: str) -> None:
    """Run trials in a process of their own, which has loaded the compiler and made nothing."""
    done = run_warm(str(STRESS), *arguments, timeout=36_000)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 of " in done.stdout


def test_a_few_trials() -> None:
    run("--seed", "1", "--trials", "2")


@pytest.mark.skipif(not SECONDS, reason="a process for each trial takes long")
def test_processes_that_import_while_they_work() -> None:
    run("--seed", str(SEED), "--trials", "3", "--cold")


@pytest.mark.skipif(not SECONDS, reason="forks in every phase take long")
@pytest.mark.parametrize("kind", ["open", "run", "compile"])
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_forks_in_every_phase_of_sessions(kind: str, threads: int) -> None:
    pytest.importorskip("onnxruntime")
    assert forked_sessions.said_by(forked_sessions.BUSY, kind, str(threads), "100") == "{7}\n"


def test_more_trials_for_as_long_as_asked() -> None:
    """With `SNIPPETS_FUZZ_SECONDS` set, as many as fit."""
    number, end = 100 + SEED, time.monotonic() + SECONDS
    while time.monotonic() < end:
        run("--seed", str(number), "--trials", "20")
        number += 1
    print(f"last seed: {number}")
