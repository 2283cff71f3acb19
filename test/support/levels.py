"""Passes after which tests that take a kernel through all passes interpret it.

A value that one pass changes stays wrong: interpreting after a few passes finds what interpreting
after each of them does, and `make fuzz`, which does the latter, says which pass it was. The passes
that may change bits, `lir-split-loops` and `lir-expand-math`, are in the list with the one before.
"""

from __future__ import annotations

import sampled

from snippets_mlir.inspect.levels import checked_levels

LEVELS = (
    "convert-snippets-to-lir",
    "lir-fuse-loops",
    "lir-split-loops",
    "lir-clean-repeated-data-pointer-shifts",
    "lir-expand-math",
    "lir-insert-specific-iterations",
    "convert-lir-to-vector",
)

INSPECTED = checked_levels(["all"] if sampled.ALL else ["linear", "expanded", "llvm"])
"""Levels of `snippets_mlir.inspect` at which tests of one kernel run it."""


def is_level(name: str) -> bool:
    """Whether a kernel is interpreted after the pass of this name."""
    return "lir" in name if sampled.ALL else name in LEVELS
