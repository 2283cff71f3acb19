"""Random requests on two streams; `make fuzz SEED=n` runs thousands of them."""

from __future__ import annotations

import os
import threading
import time

import pytest
from random_requests import run

SECONDS = float(os.environ.get("SNIPPETS_FUZZ_SECONDS", "0"))
SEED = int(os.environ.get("SNIPPETS_FUZZ_SEED", "0"))


@pytest.mark.parametrize("dynamic", [False, True])
def test_every_request_gets_its_own_results(dynamic: bool) -> None:
    """A sample; with `SNIPPETS_FUZZ_SECONDS` set 2,000 at a time, and as often as fits."""
    before = set(threading.enumerate())
    end, seed = time.monotonic() + SECONDS / 2, SEED
    trials = 2000 if SECONDS else 300
    compared = failed = 0
    while True:
        done = run(seed, trials, dynamic=dynamic)
        assert done.failed > trials / 50
        assert done.checked > trials / 2
        compared, failed = compared + done.checked, failed + done.failed
        seed += 1
        if time.monotonic() >= end:
            break
    assert set(threading.enumerate()) <= before
    print(
        f"seeds {SEED} to {seed - 1}, {trials} trials each: {compared} results compared, "
        f"{failed} requests failed as they should"
    )
