"""Whether two loops of one block may be fused, and the benefit.

The loops `first` and `second` run the same iterations, and carry no values. In the fused loop,
iteration i of `second` comes before iteration i + 1 of `first`. This is wrong exactly if `first`
accesses a cell in iteration i1 and `second` accesses it in an earlier iteration i2 < i1, and one of
the two is a write. `integer_sets` answers this integer question (`dependence` says when the answer
is cautious). With i2 > i1 fusion is correct, but the fused loop carries the dependence and can no
longer be vectorized: the loops are *chained*.

The ops between the two must allow one of them to move: either `first` moves down to `second`, or
`second` up to `first`.

*Worth* is the number of pairs of accesses, one in each loop, that touch a common cell in the same
iteration. For each pair, the cell is still in a near cache at its second use.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from xdsl.dialects import affine
from xdsl.ir import Operation

from snippets_mlir.analysis.loops.affine_access import (
    Access,
    access_of,
    bounds_of,
    enclosing_loops,
    iv_of,
)
from snippets_mlir.analysis.loops.aliasing import Alias, alias
from snippets_mlir.analysis.loops.dependence import add_domain
from snippets_mlir.analysis.loops.integer_sets import System
from snippets_mlir.analysis.loops.linear_forms import Linear
from snippets_mlir.analysis.loops.loop_bodies import is_harmless

Relation = Literal["earlier", "same", "later"]


@dataclass(frozen=True)
class Fusion:
    """Two loops that may be fused.

    Args:
        first: the loop that comes first.
        second: the other one.
        at_second: whether `first` moves down to `second`; otherwise `second` moves up.
        worth: pairs of accesses that meet in an iteration.
        feeds: whether `second` reads memory that `first` writes.
        chained: whether the fused loop carries a dependence between the two.
    """

    first: affine.ForOp
    second: affine.ForOp
    at_second: bool
    worth: int
    feeds: bool
    chained: bool


def plan_fusion(first: affine.ForOp, second: affine.ForOp) -> Fusion | str:
    """The fusion of two loops of one block, or why they stay apart."""
    if first.inits or second.inits:
        return "a loop carries values"
    one, other = bounds_of(first), bounds_of(second)
    if one.lower is None or one.upper is None or one != other:
        return "the loops run different iterations"
    writers, readers = accesses_in(first), accesses_in(second)
    if writers is None or readers is None:
        return "a loop has unknown effects"
    pairs = [(a, b) for a in writers for b in readers]
    ordered = [(a, b) for a, b in pairs if a.writes or b.writes]
    if any(_meet(first, second, a, b, "earlier") for a, b in ordered):
        return "an iteration needs what a later iteration of the first loop does"
    place = _place(first, second, writers, readers)
    if place is None:
        return "the ops between the loops depend on both"
    met = [(a, b) for a, b in pairs if _is_one_memref(a, b) and _meet(first, second, a, b, "same")]
    feeds = any(a.writes and not b.writes for a, b in met)
    chained = any(_meet(first, second, a, b, "later") for a, b in ordered)
    return Fusion(first, second, place == "second", len(met), feeds, chained)


def accesses_in(op: Operation) -> list[Access] | None:
    """All accesses that an op makes, itself or inside; None when it does something unknown."""
    found: list[Access] = []
    for inner in op.walk():
        if isinstance(inner, affine.LoadOp | affine.StoreOp):
            found.append(access_of(inner))
        elif not is_harmless(inner):
            return None
    return found


def conflict(left: Iterable[Access], right: Iterable[Access]) -> bool:
    """Whether the order of two sets of accesses may matter; subscripts are ignored."""
    right = tuple(right)
    return any(
        (a.writes or b.writes) and alias(a.memref, b.memref) is not Alias.NONE
        for a in left
        for b in right
    )


def _is_one_memref(a: Access, b: Access) -> bool:
    return alias(a.memref, b.memref) is Alias.SAME


def _meet(first: affine.ForOp, second: affine.ForOp, a: Access, b: Access, when: Relation) -> bool:
    """Whether two accesses may touch a common cell, for this relation of their iterations."""
    how = alias(a.memref, b.memref)
    if how is Alias.NONE:
        return False
    if how is Alias.MAY or a.indices is None or b.indices is None:
        return True
    system = System()
    loops = dict.fromkeys((*enclosing_loops(a.op), *enclosing_loops(b.op)))
    add_domain(system, loops, lambda variable: variable)
    distance = Linear.variable(iv_of(first)) - Linear.variable(iv_of(second))
    if when == "same":
        system.equations.append(distance)
    else:
        system.inequalities.append((distance if when == "earlier" else distance * -1) - 1)
    for left, right in zip(a.indices, b.indices, strict=True):
        system.equations.append(left - right)
    return system.is_satisfiable()


def _place(
    first: affine.ForOp, second: affine.ForOp, writers: list[Access], readers: list[Access]
) -> Literal["first", "second"] | None:
    """The places at which the fused loop may be."""
    between: list[Operation] = []
    op = first.next_op
    while op is not None and op is not second:
        between.append(op)
        op = op.next_op
    inside = [accesses_in(o) for o in between]
    known = [access for accesses in inside if accesses is not None for access in accesses]
    if any(accesses is None for accesses in inside):
        return None
    if not conflict(writers, known):
        return "second"
    results = {result for o in between for result in o.results}
    uses = any(operand in results for o in second.walk() for operand in o.operands)
    return None if uses or conflict(readers, known) else "first"
