"""What a row asks for ahead, and in which of its loops."""

from __future__ import annotations

import pytest

from snippets_mlir.passes.lowering.row_walks import MOST_LINES, Ahead, Room, Walk, plan

ROW = 1024
LOOPS = [Room(256, 16, True), Room(256, 32, True), Room(256, 64, True)]
"""Three loops over rows of 256 elements of four bytes, unrolled by 1, 2 and 4."""

READ, WRITTEN = Walk(0, 0, 4, False), Walk(2, 1, 4, True)


def test_results_in_the_loop_before_and_inputs_in_the_last():
    assert plan([READ, WRITTEN], LOOPS, [ROW, ROW]) == [
        Ahead(2, 0, 4, ROW, 4, False),
        Ahead(1, 1, 4, 0, 2, True),
    ]


def test_what_is_read_again_is_asked_for_once():
    again = Walk(1, 0, 4, False)
    assert plan([READ, again], LOOPS, [ROW]) == [Ahead(2, 0, 4, ROW, 4, False)]


def test_what_is_read_and_written_counts_as_written():
    late = Walk(1, 0, 4, False), Walk(2, 0, 4, True)
    assert plan(late, LOOPS, [ROW]) == [Ahead(0, 0, 4, 0, 1, True)]


def test_narrow_elements_share_a_line():
    half = [Room(256, 16, True)] * 2
    assert plan([Walk(0, 0, 2, False)], half, [512]) == [Ahead(1, 0, 2, 512, 1, False)]


@pytest.mark.parametrize("move", [None, 0, -ROW, 64, 2 * ROW])
def test_pointers_that_do_not_move_by_a_row(move: int | None):
    """P1 and P2: an operand of all rows, a walk backwards, columns, every other row."""
    assert plan([READ, WRITTEN], LOOPS, [move, move]) == []


def test_rows_with_a_rest_are_rows():
    """P2: the parts of a loop cover more than half of the row."""
    assert [a.place for a in plan([READ], LOOPS, [ROW + 60])] == [2]


def test_loops_that_come_too_late_or_too_early():
    """P3: the first loop writes, the last one reads first."""
    early, late = Walk(0, 0, 4, True), Walk(2, 1, 4, False)
    assert plan([early, late], LOOPS, [ROW, ROW]) == []


@pytest.mark.parametrize(
    "host", [Room(256, 64, False), Room(96, 16, True), Room(256, 16 * (MOST_LINES + 1), True)]
)
def test_loops_that_may_not_ask(host: Room):
    """P3: loops that hold others, run less far, or would ask for too much at a time."""
    assert plan([READ], [*LOOPS[:2], host], [ROW]) == []


def test_units_without_an_address():
    assert plan([Walk(0, 0, 12, False)], LOOPS, [3 * ROW]) == []
