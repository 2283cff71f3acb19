"""Random loop nests: where pointers stand, by formulas and by going through the iterations."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import product

from xdsl.dialects.builtin import ModuleOp

from snippets_mlir.checkers.linear_footprints import Reach, Step
from snippets_mlir.dialects.builtin.dims import static_size
from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.dialects.lir.ports import LoopPort, PortDescriptor
from snippets_mlir.passes.lir.lir_init_loops import loop_port
from snippets_mlir.passes.lir.lir_insert_specific_iterations import plan_parts


def random_nest(rng: random.Random) -> tuple[PortDescriptor, list[LoopInfo]]:
    """A port of random shape and layout, and a loop for each of its dims, in any order."""
    rank = rng.randint(1, 4)
    walked = [rng.choice([1, 2, 3, 5, 7, 8, 9]) for _ in range(rank)]
    shape = tuple(size if rng.random() < 0.8 else 1 for size in walked)
    layout = tuple(rng.sample(range(rank), rank)) if rng.random() < 0.5 else ()
    loops = [
        LoopInfo(i, walked[rank - 1 - dim], rng.choice([1, 2, 4, 8]) if dim == 0 else 1, dim)
        for i, dim in enumerate(rng.sample(range(rank), rank))
    ]
    return PortDescriptor(shape, layout), loops


def touched(port: PortDescriptor, loops: list[LoopInfo]) -> set[int]:
    """The elements at the logical indices that the loops walk."""
    rank = len(port.shape)
    walked = {rank - 1 - loop.dim: static_size(loop.work_amount) for loop in loops}
    ranges = [range(walked[d] if port.shape[d] != 1 else 1) for d in range(rank)]
    return {
        sum(i * static_size(port.stride(d)) for d, i in enumerate(index))
        for index in product(*ranges)
    }


def test_unified_loops_touch_every_element_and_come_back() -> None:
    rng = random.Random(11)
    for _ in range(400):
        port, loops = random_nest(rng)
        ports = [loop_port(port, loop) for loop in loops]
        for loop, motion in zip(loops, ports, strict=True):
            net = motion.pointer_increment * loop.work_amount + motion.finalization_offset
            assert net == 0
        (vector,) = [loop for loop in loops if loop.dim == 0]
        lanes = vector.increment if port.shape[-1] != 1 else 1
        steps = tuple(
            Step(loop, static_size(motion.pointer_increment), 0)
            for loop, motion in zip(loops, ports, strict=True)
        )
        reach = Reach(ModuleOp([]), steps, lanes, 1, static_size(port.stride(len(port.shape) - 1)))
        found = {i for low, high in reach.bytes() for i in range(low, high)}
        assert found == touched(port, loops), (port, loops)
        assert reach.hull() == ((min(found), max(found) + 1),)


def test_parts_of_a_loop_move_like_the_loop() -> None:
    """Work amounts, finalization offsets and the ways of the parts add up to the loop's."""
    rng = random.Random(12)
    for _ in range(500):
        work, step, stride = rng.randint(1, 60), rng.randint(1, 16), rng.randint(0, 9)
        loop = LoopInfo(0, work, step, 0)
        motion = LoopPort(0, 0, stride, -stride * work)
        parts = plan_parts(loop, 1)
        if not parts:
            assert work % step == 0
            continue
        assert sum(part.loop.work_amount for part in parts) == work
        assert [part.final for part in parts] == [False] * (len(parts) - 1) + [True]
        places: list[int] = []
        pointer = 0
        for part in parts:
            assert not part.loop.tail
            for _ in range(0, static_size(part.loop.work_amount), part.loop.increment):
                places.append(pointer)
                pointer += static_size(motion.pointer_increment) * part.loop.increment
            pointer += static_size(motion.finalization_offset) if part.final else 0
        assert pointer == 0
        assert places == [stride * counter for counter in range(0, work, step)]


def test_blocks_touch_what_the_whole_loop_touches() -> None:
    """A loop over blocks with an inner one over each; the last block is shorter."""
    rng = random.Random(13)
    for _ in range(300):
        work, inner, times = rng.randint(1, 90), rng.choice([1, 4, 8]), rng.randint(1, 5)
        whole = LoopInfo(0, work, inner * times, 0)
        block = LoopInfo(1, inner * times, inner, 0, inner_of=0)
        steps = (Step(whole, 1, 0), Step(block, 1, 0))
        blocked = Reach(ModuleOp([]), steps, inner, 1, 1)
        flat = Reach(ModuleOp([]), (Step(replace(whole, increment=inner), 1, 0),), inner, 1, 1)
        assert blocked.bytes() == flat.bytes() == ((0, work),)
