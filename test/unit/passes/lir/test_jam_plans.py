"""How many iterations of a loop around others are taken together, and what becomes of the loop."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from snippets_mlir.dialects.builtin.dims import symbol
from snippets_mlir.dialects.lir.loops import LoopInfo, end_of, leave_nothing
from snippets_mlir.passes.lir.jam_nests import Nest, plan_factor
from snippets_mlir.passes.lir.loop_jamming import Jam, plan_jammed_parts
from snippets_mlir.passes.lir.loop_unrolling import left_over


def rows(work: int) -> LoopInfo:
    """A loop over rows, of which four read a tile."""
    return LoopInfo(0, work, 1, 1, parallel=True)


@pytest.mark.parametrize(
    ("work", "factor"), [(0, 1), (3, 1), (4, 4), (7, 4), (8, 8), (15, 8), (16, 16), (1000, 16)]
)
def test_iterations_bound_the_factor(work: int, factor: int) -> None:
    assert plan_factor(Nest(rows(work), 4, 4, 0, 1), 32, 128) == factor


@pytest.mark.parametrize(("shares", "factor"), [(1, 16), (4, 16), (5, 8), (8, 8), (9, 4), (64, 4)])
def test_threads_want_a_share_each(shares: int, factor: int) -> None:
    """Where there are too few rows for all of them, tiles come first."""
    assert plan_factor(Nest(rows(64), 4, 4, 0, shares), 32, 128) == factor


@pytest.mark.parametrize(("ops", "factor"), [(8, 16), (9, 8), (16, 8), (32, 4), (33, 1)])
def test_ops_bound_the_factor(ops: int, factor: int) -> None:
    assert plan_factor(Nest(rows(64), 4, ops, 0, 1), 32, 128) == factor


@pytest.mark.parametrize(
    ("carried", "registers", "factor"), [(2, 32, 16), (2, 16, 8), (1, 16, 16), (9, 16, 1)]
)
def test_registers_bound_the_factor(carried: int, registers: int, factor: int) -> None:
    nest = Nest(LoopInfo(0, 256, 16, 0), 1, 7, carried, 1)
    assert plan_factor(nest, registers, 128) == factor


def test_reductions_take_two_vectors_tiles_are_never_half() -> None:
    assert plan_factor(Nest(LoopInfo(0, 24, 8, 0), 1, 7, 2, 1), 16, 128) == 2
    assert plan_factor(Nest(rows(24), 4, 40, 0, 1), 16, 128) == 1


@pytest.mark.parametrize("shared", [True, False])
def test_parts_add_up(shared: bool) -> None:
    for work in range(4, 40):
        parts = [part.loop for part in plan_jammed_parts(Jam(rows(work), 4, shared), 5)]
        assert sum(part.work_amount for part in parts) == work
        assert [part.increment for part in parts] == ([4, 1] if work % 4 else [4])
        assert all(part.parallel == shared for part in parts)


@pytest.mark.parametrize("work", range(1, 60))
def test_what_is_left_is_one_iteration(work: int) -> None:
    """Of vectors of 8, three at a time: whole ones, and one that has some of its elements."""
    loop = LoopInfo(0, work, 8, 0)
    left = left_over(loop, 3, {0: loop})
    assert left == (work % 24 if work % 24 > 8 else 0)
    parts = [part.loop for part in plan_jammed_parts(Jam(loop, 3, False, left=left), 5)]
    assert sum(part.work_amount for part in parts) == work
    if left:
        assert (parts[-1].iteration, parts[-1].increment) == ("last", left)
        assert [part.increment for part in parts[:-1]] == [24] * (work > 24)


def test_blocks_leave_one_number_or_none_that_is_known() -> None:
    """Blocks of 48, three vectors at a time, leave nothing, and the shorter last one 14 or 8."""
    block = LoopInfo(1, 48, 8, 0, inner_of=0)
    for work, left in ((96, 0), (96 + 14, 14), (96 + 24 + 14, 14), (96 + 8, 0)):
        table = {0: LoopInfo(0, work, 48, 0), 1: block}
        assert left_over(block, 3, table) == left
    uneven = replace(block, work_amount=40)  # leaves 16, and the last block 14
    assert left_over(uneven, 3, {0: LoopInfo(0, 80 + 14, 40, 0), 1: uneven}) == 0
    unknown = {0: LoopInfo(0, symbol(0), 48, 0), 1: block}
    assert left_over(block, 3, unknown) == 0


@pytest.mark.parametrize("work", [0, *range(2, 60)])
def test_four_three_and_two_leave_nothing(work: int) -> None:
    """Each part runs whole iterations, in as few passes as four rows each allow."""
    loop = LoopInfo(0, symbol(0), 1, 2)
    parts = [
        replace(loop, id=1 + place, increment=increment, iteration="unrolled", origin=0)
        for place, increment in enumerate((4, 3, 2))
    ]
    assert leave_nothing(parts)
    ends = [0, *(end_of(place, parts, work) for place in range(3))]
    counts = [(b - a) // p.increment for (a, b), p in zip(pairwise(ends), parts, strict=True)]
    assert ends[-1] == work
    assert all(
        count * part.increment == b - a
        for count, part, (a, b) in zip(counts, parts, pairwise(ends), strict=True)
    )
    assert sum(counts) == -(-work // 4)


def test_other_parts_end_at_multiples() -> None:
    loop = LoopInfo(0, symbol(0), 1, 2)
    parts = [
        replace(loop, id=1, increment=6, iteration="unrolled", origin=0),
        replace(loop, id=2, increment=3, iteration="unrolled", origin=0),
        replace(loop, id=3, iteration="main", origin=0),
    ]
    assert not leave_nothing(parts)
    assert [end_of(place, parts, 11) for place in range(3)] == [6, 9, 11]
