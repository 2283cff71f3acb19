"""Choose the nests to vectorize, and their order.

A pattern is one loop, or two or three nested loops (`NestedPattern`). Each level takes loops that
are parallel, have a vectorizable body, and step through the memref dim of the level. Matches are
found inner loops first and grouped into *buckets* of nests that contain one another. In a bucket,
the first nest that can be vectorized is, and the rest is dropped. So with one level the innermost
vectorizable loop is taken.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import affine
from xdsl.ir import Operation

from snippets_mlir.analysis.loops.loop_bodies import (
    INVARIANT,
    Refusal,
    step_refusal,
    varying_dim,
    why_not_parallel,
)
from snippets_mlir.analysis.loops.nested_patterns import NestedMatch, NestedPattern

ANY = -1
"""Stands for any fastest varying dim."""


@dataclass
class LoopFilter:
    """The loops that may be vectorized, and why the others may not.

    Facts about a loop are cached, because every level needs them.
    """

    with_reductions: bool
    facts: dict[Operation, int | Refusal] = field(default_factory=dict[Operation, "int | Refusal"])

    def dim(self, op: Operation) -> int | Refusal:
        """The dim that a loop steps through, or why it has no vector form."""
        if not isinstance(op, affine.ForOp):
            return Refusal(op, "it is not a loop")
        if op not in self.facts:
            self.facts[op] = self._dim(op)
        return self.facts[op]

    def _dim(self, loop: affine.ForOp) -> int | Refusal:
        refusal = why_not_parallel(loop, with_reductions=self.with_reductions)
        return refusal or step_refusal(loop) or varying_dim(loop)

    def accepts(self, op: Operation, wish: int) -> bool:
        """Whether a loop may be at a level with a given fastest varying dim."""
        dim = self.dim(op)
        return not isinstance(dim, Refusal) and (dim == INVARIANT or wish in (ANY, dim))

    def why_not(
        self, loop: affine.ForOp, wishes: Sequence[int], refusals: Mapping[Operation, Refusal]
    ) -> str:
        """Why a loop is in no vectorized nest; `refusals` are of the nests by their root."""
        dim = refusals.get(loop) or self.dim(loop)
        if isinstance(dim, Refusal):
            return dim.reason
        if not any(self.accepts(loop, wish) for wish in wishes):
            asked = ", ".join(map(str, wishes))
            return f"it steps through dim {dim} of its memrefs, asked for is {asked}"
        return f"no nest of {len(wishes)} such loops begins here"


def make_pattern(loops: LoopFilter, wishes: Sequence[int]) -> NestedPattern:
    """A nest of one loop for each given dim, the outermost first."""
    nested = (make_pattern(loops, wishes[1:]),) if len(wishes) > 1 else ()
    return NestedPattern(lambda op: loops.accepts(op, wishes[0]), nested)


def buckets_of(matches: Sequence[NestedMatch]) -> list[list[NestedMatch]]:
    """Matches in groups; a match joins the first group whose outermost nest it is in or around."""
    roots: list[Operation] = []
    buckets: list[list[NestedMatch]] = []
    for match in matches:
        for place, root in enumerate(roots):
            if root.is_ancestor(match.op) or match.op.is_ancestor(root):
                buckets[place].append(match)
                roots[place] = match.op if match.op.is_ancestor(root) else root
                break
        else:
            roots.append(match.op)
            buckets.append([match])
    return buckets


def dims_of(match: NestedMatch) -> dict[affine.ForOp, int]:
    """The vector dim of each matched loop: its level."""
    return {op: level for op, level in match.walk() if isinstance(op, affine.ForOp)}
