"""The guide's rules for the parallel domain, as functions of numbers.

* `guide_domain`: how many of the last dims collapse, and how many the kernel walks itself (the
  guide's OptimizeDomain). `lir-optimize-domain{rule=guide}` follows it.
* `split_dimension`: how a large dim M is split so that batch times the outer part occupies all
  threads (the guide's SplitDimensionM). `snippets-split-reductions` has rules of its
  own, because a reduction may be split unevenly; this one is for kernels over whole rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isqrt, prod

from snippets_mlir.dialects.builtin.dims import Dim, Shape, assumed

MIN_ROWS = 32
"""Rows below which a part of M is not worth a kernel call."""


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


def _is_prime(number: int) -> bool:
    return number > 1 and all(number % d for d in range(2, isqrt(number) + 1))


def _smallest_kernel(batch: int, rows: int, threads: int) -> tuple[int, int] | None:
    """The split with the smallest inner part of at least `MIN_ROWS` rows."""
    best: tuple[int, int] | None = None
    divisor = 2
    while divisor * divisor < rows:
        if rows % divisor == 0:
            if divisor >= MIN_ROWS:
                return rows // divisor, divisor
            if rows // divisor >= MIN_ROWS:
                best = divisor, rows // divisor
        divisor += 1
    return best if best is not None and best[0] * batch >= threads else None


def split_dimension(batch: int, rows: int, threads: int) -> tuple[int, int] | None:
    """The outer and the inner part of `rows`, or None when it stays whole.

    Args:
        batch: product of the dims that are parallel anyway.
        rows: size of the dim M.
        threads: how many parts are wanted at least.
    """
    if _is_prime(rows) or batch % threads == 0:
        return None
    share = threads // batch
    if share * batch == threads and rows % share == 0:
        return share, rows // share
    if rows % threads == 0 and rows // threads >= MIN_ROWS:
        return threads, rows // threads
    if (small := _smallest_kernel(batch, rows, threads)) is not None:
        return small
    for parts in range(-(-2 * threads // batch) - 1, 1, -1):
        if rows % parts == 0:
            return (parts, rows // parts) if parts * batch >= threads else None
    return None
