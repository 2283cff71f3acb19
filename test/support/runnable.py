"""The targets whose code this computer runs, for tests that execute kernels of several targets."""

from __future__ import annotations

from snippets_mlir.targets.host import host_target
from snippets_mlir.targets.machine import TARGETS, machine

HOST = machine(host_target())
"""The target of this computer."""

RUNNABLE = [m.name for m in TARGETS.values() if m.triple == HOST.triple and m.lanes <= HOST.lanes]
"""All that it runs: on x86 those with vectors of at most its size."""
