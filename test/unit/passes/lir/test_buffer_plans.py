"""The deciding halves of the passes on buffers, which touch no IR."""

from __future__ import annotations

import random
from itertools import product

import pytest

from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.dialects.lir.ports import PortDescriptor
from snippets_mlir.passes.lir.in_place import Walk, proven
from snippets_mlir.passes.lir.lir_insert_buffers import held, order_in_memory
from snippets_mlir.passes.lir.lir_propagate_layout import padded, transposed
from snippets_mlir.passes.lir.lir_set_buffer_reg_group import Motions, colour, conflict
from snippets_mlir.passes.lir.readers import shared_loops


@pytest.mark.parametrize(
    ("value", "readers", "expected"),
    [
        ((0, 1), [(0, 2)], (0,)),
        ((0, 1), [(2, 3)], ()),
        ((0, 1), [(0, 2), (3,)], ()),
        ((0, 1, 2), [(0, 1, 3), (0, 1, 4)], (0, 1)),
        ((0,), [(0, 1)], (0,)),
        ((), [(0,)], ()),
    ],
)
def test_loops_that_a_buffer_lives_in(
    value: tuple[int, ...], readers: list[tuple[int, ...]], expected: tuple[int, ...]
) -> None:
    assert shared_loops(value, readers) == expected


ROWS = LoopInfo(0, 4, 1, 1)
VECTORS = LoopInfo(1, 21, 8, 0)
BLOCKS = LoopInfo(2, 5000, 4096, 0)


@pytest.mark.parametrize(
    ("shape", "loops", "expected"),
    [
        ((4, 21), [], (4, 21)),
        ((4, 21), [ROWS], (1, 21)),
        ((4, 21), [VECTORS], (4, 8)),
        ((4, 5), [VECTORS], (4, 5)),
        ((4, 1), [ROWS, VECTORS], (1, 1)),
        ((5000,), [BLOCKS], (4096,)),
        ((5000,), [BLOCKS, LoopInfo(3, 4096, 16, 0, inner_of=2)], (16,)),
    ],
)
def test_what_a_buffer_holds(
    shape: tuple[int, ...], loops: list[LoopInfo], expected: tuple[int, ...]
) -> None:
    assert held(PortDescriptor(shape), loops).shape == expected


def test_order_in_memory_of_a_transposed_row_is_that_of_the_row() -> None:
    planar = PortDescriptor((1, 4, 21))
    assert order_in_memory(planar) == [4, 21]
    assert order_in_memory(PortDescriptor((4, 1, 21), (1, 0, 2))) == [4, 21]
    assert order_in_memory(PortDescriptor((1, 21, 4), (0, 2, 1))) == [4, 21]
    assert order_in_memory(PortDescriptor((1, 21, 4))) == [21, 4]


def overwrites(walks: list[Walk], width: int, last_width: int) -> bool:
    """Whether some iteration writes bytes that a later one reads, by going through them.

    Reads are as wide as the distance to the next read in the innermost loop.
    """
    iterations = list(product(*(range(walk.trips) for walk in walks)))
    read_width = max(1, walks[-1].read) if walks else 1
    for place, here in enumerate(iterations):
        start = sum(i * walk.write for i, walk in zip(here, walks, strict=True))
        last = bool(walks) and here[-1] == walks[-1].trips - 1
        written = range(start, start + (last_width if last else width))
        for later in iterations[place + 1 :]:
            read = sum(i * walk.read for i, walk in zip(later, walks, strict=True))
            if written.start < read + read_width and read < written.stop:
                return True
    return False


def test_in_place_is_never_proven_wrongly() -> None:
    """The proof against the iterations themselves, on random nests."""
    rng = random.Random(2)
    proofs = 0
    for _ in range(3000):
        walks = [
            Walk(rng.randint(1, 4), rng.choice([0, 1, 4, 8, 12, 32]), rng.choice([0, 1, 4, 8, 32]))
            for _ in range(rng.randint(0, 3))
        ]
        width = rng.choice([1, 4, 8])
        last_width = rng.randint(1, width)
        if proven(walks, width, last_width):
            proofs += 1
            assert not overwrites(walks, width, last_width), (walks, width, last_width)
    assert proofs > 200


@pytest.mark.parametrize(
    ("walks", "width", "last_width", "expected"),
    [
        ([Walk(3, 32, 32)], 32, 20, True),  # equal steps
        ([Walk(4, 84, 84), Walk(3, 32, 32)], 32, 20, True),  # rows whose last vector is a tail
        ([Walk(4, 84, 84), Walk(3, 32, 32)], 32, 32, False),  # the same without masks
        ([Walk(3, 32, 8)], 8, 8, True),  # f32 into i8: the writer lags
        ([Walk(3, 8, 32)], 32, 32, False),  # i8 into f32: the writer runs ahead
        ([Walk(3, 0, 0)], 4, 4, False),  # one element read in each iteration
        ([Walk(4, 0, 84), Walk(3, 32, 32)], 32, 20, False),  # one row read for all rows
        ([Walk(1, 0, 0)], 4, 4, True),
        ([], 4, 4, True),
    ],
)
def test_in_place(walks: list[Walk], width: int, last_width: int, expected: bool) -> None:
    assert proven(walks, width, last_width) == expected


def test_colours_are_sound_and_first_fit() -> None:
    rng = random.Random(4)
    for _ in range(200):
        motions: list[Motions] = [
            {loop: rng.choice([(0, 0), (4, -84), (8, -168)]) for loop in rng.sample(range(4), 2)}
            for _ in range(rng.randint(0, 8))
        ]
        colours = colour(motions)
        assert sorted(set(colours)) == list(range(len(set(colours))))
        for i, a in enumerate(colours):
            for j in range(i):
                if colours[j] == a:
                    assert not conflict(motions[i], motions[j])
            for lower in range(a):
                members = [motions[j] for j in range(i) if colours[j] == lower]
                assert any(conflict(motions[i], other) for other in members)


def test_buffers_that_meet_in_no_loop_share_a_pointer() -> None:
    assert colour([{0: (4, -84)}, {1: (8, -168)}, {0: (8, -168)}]) == [0, 0, 1]


@pytest.mark.parametrize(
    ("layout", "permutation", "expected"),
    [
        ((0, 1), (1, 0), (1, 0)),
        ((1, 0), (1, 0), (0, 1)),
        ((0, 1, 2), (2, 0, 1), (1, 2, 0)),
        ((1, 2, 0), (2, 0, 1), (2, 0, 1)),
    ],
)
def test_layout_of_a_transpose(
    layout: tuple[int, ...], permutation: tuple[int, ...], expected: tuple[int, ...]
) -> None:
    assert transposed(layout, permutation) == expected


def test_layouts_are_padded_in_front() -> None:
    assert padded((1, 0), 3) == (0, 2, 1)
    assert padded((0, 1), 3) == ()
