"""Mutants of the text of kernels: what verifies computes the same interpreted and compiled.

`python test/support/random_lir_text.py` runs thousands; `make fuzz SEED=n` runs them for a minute.
"""

from __future__ import annotations

import os
import time
from collections import Counter

import pytest
from lir_mutants import SOURCES, TARGETS, Mutant, stages
from random_lir_text import apart, faults, outcome, verdict
from sampled import ALL, sampled

from snippets_mlir.checkers import linear_ir
from snippets_mlir.targets.host import host_target

SECONDS = float(os.environ.get("SNIPPETS_FUZZ_SECONDS", "0"))
SEED = int(os.environ.get("SNIPPETS_FUZZ_SEED", "0"))

FOUND = {
    35: "a prefix whose result has another shape",
    55: "a load of half of its array",
    130: "a fold of more lanes than there are",
    237: "a port of negative size",
    271: "a register that is none",
    451: "a loop over one row of four",
    512: "an accumulator without neutral lanes",
    697: "a part of an output of size 0",
    874: "every second row of an output",
    1414: "a part of an output at other places than its store",
    100_107: "a store of lanes without values",
    300_211: "a fill of fewer lanes than it reads",
    300_416: "a fill of lanes before there are tails",
    1462: "lanes that are neutral for another kind",
}
"""Seeds of mutants that verified and computed something else, and what they had.

With other passes they may be other mutants; `test/dialects/lir/invalid.mlir` has the laws.
"""


@pytest.mark.parametrize("seed", sampled(FOUND, 2))
def test_what_was_found(seed: int) -> None:
    assert not faults(seed)


@pytest.mark.parametrize("first", sampled(range(100_000, 100_032, 8), 4))
def test_mutants_compute_what_they_say(first: int) -> None:
    seeds = range(first, first + (8 if ALL else 4))
    outcomes = Counter(outcome(seed).partition(")")[0] for seed in seeds)
    assert set(outcomes) <= {"(broken", "(same", "(equal", "(refused", "(slow", "(large"}
    assert outcomes["(broken"] > 1


@pytest.mark.parametrize("name", sampled(sorted(SOURCES), 24))
def test_programs_themselves_are_equal(name: str) -> None:
    """Each stage as it is, so that a mutant is judged by what was changed."""
    target = TARGETS[len(name) % 2] if "avx512" not in host_target() else TARGETS[len(name) % 3]
    for stage in stages(name, target)[::4]:
        same = Mutant(name, target, stage, stage.text)
        assert apart(lambda same=same: verdict(same)) == "(equal)", stage.after


def test_a_law_that_is_left_out_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(*_: object) -> None:
        """A claim that always holds."""

    monkeypatch.setattr(linear_ir, "verify_outputs", nothing)
    stage = next(stage for stage in stages("rows", "generic") if '"looped"' in stage.text)
    text = stage.text.replace("work 4, inc 1, dim 1", "work 4, inc 2, dim 1")
    found = apart(lambda: verdict(Mutant("rows", "generic", stage, text)))
    assert "element 1 of output 0 was never written" in found


def test_more_mutants_for_as_long_as_asked() -> None:
    """With `SNIPPETS_FUZZ_SECONDS` set, as many as fit."""
    seed, end = 1_000_000 * (SEED + 1), time.monotonic() + SECONDS
    while time.monotonic() < end:
        assert not faults(seed)
        seed += 1
    print(f"last seed: {seed}")
