"""What `make test` runs of many cases of one kind: a part of them; `make fuzz` runs all.

`make fuzz` finds the files that do this by their import of this module.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from random import Random
from typing import TypeVar

T = TypeVar("T")

ALL = "SNIPPETS_FUZZ_SECONDS" in os.environ


def sampled(cases: Iterable[T], part: int) -> list[T]:
    """One of each `part` neighbours, the same ones in each run; all cases in `make fuzz`.

    Which one of its neighbours it is is drawn, so that no value of an inner loop is left out.
    """
    every, drawn = list(cases), Random(part)
    if ALL:
        return every
    return [drawn.choice(every[first : first + part]) for first in range(0, len(every), part)]
