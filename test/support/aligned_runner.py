"""Runs a computing program at all places in a cache line, on arrays at forbidden pages.

    python aligned_runner.py

Ranges of such a program are begun at a cache line (`codegen/stubs/ranges.py`). Sizes are around
those from which that is done; results have to be those of arrays on a cache line, bit for bit. This
is a process of its own, so that a fault ends it and not the tests. On a machine without vectors of
64 bytes nothing is shifted, and the same has to come out.
"""

from __future__ import annotations

import sys

import numpy as np
from guard_pages import Array, Yard
from guard_runner import whole_team

import snippets_mlir
from snippets_mlir.codegen.stubs.interface import LEAST_GRAINS, aligned_word
from snippets_mlir.runtime.parallel import step_teams

TEXT = """
func.func @main(%x: tensor<?xTYPE>, %y: tensor<?xTYPE>, %m: tensor<?xi1>)
    -> (tensor<?xTYPE>, tensor<?xi1>) {
  %0 = snippets.gelu %x : tensor<?xTYPE>
  %1 = snippets.multiply %0, %y : tensor<?xTYPE>
  %2 = snippets.select %m, %1, %x : (tensor<?xi1>, tensor<?xTYPE>, tensor<?xTYPE>) -> tensor<?xTYPE>
  %3 = snippets.greater %2, %y : (tensor<?xTYPE>, tensor<?xTYPE>) -> tensor<?xi1>
  func.return %2, %3 : tensor<?xTYPE>, tensor<?xi1>
}
"""

GRAIN = 16
"""Elements of an iteration where vectors have 64 bytes, of f64 too."""


def run(threads: int, element: str) -> int:
    """Run the program for one type of elements; how many calls had ranges to shift."""
    dtype = np.dtype({"f32": np.float32, "f64": np.float64}[element])
    compiled = snippets_mlir.compile(
        TEXT.replace("TYPE", element), num_threads=threads, fallback="error"
    )
    rng, yard, shifted = np.random.default_rng(0), Yard(1 << 15), 0
    for size in range(threads * LEAST_GRAINS * GRAIN, (threads * LEAST_GRAINS + 1) * GRAIN + 2):
        print(f"{element}, {threads} threads, size {size}", flush=True)
        x, y = (rng.normal(0, 2, size).astype(dtype) for _ in range(2))
        mask = rng.random(size) < 0.5
        yard.clear()
        results: list[list[Array]] = []
        for place in ("first", "last"):
            arrays = [yard.copy(array, place) for array in (x, y, mask)]
            out = [yard.empty(x.shape, kind, place) for kind in (dtype, mask.dtype)]
            for _ in range(3):  # the checked way, then the short one
                for array in out:
                    array.view(np.uint8)[:] = 0xFF
                compiled(*arrays, out=out)
            results.append(out)
        for wanted, found in zip(*results, strict=True):
            if wanted.tobytes() != found.tobytes():
                raise ValueError(f"results differ: {wanted} and {found}")
        shifted += aligned_word(compiled.manifest["steps"][0].get("aligned")) != 0
    return shifted


def main() -> int:
    step_teams.team_for = whole_team
    shifted = sum(run(threads, element) for threads in (1, 2) for element in ("f32", "f64"))
    print(f"{shifted} calls aligned")
    return 0


if __name__ == "__main__":
    sys.exit(main())
