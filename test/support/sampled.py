"""What `make test` runs of many cases of one kind: a part of them; `make fuzz` runs all.

`make fuzz` finds the files that do this by their import of this module.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from random import Random
from typing import TypeVar

T = TypeVar("T")
U = TypeVar("U")

ALL = "SNIPPETS_FUZZ_SECONDS" in os.environ
MANY = 1
"""Of a family of which more cases would be left, down to a quarter of these are."""


def sampled(cases: Iterable[T], part: int) -> list[T]:
    """One of each `part` neighbours, the same ones in each run; all cases in `make fuzz`.

    Where that leaves more than `MANY`, it is one of up to four times as many neighbours. Which one
    of its neighbours it is is drawn, so that no value of an inner loop is left out.
    """
    every = list(cases)
    if ALL:
        return every
    if part > 1:
        part = max(part, min(4 * part, -(-len(every) // MANY)))
    drawn = Random(part)
    return [drawn.choice(every[first : first + part]) for first in range(0, len(every), part)]


def ends(counts: Sequence[T]) -> Sequence[T]:
    """The first and the last, of numbers that each cost a compilation; all in `make fuzz`."""
    return counts if ALL else [counts[0], counts[-1]]


def alternating(cases: Iterable[T], values: Sequence[U]) -> list[tuple[T, U]]:
    """Every case with one of the values, which take turns; with all values in `make fuzz`.

    For values that change the code of all cases alike: threads, targets, types of elements.
    """
    if ALL:
        return [(case, value) for case in cases for value in values]
    return [(case, values[place % len(values)]) for place, case in enumerate(cases)]
