"""What `--force-impl=PATTERN:KIND` does to a pipeline.

    program-select-implementations,cse          with relu:reference

becomes

    program-select-implementations{force="relu:reference"},cse

So do the passes that fuse nodes: what is forced to run in another way than the rest stays a node of
its own. Pairs come after those that the pipeline has, so they win over these. The passes check
patterns and kinds. Refuses a pipeline without the pass that selects.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, cast

from xdsl.passes import ModulePass

from snippets_mlir.support.errors import CompileError

SELECTS = "program-select-implementations"
FUSES = ("program-prepare-fusing", "program-fuse-primitives")


def force_implementations(passes: Sequence[ModulePass], pairs: Sequence[str]) -> list[ModulePass]:
    """`passes`, where those that fuse nodes and select implementations force `pairs`.

    Args:
        passes: a pipeline.
        pairs: each is `PATTERN:KIND`, or several with `|` between; none change nothing.

    Raises:
        CompileError: there are pairs, and no pass selects implementations.
    """
    if pairs and all(p.name != SELECTS for p in passes):
        raise CompileError(
            f"--force-impl: expected a program, or a pipeline with '{SELECTS}'; "
            f"it has {', '.join(p.name for p in passes[:8]) or 'no passes'}"
            f"{', ...' if len(passes) > 8 else ''}"
        )
    return [_forcing(p, pairs) if p.name in (*FUSES, SELECTS) and pairs else p for p in passes]


def _forcing(p: ModulePass, pairs: Sequence[str]) -> ModulePass:
    known: str = cast("Any", p).force
    return dataclasses.replace(cast("Any", p), force="|".join(filter(None, (known, *pairs))))
