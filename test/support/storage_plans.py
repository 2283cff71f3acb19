"""The memory of one call of a program, from the sizes in its manifest."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from snippets_mlir.runtime.arguments.arrays import dtype_from_name
from snippets_mlir.runtime.manifests.manifest import Manifest, Value
from snippets_mlir.runtime.memory.frame import scratch_of
from snippets_mlir.runtime.memory.storage import Memory, Storage, static_shape


def _byte_size(value: Value) -> int:
    return prod(static_shape(value)) * dtype_from_name(value["dtype"]).itemsize


def plan_storage(
    manifest: Manifest, teams: Sequence[int], executed: bool = False, memory: Memory | None = None
) -> Storage:
    """The memory of one call of the program, with step `i` on up to `teams[i]` threads.

    With `executed`, the results of executors are written where the plan says, too. `memory` has the
    plans for other sizes of the same program.
    """
    memory = memory or Memory(manifest, executed)
    pairs = zip(manifest["steps"], teams, strict=True)
    scratch = max((scratch_of(step) * team for step, team in pairs), default=0)
    sizes = [_byte_size(manifest["values"][value]) for value in memory.slots]
    return memory.storage(memory.places(np.array(sizes, np.int64), scratch))
