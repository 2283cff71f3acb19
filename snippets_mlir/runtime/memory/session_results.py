"""The results of executors for which the executor's own memory is better than the arena.

A session that writes to the arena of a program needs the memory of its result from its first node
on. If it may allocate the memory itself, onnxruntime does so at the node that writes the result,
when the values of earlier nodes are dead:

    arena of kernels 63 MiB, 32 of them a result      session 16 + 16 + 32          in all 127
    arena of kernels 32 MiB                           the result where 16 + 16 were    96

This costs nothing if the arena becomes smaller by the size of the result: onnxruntime's arena,
which sessions share (`runtime/engine/shared_arena.py`), grows by that size at most. If other values
of the program would use its place anyway, the result stays in the program's arena.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from snippets_mlir.analysis.memory.happens_before import Life
from snippets_mlir.analysis.placement import aligned, largest_live_sum

LARGE = 1 << 20
"""The smallest result, in bytes, for which this matters: asking onnxruntime for its address takes
some us.
"""
EIGHTHS = 7
"""The arena has to shrink by this many eighths of the result."""


def apart_of(
    sizes: Sequence[int], lives: Sequence[Life], executed: Collection[int]
) -> tuple[int, ...]:
    """The numbers of the values that their executors take memory for, the largest first.

    `executed` are the steps that an executor runs.
    """
    taken = [aligned(size) for size in sizes]
    order = sorted(range(len(taken)), key=lambda value: -taken[value])
    candidates = [v for v in order if taken[v] >= LARGE and lives[v].writer in executed]
    found: list[int] = []
    live = largest_live_sum(taken, lives) if candidates else 0
    for value in candidates:
        size, taken[value] = taken[value], 0
        without = largest_live_sum(taken, lives)
        if 8 * (live - without) >= EIGHTHS * size:
            found.append(value)
            live = without
        else:
            taken[value] = size
    return tuple(found)
