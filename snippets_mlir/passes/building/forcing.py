"""The implementations that a user forces: the option `force` of passes.

    relu:reference|conv*:onnxruntime

Each part is `PATTERN:KIND`; a pattern may have `*` and `?`. It matches a node by its id, and by the
names of the nodes that were fused into it (`origin`): a kind that is forced for a part of a node is
forced for the node. The last pair that matches wins. Before there are nodes, a pattern matches ops
by their names.

`sin*:reference?`, with a question mark, may match no node: its op may be folded before there are
nodes. The driver writes it for the ops of a pattern that matches several.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple, TypeVar

from xdsl.ir import Operation

from snippets_mlir.dialects.program.node import NodeOp
from snippets_mlir.passes.building.names import base_name
from snippets_mlir.passes.building.programs import origins_of
from snippets_mlir.support.diagnostics import close_match
from snippets_mlir.support.errors import CompileError
from snippets_mlir.targets.implementations import implementations

OpT = TypeVar("OpT", bound=Operation)


MAY_MATCH_NONE = "?"
"""After a kind."""


class _Pair(NamedTuple):
    pattern: str
    kind: str
    may_match_none: bool


def parse_force(text: str) -> list[tuple[str, str]]:
    """The pairs of pattern and kind of the option `force`; `CompileError` for a wrong one."""
    return [(pair.pattern, pair.kind) for pair in _parsed(text)]


def check_pairs(pairs: Iterable[str]) -> None:
    """Check the values of `--force-impl`; `CompileError` for a wrong or an empty one."""
    for text in pairs:
        if not parse_force(text):
            raise CompileError(f"force: expected PATTERN:KIND, found '{text}'")


def _parsed(text: str) -> list[_Pair]:
    kinds = [row.kind for row in implementations()]
    pairs: list[_Pair] = []
    for part in filter(None, text.split("|")):
        pattern, colon, word = part.rpartition(":")
        kind = word.removesuffix(MAY_MATCH_NONE)
        if not colon:
            raise CompileError(f"force: expected PATTERN:KIND, found '{part}'")
        if kind not in kinds:
            raise CompileError(
                f"force: expected one of {', '.join(kinds)}, found '{kind}'"
                f"{close_match(kind, kinds)}"
            )
        pairs.append(_Pair(pattern, kind, word != kind))
    return pairs


def forced_kinds(nodes: Sequence[NodeOp], force: str) -> dict[str, str]:
    """Id -> the kind that the option `force` gives; `CompileError` for a pattern without a node."""
    names = {node.id.data: {node.id.data, *origins_of(node)} for node in nodes}
    kinds: dict[str, str] = {}
    for pattern, kind, may_match_none in _parsed(force):
        matched = [id_ for id_, own in names.items() if any(fnmatchcase(n, pattern) for n in own)]
        if not matched and not may_match_none:
            raise no_match(pattern, (name for own in names.values() for name in sorted(own)))
        kinds |= dict.fromkeys(matched, kind)
    return kinds


def no_match(pattern: str, names: Iterable[str]) -> CompileError:
    """The error for a pattern that matches none of `names`."""
    every = list(dict.fromkeys(names))
    more = ", ..." if len(every) > 10 else ""
    known = ", ".join(f'"{name}"' for name in every[:10]) or "none"
    return CompileError(f"force: no node matches '{pattern}'; there are {known}{more}")


def forced_ops(ops: Iterable[OpT], force: str) -> dict[OpT, str]:
    """Op -> the kind that the option `force` gives it; a pattern may match no op."""
    pairs = parse_force(force)
    found: dict[OpT, str] = {}
    for op in ops if pairs else ():
        name = base_name(op)
        found |= {op: kind for pattern, kind in pairs if fnmatchcase(name, pattern)}
    return found
