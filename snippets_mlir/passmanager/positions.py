"""Insert passes at positions of a given pipeline.

    start:PASS            before the first pass         end:PASS             after the last one
    before:NAME:PASS      before the pass NAME          after:NAME:PASS      after it
    without:NAME          the passes NAME are left out

PASS is a pass, or a pipeline of several, in the spelling of `-p`. Insertions come from the command
line (`--insert-pass=`), from Python (`compile(..., insert_passes=[...])`), from a plug-in's
`POSITIONS`, and from the target machine (`TargetMachine.positioned`). The order is target,
plug-ins, user. Several insertions at one position keep their order. A pass that is left out is
still a position.

A user's insertion applies to one pipeline, and is an error if the pipeline lacks NAME. Insertions
of targets and plug-ins apply to every pipeline, and are ignored if it lacks NAME. In both cases a
NAME that no pass has is an error. Source: the design guide's positioned passes (PipelineStart,
PipelineEnd, Before, After).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, cast

from xdsl.context import Context
from xdsl.passes import ModulePass

from snippets_mlir.passmanager.pipeline import parse_pipeline, passes_of
from snippets_mlir.support.diagnostics import close_match
from snippets_mlir.support.errors import CompileError

Place = Literal["start", "end", "before", "after", "without"]
PLACES: tuple[Place, ...] = ("start", "end", "before", "after", "without")


@dataclass(frozen=True)
class Insertion:
    """Passes, and the position at which they are inserted.

    Attributes:
        place: `start`, `end`, `before`, `after`, or `without`, which inserts nothing.
        anchor: the pass for `before`, `after` and `without`.
        passes: to insert, as text.
    """

    place: Place
    anchor: str | None
    passes: str


def read_insertion(text: str) -> Insertion:
    """The insertion in a text.

    Raises:
        CompileError: the position is unknown, or a part of it is missing.
    """
    word, _, rest = text.partition(":")
    place: Place | None = next((p for p in PLACES if p == word), None)
    if place is None:
        hint = close_match(word, PLACES) or f"; expected {_FORMS}"
        raise CompileError(f"unknown position '{word}' in '{text}'{hint}")
    if place in ("start", "end"):
        return Insertion(place, None, _part("PASS", rest, f"{place}:PASS", text))
    if place == "without":
        return Insertion(place, _part("NAME", rest, "without:NAME", text), "")
    anchor, _, rest = rest.partition(":")
    form = f"{place}:NAME:PASS"
    return Insertion(place, _part("NAME", anchor, form, text), _part("PASS", rest, form, text))


_FORMS = "start:PASS, end:PASS, before:NAME:PASS, after:NAME:PASS or without:NAME"


def _part(name: str, found: str, form: str, text: str) -> str:
    """A part of an insertion; an error that names it if it is empty."""
    if not found:
        raise CompileError(f"expected {form}, found '{text}', which has no {name}")
    return found


def read_insertions(texts: object, name: str) -> tuple[str, ...]:
    """The table `name` of a plug-in, or field of a target: a sequence of insertions.

    Raises:
        CompileError: it is something else, such as one string, or an insertion is malformed.
    """
    items = cast("Sequence[object]", texts) if isinstance(texts, list | tuple) else ()
    found = tuple(item for item in items if isinstance(item, str))
    if not isinstance(texts, list | tuple) or len(found) != len(items):
        expected = "expected a list of strings, as in ['end:cse']"
        raise CompileError(f"{name}: {expected}, found {texts!r:.80}")
    for text in found:
        try:
            read_insertion(text)
        except CompileError as error:
            raise CompileError(f"{name}: {error.message}") from None
    return found


def _applies(insertion: Insertion, names: Sequence[str], ctx: Context) -> bool:
    """Whether a pipeline of passes called `names` has the position; an error for no pass at all."""
    if insertion.anchor is None or insertion.anchor in names:
        return True
    known = passes_of(ctx)
    if insertion.anchor not in known:
        hint = close_match(insertion.anchor, list(known)) or "; see --list-passes"
        text = f"{insertion.place}:{insertion.anchor}:{insertion.passes}".removesuffix(":")
        raise CompileError(f"unknown pass '{insertion.anchor}' in the position '{text}'{hint}")
    return False


def place_of(insertion: Insertion, names: Sequence[str]) -> int:
    """The place of the insertion in a pipeline of passes called `names`.

    `before` refers to the first pass of that name, `after` to the last.

    Raises:
        CompileError: no pass has that name; the message has close matches.
    """
    if insertion.anchor is None:
        return 0 if insertion.place == "start" else len(names)
    found = [index for index, name in enumerate(names) if name == insertion.anchor]
    if not found:
        known = ", ".join(dict.fromkeys(names))
        hint = f"; it has {known}" if known else "; it is empty: choose one with -p or --pipeline"
        hint = close_match(insertion.anchor, names) or hint
        raise CompileError(f"the pipeline has no pass '{insertion.anchor}'{hint}")
    return found[0] if insertion.place == "before" else found[-1] + 1


def insert_passes(
    passes: Sequence[ModulePass],
    insertions: Sequence[str],
    ctx: Context,
    *,
    everywhere: Sequence[str] = (),
) -> list[ModulePass]:
    """`passes` with the insertions; positions refer to the original pipeline.

    Args:
        passes: a pipeline.
        insertions: of the user.
        ctx: where names of passes are looked up.
        everywhere: insertions of the target and of plug-ins, which come first, and only if the
            pipeline has the pass that they name.

    Raises:
        CompileError: an insertion is malformed, or its position or passes are not known.
    """
    names = [p.name for p in passes]
    left_out = set[str | None]()
    at: dict[int, list[ModulePass]] = {}
    for index, text in enumerate((*everywhere, *insertions)):
        insertion = read_insertion(text)
        added = parse_pipeline(insertion.passes, ctx, source=f"<{text}>")
        if index < len(everywhere) and not _applies(insertion, names, ctx):
            continue
        at.setdefault(place_of(insertion, names), []).extend(added)
        if insertion.place == "without":
            left_out.add(insertion.anchor)
    result: list[ModulePass] = []
    for index in range(len(passes) + 1):
        result += at.get(index, [])
        result += (p for p in passes[index : index + 1] if p.name not in left_out)
    return result
