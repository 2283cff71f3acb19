"""`snippets-opt` and `snippets-run` as processes: Python's collector of cycles does not run.

A command imports hundreds of modules and makes IR. Both are full of cycles that live until the
process ends, so a collection walks over them and frees nothing. That holds for the collections of
Python's exit, too: the system takes the memory back right after them. `main` of a tool, which other
processes may call, leaves the collector alone.
"""

from __future__ import annotations

import atexit
import gc


def keep_cycles() -> None:
    """Turn the collector off until the process ends, and hide all objects from it at exit."""
    gc.disable()
    atexit.register(gc.freeze)


def snippets_opt() -> int:
    """The command `snippets-opt`; its exit code."""
    keep_cycles()
    from snippets_mlir.tools.snippets_opt import main

    return main()


def snippets_run() -> int:
    """The command `snippets-run`; its exit code."""
    keep_cycles()
    from snippets_mlir.tools.snippets_run import main

    return main()
