"""The guide's rule for the parallel domain, as a function of numbers (OptimizeDomain).

It computes how many of the last dims collapse, and how many the kernel itself walks;
`lir-optimize-domain{rule=guide}` uses it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from snippets_mlir.dialects.builtin.dims import Dim, Shape
from snippets_mlir.dialects.builtin.size_estimates import assumed


@dataclass(frozen=True)
class GuideDomain:
    """What the guide's OptimizeDomain decides.

    Attributes:
        collapsed: how often the last two dims were multiplied into one.
        master: the broadcast shape afterwards, 1 in front for each collapsed dim.
        tile_rank: how many of the last dims the kernel walks; the others are the domain.
    """

    collapsed: int
    master: Shape
    tile_rank: int


def _broadcast(shapes: Sequence[Shape]) -> list[Dim]:
    return [0 if 0 in sizes else max(sizes, key=assumed) for sizes in zip(*shapes, strict=True)]


def guide_domain(shapes: Sequence[Shape], threads: int, min_kernel_work: int) -> GuideDomain:
    """Collapse the last dims while enough work is left for `threads`.

    Args:
        shapes: shapes of the inputs, padded in front to one rank; they broadcast together.
        threads: the minimal parallel work amount.
        min_kernel_work: elements of the last dim after which nothing collapses.
    """
    master = _broadcast(shapes)
    inputs = [list(shape) for shape in shapes]
    rank, total, collapsed = len(master), prod(master), 0

    def can_increase() -> bool:
        return rank > 2 and assumed(master[-1] * master[-2] * threads) <= assumed(total)

    while (
        collapsed + 1 < rank
        and can_increase()
        and assumed(master[-1]) < min_kernel_work
        and all(shape[-2:] == master[-2:] for shape in inputs)
    ):
        for shape in (master, *inputs):
            last = shape.pop()
            shape[-1] = shape[-1] * last
            shape.insert(0, 1)
        collapsed += 1
    tile_rank = 2 if can_increase() and collapsed != rank - 1 else 1
    return GuideDomain(collapsed, tuple(master), tile_rank)
