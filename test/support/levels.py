"""Passes after which tests that take a kernel through all passes interpret it.

A value that one pass changes stays wrong: interpreting after a few passes finds what interpreting
after each of them does, and `make fuzz`, which does the latter, says which pass it was. The passes
that may change bits, `lir-split-loops` and `lir-expand-math`, are in the list with the one before.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sampled

from snippets_mlir.inspect.levels import checked_levels
from snippets_mlir.interpreter import Interpreter
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.support.parsing import parse_module

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


def bits_at(
    text: str, own: str, made: str, levels: Sequence[str], arrays: Sequence[Any]
) -> list[bytes]:
    """The first result of `main` after the passes `levels`, for AVX-512, each of them verified.

    The pass `own`, the first of `levels`, stands in the place of that of its name, and makes text
    with `made`.
    """
    ctx = make_context()
    module = parse_module(text, ctx)
    passes = parse_pipeline("snippets-set-target{target=x86-64-avx512},snippets-to-llvm", ctx)
    names = [p.name for p in passes]
    (mine,) = parse_pipeline(own, ctx)
    passes[names.index(mine.name)] = mine
    done, results = 0, list[bytes]()
    for level in levels:
        end = names.index(level) + 1
        run_passes(module, ctx, passes[done:end], verify_each=True)
        done = end
        assert level != mine.name or made in str(module)
        results.append(Interpreter(module).run("main", list(arrays))[0].tobytes())
    return results
