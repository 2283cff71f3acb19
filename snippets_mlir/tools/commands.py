"""`snippets-opt` and `snippets-run` as processes, without Python's cycle collector.

A command imports hundreds of modules and creates IR. Both are full of cycles that live until the
process ends, so a collection walks over them and frees nothing. This also holds for the collections
at Python's exit: the system frees the memory right after them. `main` of a tool, which other
processes may call, does not change the collector.
"""

from __future__ import annotations

import atexit
import gc


def keep_cycles() -> None:
    """Turn the collector off until the process ends, and hide all objects from it at exit."""
    gc.disable()
    atexit.register(gc.freeze)


def snippets_opt() -> int:
    """The command `snippets-opt`; returns its exit code."""
    keep_cycles()
    from snippets_mlir.tools.snippets_opt import main

    return main()


def snippets_run() -> int:
    """The command `snippets-run`; returns its exit code."""
    keep_cycles()
    from snippets_mlir.tools.snippets_run import main

    return main()
