"""Runs a kernel over its parallel domain in one piece and in several, with the same result.

The runtime splits the domain of a kernel among threads at multiples of its grain, and a kernel may
not rely on any order. So a kernel runs twice here: as one piece, and as pieces of unequal sizes,
last piece first and each on another thread. Both have to compute the same bits. If the ranges of a
kernel may begin anywhere (`dialects/lir/aligned.py`), the pieces do, and overlap.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from snippets_mlir.dialects.builtin.dtypes import Array
from snippets_mlir.support.errors import CompileError

THREADS = 3
"""Threads on which pieces run."""


@dataclass(frozen=True)
class Domain:
    """The parallel domain: `size` units, split at multiples of `grain`, or `anywhere`."""

    size: int
    grain: int
    anywhere: bool = False

    def nearest(self, unit: int) -> int:
        """The multiple of the grain that is nearest to a unit; the end stays."""
        near = (unit + self.grain // 2) // self.grain * self.grain
        return min(near, self.size) if unit < self.size else unit


@dataclass(frozen=True)
class Piece:
    """The units `begin` to `end`, run by `thread`."""

    begin: int
    end: int
    thread: int


Run = Callable[[Sequence[Piece]], Sequence[Array]]
"""Runs pieces one after the other, and returns their combined outputs."""


def pieces_of(domain: Domain) -> list[Piece]:
    """Up to three pieces of unequal sizes, the last one first."""
    whole = domain.size // domain.grain - 1
    if domain.anywhere and whole > 0 and domain.grain > 1:
        length, shift = whole * domain.grain, domain.grain // 3 or 1
        ends = [Piece(length, domain.size, 0), Piece(0, domain.grain, 2)]
        return [ends[0], Piece(shift, shift + length, 1), ends[1]]
    grains = -(-domain.size // domain.grain)
    cuts = sorted({0, grains // 4 or min(1, grains), (2 * grains) // 3, grains})
    bounds = [min(cut * domain.grain, domain.size) for cut in cuts]
    pieces = [
        Piece(begin, end, (i + 1) % THREADS) for i, (begin, end) in enumerate(pairwise(bounds))
    ]
    return pieces[::-1]


def run_domain(name: str, domain: Domain, run: Run) -> Sequence[Array]:
    """The outputs of the kernel `name`; CompileError if they depend on the pieces."""
    whole = run([Piece(0, domain.size, 0)])
    if len(pieces := pieces_of(domain)) > 1:
        for index, (a, b) in enumerate(zip(whole, run(pieces), strict=True)):
            if a.tobytes() != b.tobytes():
                where = int(np.argmax(_bits(a) != _bits(b)))
                raise CompileError(
                    f"output {index} of @{name} depends on how its parallel domain is split: "
                    f"element {where} is {a.reshape(-1)[where]} in one piece, "
                    f"{b.reshape(-1)[where]} in pieces "
                    + ", ".join(f"{p.begin}..{p.end}" for p in pieces)
                )
    return whole


def _bits(array: Array) -> np.ndarray[Any, np.dtype[Any]]:
    return array.reshape(-1).view(f"u{array.itemsize}")
