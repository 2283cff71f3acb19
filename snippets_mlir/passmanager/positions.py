"""Passes at positions of a pipeline that is otherwise given.

    start:PASS            before the first pass         end:PASS             after the last one
    before:NAME:PASS      before the pass NAME          after:NAME:PASS      after it

PASS is a pass, or a pipeline of several, in the spelling of `-p`. Insertions come from the command
line (`--insert-pass=`), from Python (`compile(..., insert_passes=[...])`), from a plugin's
`POSITIONS`, and from the target machine (`TargetMachine.positioned`); they are made in that order
of trust: target, plugins, user. Several at one position stand in the order they were given in.
Source: the design guide's positioned passes (PipelineStart, PipelineEnd, Before, After).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from xdsl.context import Context
from xdsl.passes import ModulePass

from snippets_mlir.passmanager.pipeline import parse_pipeline
from snippets_mlir.support.diagnostics import close_match
from snippets_mlir.support.errors import CompileError

Place = Literal["start", "end", "before", "after"]
PLACES: tuple[Place, ...] = ("start", "end", "before", "after")


@dataclass(frozen=True)
class Insertion:
    """Passes and where they go.

    Attributes:
        place: `start`, `end`, `before` or `after`.
        anchor: the pass that `before` and `after` are about.
        passes: what is inserted, as text.
    """

    place: Place
    anchor: str | None
    passes: str


def read_insertion(text: str) -> Insertion:
    """What `text` says.

    Raises:
        CompileError: the position is unknown, or a part of it is missing.
    """
    word, _, rest = text.partition(":")
    place: Place | None = next((p for p in PLACES if p == word), None)
    if place is None:
        hint = close_match(word, PLACES) or "; positions are start, end, before:NAME, after:NAME"
        raise CompileError(f"unknown position '{word}' in '{text}'{hint}")
    anchor = None
    if place in ("before", "after"):
        anchor, _, rest = rest.partition(":")
    if not rest or anchor == "":
        form = f"{place}:PASS" if anchor is None else f"{place}:NAME:PASS"
        raise CompileError(f"expected {form}, found '{text}'")
    return Insertion(place, anchor, rest)


def place_of(insertion: Insertion, names: Sequence[str]) -> int:
    """Where in a pipeline of passes called `names` the insertion goes.

    `before` is about the first pass of that name, `after` about the last.

    Raises:
        CompileError: no pass has that name; close matches of those that are there.
    """
    if insertion.anchor is None:
        return 0 if insertion.place == "start" else len(names)
    found = [index for index, name in enumerate(names) if name == insertion.anchor]
    if not found:
        hint = close_match(insertion.anchor, names) or f"; it has {', '.join(names) or 'no passes'}"
        raise CompileError(f"the pipeline has no pass '{insertion.anchor}'{hint}")
    return found[0] if insertion.place == "before" else found[-1] + 1


def insert_passes(
    passes: Sequence[ModulePass], insertions: Sequence[str], ctx: Context
) -> list[ModulePass]:
    """`passes` with the insertions; positions are about the pipeline as it was.

    Raises:
        CompileError: an insertion is malformed, or its position or passes are not known.
    """
    names = [p.name for p in passes]
    at: dict[int, list[ModulePass]] = {}
    for text in insertions:
        insertion = read_insertion(text)
        added = parse_pipeline(insertion.passes, ctx, source=f"<{text}>")
        at.setdefault(place_of(insertion, names), []).extend(added)
    result: list[ModulePass] = []
    for index in range(len(passes) + 1):
        result += at.get(index, [])
        result += passes[index : index + 1]
    return result
