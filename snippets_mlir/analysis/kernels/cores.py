"""The properties of a machine's core that decide which instructions run side by side."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Core:
    """A core that runs vector instructions out of order; see `dependence_chains.py`.

    Attributes:
        issue: vector instructions that begin in a cycle.
        window: how many instructions of later iterations run while a chain waits.
        latency: cycles of an op on floats, and of a product of integers.
        division: cycles of a division and of a square root.
        load: cycles of a load from the first-level cache.
    """

    issue: float
    window: int
    latency: int
    division: int
    load: int
