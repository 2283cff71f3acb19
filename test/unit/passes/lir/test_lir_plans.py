"""The deciding halves of the linear IR's passes, which touch no IR."""

from __future__ import annotations

import random
from itertools import permutations
from math import prod

import numpy as np
import pytest

from snippets_mlir.dialects.builtin.dims import Dim, static_shape, symbol
from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.dialects.lir.ports import PortDescriptor
from snippets_mlir.passes.lir.domain_groups import collapse, collapse_layout, plan_groups
from snippets_mlir.passes.lir.lir_fuse_loops import merged
from snippets_mlir.passes.lir.lir_init_loops import loop_port
from snippets_mlir.passes.lir.lir_insert_specific_iterations import plan_parts
from snippets_mlir.passes.lir.lir_mark_loops import loop_order, plan_loops
from snippets_mlir.passes.lir.lir_split_loops import plan_split, product_block
from snippets_mlir.passes.program.kernel_ports import transposed_layout
from snippets_mlir.support.errors import CompileError


def test_collapsing_keeps_the_element_order() -> None:
    """Walking the collapsed shapes reads the same elements as walking the original ones."""
    rng = random.Random(7)
    for _ in range(300):
        rank = rng.randint(1, 6)
        master = tuple(rng.choice([1, 2, 3, 5]) for _ in range(rank))
        shapes = [master]
        for _ in range(rng.randint(0, 3)):
            shapes.append(tuple(rng.choice([1, size]) for size in master))
        groups = plan_groups(shapes, rng.choice([0, 4, 256]))
        large = collapse(master, groups)
        assert prod(large) == prod(master)
        for shape in shapes:
            small = collapse(shape, groups)
            assert _offsets(shape, master) == _offsets(static_shape(small), static_shape(large))


def _offsets(shape: tuple[int, ...], master: tuple[int, ...]) -> list[int]:
    """Offset in `shape` of each element of `master`, in row-major order."""
    offsets = [0]
    for axis, size in enumerate(master):
        stride = 0 if shape[axis] == 1 else prod(shape[axis + 1 :])
        offsets = [o + i * stride for o in offsets for i in range(size)]
    return offsets


def test_shapes_that_do_not_broadcast_are_not_collapsed() -> None:
    """Two independent parts of a kernel keep their dims."""
    assert plan_groups([(2, 3), (2, 5)], 256) == [[0], [1]]


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        ((4, 300), [(4, 1, 1, True), (300, 8, 0, False)]),
        ((300,), [(300, 8, 0, True)]),
        ((4, 1), [(4, 1, 1, True), (1, 1, 0, False)]),
        ((1,), [(1, 1, 0, True)]),
        ((0, 5), [(0, 1, 1, False), (5, 8, 0, False)]),
    ],
)
def test_loops_of_a_shape(
    shape: tuple[int, ...], expected: list[tuple[int, int, int, bool]]
) -> None:
    """Work amount, increment, dim and parallel of each loop, outermost first."""
    loops = plan_loops(shape, 3, 8, 0)
    assert [loop.id for loop in loops] == list(range(3, 3 + len(shape)))
    assert [(x.work_amount, x.increment, x.dim, x.parallel) for x in loops] == expected


def test_a_dim_without_a_loop_is_refused() -> None:
    """Nothing would walk the outer dim."""
    with pytest.raises(CompileError, match="leaves dims of"):
        plan_loops((4, 300), 0, 8, 1)
    assert len(plan_loops((1, 300), 0, 8, 1)) == 1


def test_loops_fuse_when_equal_or_single() -> None:
    """F1 and F2 of lir-fuse-loops."""
    large = LoopInfo(0, 16, 8, 0)
    assert merged(large, LoopInfo(1, 16, 8, 0)) == LoopInfo(1, 16, 8, 0)
    assert merged(LoopInfo(2, 1, 1, 0), large) == large
    assert merged(large, LoopInfo(1, 24, 8, 0)) is None
    assert merged(large, LoopInfo(1, 16, 4, 0)) is None
    assert merged(large, LoopInfo(1, 16, 8, 1)) is None


def test_parts_cover_the_loop_and_motion_is_balanced() -> None:
    """The work amounts of the parts add up, and the pointer comes back to its start."""
    for work in range(60):
        for increment in (1, 3, 8, 16):
            loop = LoopInfo(0, work, increment, 0)
            parts = plan_parts(loop, 1)
            if work % increment == 0:
                assert parts == []
                continue
            assert sum(part.loop.work_amount for part in parts) == work
            assert [part.final for part in parts] == [False] * (len(parts) - 1) + [True]
            motion = loop_port(PortDescriptor((work,)), loop)
            moved = 0
            for part in parts:
                assert part.loop.tail == 0
                steps = part.loop.work_amount // part.loop.increment
                moved += steps * part.loop.increment * motion.pointer_increment
                moved += motion.finalization_offset if part.final else 0
            assert moved == 0


