"""Kernels touch nothing beyond their arrays and scratchpads: at their ends are forbidden pages.

The programs are in `test/support/guard_cases.py`. Here some of them run for a few sizes around the
vector; `make fuzz` runs twice as many, and `make guard-pages` all of them, for every size up to
twice the vector, on every target.
"""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from sampled import ALL
from warm_process import run_warm

from snippets_mlir.targets.host import host_target
from snippets_mlir.targets.machine import TARGETS, machine

RUNNER = Path(__file__).parents[1] / "support" / "guard_runner.py"
PARTS = 1 if ALL else 2
"""How much less than in `make fuzz` is run."""
HOST = machine(host_target())
SMALLER = [
    m.name for m in TARGETS.values() if m.triple == HOST.triple and m.lanes < HOST.lanes
] or [HOST.name]
VARIANTS = {
    "unrolled": "--insert-pass=after:lir-expand-math:lir-unroll{factor=4}",
    "past the caches": "--streaming=always",
}


def run(*options: str) -> tuple[int, str, str]:
    """Exit status of the runner, the programs that it tried, and its errors."""
    return run_warm(str(RUNNER), *options, timeout=600)


def culprit(output: str) -> str:
    """The program that ran last, and its size."""
    lines = output.splitlines()
    named = [line for line in lines if not line.startswith("  ")]
    return f"{named[-1]};{lines[-1]}" if named else "nothing ran"


def check(*options: str) -> None:
    status, output, errors = run(*options)
    if status < 0:
        pytest.fail(f"{signal.Signals(-status).name} in {culprit(output)}")
    assert status == 0, f"{culprit(output)}\n{errors}"
    assert output.splitlines()[-1].endswith(" calls")


def test_static_programs():
    check(
        f"--target={HOST.name}",
        "--kind=static",
        "--sizes=few",
        "--forms=core",
        f"--part=0/{2 * PARTS}",
    )


def test_dynamic_programs_on_two_threads():
    options = (
        "--kind=dynamic",
        "--threads=2",
        "--sizes=few",
        "--forms=others",
        f"--part=0/{2 * PARTS}",
    )
    check(f"--target={HOST.name}", *options)


@pytest.mark.parametrize("variant", VARIANTS)
def test_smaller_targets_with_other_loops(variant: str):
    place = list(VARIANTS).index(variant)
    target = SMALLER[place % len(SMALLER)]
    options = (
        "--kind=dynamic",
        "--sizes=few",
        "--forms=core",
        f"--part={place}/{8 * PARTS}",
    )
    check(f"--target={target}", *options, VARIANTS[variant])


@pytest.mark.parametrize("threads", [1, 2])
def test_random_programs_around_products(threads: int):
    seeds = f"--seeds={40 * threads}:{40 * threads + 12 // PARTS}"
    target = HOST.name if threads == 2 else SMALLER[0]
    check(f"--target={target}", "--kind=products", f"--threads={threads}", seeds)


def test_a_fault_is_noticed_and_named():
    options = ("--kind=dynamic", "--sizes=few", "--forms=core", "--part=0/100", "--beyond")
    status, output, _ = run(f"--target={HOST.name}", *options)
    assert status in (-signal.SIGSEGV, -signal.SIGBUS)
    size = HOST.lanes - 1
    assert culprit(output) == (f"elementwise f32: dynamic ?, {HOST.name}, 1 threads;  size {size}")
