"""All programs of the benchmark, by name, in the order of a report."""

from __future__ import annotations

import drawn
from chains import Chain
from layers import NETWORKS
from steps import Workload
from workloads import CHAINS, WORKLOADS

NAMED = (*WORKLOADS, *NETWORKS, *CHAINS)

NAMES = tuple(program.name for program in NAMED)
"""Those that a run measures unless it says others."""

ALL_NAMES = (*NAMES, *drawn.NAMES)


def programs(seed: int) -> tuple[Workload | Chain, ...]:
    """The programs of `ALL_NAMES`, with the sizes that `seed` draws."""
    return (*NAMED, *drawn.drawn(seed))