def test_strides() -> None:
    """A broadcast dim does not move; a dim of size 1 under a loop of work 1 does no harm."""
    inner, outer = LoopInfo(1, 5, 1, 0), LoopInfo(0, 4, 1, 1)
    assert loop_port(PortDescriptor((4, 5)), outer).pointer_increment == 5
    assert loop_port(PortDescriptor((4, 5)), inner).pointer_increment == 1
    assert loop_port(PortDescriptor((4, 1)), inner).pointer_increment == 0
    assert loop_port(PortDescriptor((1, 5)), outer).pointer_increment == 0


def test_strides_of_a_transposed_port() -> None:
    """The dims in memory are in the order of the layout."""
    port = PortDescriptor((3, 4, 5), layout=(2, 0, 1))
    assert [port.stride(dim) for dim in range(3)] == [4, 1, 12]
    assert loop_port(port, LoopInfo(0, 5, 1, 0)).pointer_increment == 12


def test_the_layout_of_a_transpose() -> None:
    """Walking a transposed array through the layout's strides reads NumPy's transpose."""
    for permutation in permutations(range(4)):
        array = np.arange(2 * 3 * 4 * 5).reshape(2, 3, 4, 5)
        expected = array.transpose(permutation)
        port = PortDescriptor(expected.shape, layout=transposed_layout(permutation, 4))
        strides = [port.stride(dim) for dim in range(4)]
        for index in np.ndindex(*expected.shape):
            place = sum(i * s for i, s in zip(index, strides, strict=True))
            assert array.ravel()[place] == expected[index]
    assert transposed_layout((1, 0), 4) == (0, 1, 3, 2)


def test_transposed_dims_collapse_when_they_are_neighbours_in_memory() -> None:
    """[a, b, c] in the order c, a, b: a and b are one dim; in the order b, a, c none are."""
    assert plan_groups([(3, 4, 5)], 0, [PortDescriptor((3, 4, 5), (2, 0, 1))]) == [[0, 1], [2]]
    assert plan_groups([(3, 4, 5)], 0, [PortDescriptor((3, 4, 5), (1, 0, 2))]) == [[0], [1], [2]]
    assert collapse_layout((2, 0, 1), [[0, 1], [2]]) == (1, 0)
    assert collapse_layout((0, 1, 2), [[0, 1], [2]]) == ()


def test_reduced_dims_do_not_collapse_with_kept_ones() -> None:
    """Nor is a reduced innermost dim cut in two."""
    shapes = [(2, 3, 4, 500), (2, 3, 1, 1)]
    reduced = frozenset({2, 3})
    assert plan_groups(shapes, 256, (), reduced) == [[0, 1], [2, 3]]
    assert plan_groups([(2, 3, 4, 500)], 256, (), reduced) == [[0, 1], [2, 3]]


@pytest.mark.parametrize(
    ("terms", "most", "block"),
    [
        (1000, 64, 50),
        (768, 64, 64),
        (96, 64, 48),
        (60, 64, 60),
        (333, 64, 64),
        (997, 64, 64),
        (0, 64, 64),
        (88, 0, 88),
        (89, 0, 84),
        (128, 0, 64),
        (1000, 0, 250),
        (symbol(0), 0, 64),
        (symbol(0), 32, 32),
    ],
)
def test_blocks_of_products_are_even_where_they_can_be(terms: Dim, most: int, block: int) -> None:
    assert product_block(LoopInfo(0, terms, 1, 1), most) == block


def test_a_split_loop_is_short_enough_and_covers_the_loop() -> None:
    """Outer iterations times the block cover the work; both loops have at most `max_terms`."""
    assert plan_split(LoopInfo(0, 4096, 16, 0), 1, 256) is None
    plan = plan_split(LoopInfo(0, 4097, 16, 0), 1, 256)
    assert plan is not None
    outer, inner = plan
    assert (outer.increment, inner.work_amount, inner.increment) == (4096, 4096, 16)
    assert inner.inner_of == outer.id


def test_reduced_loops_are_innermost() -> None:
    """Kept dims, then what others reduce, then what the group reduces."""
    assert loop_order(4, frozenset({1}), frozenset({1, 3})) == [0, 2, 3, 1]
    loops = plan_loops((2, 3, 16), 0, 8, 0, frozenset({1}), frozenset({1}))
    assert [(x.dim, x.work_amount, x.parallel) for x in loops] == [
        (2, 2, True),
        (0, 16, False),
        (1, 3, False),
    ]
    alone = plan_loops((3, 16), 0, 8, 0, frozenset({0}), frozenset({0}))
    assert [(x.dim, x.parallel) for x in alone] == [(0, True), (1, False)]
