"""Errors about the stage of a kernel or graph, at the pass that does not accept it.

    error: pass 'lir-unroll': expected @subgraph_0 at stage looped, found "marked"; lir-insert-loops
    leads there

The error has the position of a kernel that is in the input text. It has none for a kernel that an
earlier pass of the same run made: that position would be an op in the user's graph, which is not
wrong.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import get_args

from xdsl.passes import ModulePass

from snippets_mlir.passes.base import Pass, Stage
from snippets_mlir.passes.pipelines import PIPELINES
from snippets_mlir.passmanager.universe import PASSES, factories
from snippets_mlir.support.errors import CompileError, StageError

_ORDER: tuple[str, ...] = get_args(Stage)


def at_pass(error: StageError, p: ModulePass, in_text: Collection[str]) -> CompileError:
    """The error with the pass, and the pass that leads to the stage.

    Args:
        error: from the pass.
        p: the pass.
        in_text: the kernels and graphs of the module before the first pass.
    """
    where = error if error.symbol in in_text else CompileError("")
    return CompileError(
        f"pass '{p.name}': {error.message}; {way_to(error.found, error.needed)}",
        file=where.file,
        line=where.line,
        column=where.column,
    )


def way_to(found: str, needed: tuple[str, ...]) -> str:
    """The way from a stage to one of the needed stages, for the end of a message."""
    if _ORDER.index(found) > max(map(_ORDER.index, needed)):
        return "no pass leads back; --resume runs the passes that are left"
    leads = passes_leading_to(needed)
    return f"{' or '.join(leads)} leads there" if leads else "the pipelines have no pass to it"


def passes_leading_to(stages: Collection[str]) -> list[str]:
    """The passes of the named pipelines that leave one of `stages`, in pipeline order."""
    known = factories(PASSES)
    names = dict.fromkeys(name for text in PIPELINES.values() for name in text.split(","))
    classes = [known[name]() for name in names if name in known]
    return [cls.name for cls in classes if issubclass(cls, Pass) and cls.STAGES.target in stages]
