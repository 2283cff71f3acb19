"""Apply `--force-impl=PATTERN:KIND` to a pipeline.

    program-select-implementations,cse          with relu:reference

becomes

    program-select-implementations{force="relu:reference"},cse

The passes that fuse nodes, and the pass that marks ops left out of kernels, get the pairs, too: a
node that is forced to run in another way than the rest is not fused. The pairs come after those of
the pipeline and override them. The passes check patterns and kinds.

A pipeline that begins with a function may have the pass before `snippets-tokenize`, where it marks
the ops that stay outside of kernels. The subgraphs that follow, and the ops beside them, become the
nodes of a program, and the pass selects there once more:

    snippets-tokenize,rest

becomes

    program-select-implementations{claims=false},snippets-tokenize,convert-host-to-program,
    program-select-implementations,program-lower-implementations,rest

Refuses a pipeline with neither of the two passes.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, cast

from xdsl.passes import ModulePass

from snippets_mlir.support.errors import CompileError

SELECTS = "program-select-implementations"
TOKENIZES = "snippets-tokenize"
MARKS = "snippets-mark-skipped"
FUSES = ("program-prepare-fusing", "program-fuse-primitives")
FORCED = (MARKS, *FUSES, SELECTS)
"""The passes with an option `force`."""


def force_implementations(passes: Sequence[ModulePass], pairs: Sequence[str]) -> list[ModulePass]:
    """`passes`, with `pairs` in the option `force` of those that have it.

    Args:
        passes: a pipeline.
        pairs: each is `PATTERN:KIND`, or several with `|` between; without pairs nothing changes.

    Raises:
        CompileError: a pair is wrong, or no pass selects implementations or makes subgraphs.
    """
    if not pairs:
        return list(passes)
    from snippets_mlir.passes.building.forcing import check_pairs

    check_pairs(pairs)
    selecting = with_selection(passes)
    if selecting is None:
        raise CompileError(
            f"--force-impl: expected a pipeline with '{SELECTS}' or '{TOKENIZES}'; "
            f"it has {', '.join(p.name for p in passes[:8]) or 'no passes'}"
            f"{', ...' if len(passes) > 8 else ''}"
        )
    return [_forcing(p, pairs) if p.name in FORCED else p for p in selecting]


def selects_kernels(passes: Sequence[ModulePass]) -> bool:
    """Whether subgraphs of a function become kernels without a pass that selects."""
    return TOKENIZES in [p.name for p in passes] and not _selects_nodes(passes)


def _selects_nodes(passes: Sequence[ModulePass]) -> bool:
    """Whether a pass selects implementations of nodes, not only ops outside of kernels."""
    names = [p.name for p in passes]
    return SELECTS in names[names.index(TOKENIZES) if TOKENIZES in names else 0 :]


def with_selection(passes: Sequence[ModulePass]) -> list[ModulePass] | None:
    """`passes` with a pass that selects implementations; None if there is no place for it."""
    names = [p.name for p in passes]
    if _selects_nodes(passes):
        return list(passes)
    if TOKENIZES not in names:
        return None
    from snippets_mlir.passes.program.convert_host_to_program import ConvertHostToProgramPass
    from snippets_mlir.passes.program.program_lower_implementations import (
        ProgramLowerImplementationsPass,
    )
    from snippets_mlir.passes.program.program_select_implementations import (
        ProgramSelectImplementationsPass,
    )

    after = names.index(TOKENIZES) + 1
    is_marked = not {MARKS, SELECTS}.isdisjoint(names[:after])
    marks = [] if is_marked else [ProgramSelectImplementationsPass(claims=False)]
    selects = [
        ConvertHostToProgramPass(),
        ProgramSelectImplementationsPass(),
        ProgramLowerImplementationsPass(),
    ]
    return [*marks, *passes[:after], *selects, *passes[after:]]


def _forcing(p: ModulePass, pairs: Sequence[str]) -> ModulePass:
    known: str = cast("Any", p).force
    return dataclasses.replace(cast("Any", p), force="|".join(filter(None, (known, *pairs))))
