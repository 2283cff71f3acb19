"""Nested matchers as values: patterns and matches are recursive records.

    pattern = NestedPattern(is_loop, (NestedPattern(is_loop),))      two loops, one around the other

An op matches a pattern if the condition holds and, for every nested pattern, at least one op
anywhere inside the op matches it. So the loops of a nest need not be perfect: ops between two
levels are ignored, and several children may match below one parent.

Source: `NestedMatcher` of MLIR's affine super-vectorizer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from xdsl.ir import Operation


@dataclass(frozen=True)
class NestedMatch:
    """An op that matched, with the matches of the nested patterns inside of it."""

    op: Operation
    children: tuple[NestedMatch, ...] = ()

    def walk(self, level: int = 0) -> Iterator[tuple[Operation, int]]:
        """Each matched op with its level, parents first; the outermost op has level 0."""
        yield self.op, level
        for child in self.children:
            yield from child.walk(level + 1)


@dataclass(frozen=True)
class NestedPattern:
    """A condition on an op and patterns for the ops inside it."""

    accepts: Callable[[Operation], bool]
    nested: tuple[NestedPattern, ...] = ()

    def match(self, root: Operation) -> list[NestedMatch]:
        """The matches inside of `root` and at `root` itself, inner ops before outer ones."""
        return [match for op in post_order(root) for match in self.match_at(op)]

    def match_at(self, op: Operation) -> list[NestedMatch]:
        """The matches whose outermost op is `op`, one for each nested pattern."""
        if not self.accepts(op):
            return []
        if not self.nested:
            return [NestedMatch(op)]
        found: list[NestedMatch] = []
        for pattern in self.nested:
            inside = [m for o in post_order(op) if o is not op for m in pattern.match_at(o)]
            if not inside:
                break
            found.append(NestedMatch(op, tuple(inside)))
        return found


def post_order(op: Operation) -> Iterator[Operation]:
    """An op and all ops inside it, inner ops before outer ones."""
    for region in op.regions:
        for block in region.blocks:
            for inner in block.ops:
                yield from post_order(inner)
    yield op
