"""The plan of where each value of a program lives."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from storage_plans import plan_storage

from snippets_mlir.analysis import placement
from snippets_mlir.runtime.manifests.manifest import Argument, Manifest, Step, Value
from snippets_mlir.runtime.memory import storage
from snippets_mlir.runtime.memory.scratch import ALIGNMENT
from snippets_mlir.runtime.memory.storage import Memory, Storage


def value(size: int) -> Value:
    return {"shape": [size], "dtype": "float32"}


def kernel(inputs: list[int], outputs: list[int], scratch: int = 0) -> Step:
    return {
        "kind": "kernel",
        "symbol": "k",
        "inputs": inputs,
        "outputs": outputs,
        "domain": 4,
        "grain": 1,
        "scratch": scratch,
    }


def view(source: int, target: int) -> Step:
    return {"kind": "view", "inputs": [source], "outputs": [target]}


def argument(index: int) -> Argument:
    return {"name": f"v{index}", "value": index, "shape": [4], "dtype": "float32"}


def manifest(count: int, steps: list[Step], outputs: list[int], size: int = 4) -> Manifest:
    return {
        "version": 1,
        "entry": "main",
        "target": None,
        "threads": 1,
        "values": [value(size) for _ in range(count)],
        "inputs": [argument(0)],
        "outputs": [argument(i) for i in outputs],
        "constants": [],
        "steps": steps,
    }


def test_an_output_of_a_kernel_is_written_in_place():
    plan = plan_storage(manifest(2, [kernel([0], [1])], [1]), [1])
    assert plan.claims == {1: 0}
    assert not plan.slots
    assert plan.arena == 0


def test_only_the_first_of_two_equal_outputs_is_in_place():
    plan = plan_storage(manifest(3, [kernel([0], [1]), view(1, 2)], [2, 1]), [1, 1])
    assert plan.roots == (0, 1, 1)
    assert plan.claims == {1: 0}


def test_an_input_that_is_returned_is_not_written():
    assert plan_storage(manifest(1, [], [0]), []).claims == {}


def test_a_chain_takes_two_slots_in_turn():
    steps = [kernel([i], [i + 1]) for i in range(5)]
    plan = plan_storage(manifest(6, steps, [5]), [1] * 5)
    assert sorted({slot.offset for slot in plan.slots.values()}) == [0, ALIGNMENT]
    assert plan.arena == 2 * ALIGNMENT


def test_a_view_keeps_its_source_alive():
    steps = [kernel([0], [1]), view(1, 2), kernel([0], [3]), kernel([2, 3], [4])]
    plan = plan_storage(manifest(5, steps, [4]), [1] * 4)
    assert plan.slots[1].offset != plan.slots[3].offset
    assert {1, 2, 3} <= set(plan.dead[3])


def test_scratch_is_per_thread_and_in_front():
    steps = [kernel([0], [1], scratch=100), kernel([1], [2], scratch=40)]
    plan = plan_storage(manifest(3, steps, [2]), [3, 3])
    assert plan.scratch == 300
    assert plan.slots[1].offset == 320
    assert plan.arena == 384


def test_a_small_kernel_gets_scratch_for_its_own_team_alone():
    steps = [kernel([0], [1], scratch=128), kernel([1], [2], scratch=64)]
    assert plan_storage(manifest(3, steps, [2]), [1, 8]).scratch == 512
    assert plan_storage(manifest(3, steps, [2]), [8, 1]).scratch == 1024
    assert plan_storage(manifest(3, steps, [2]), [1, 1]).scratch == 128


def test_an_unread_result_lives_for_its_own_step():
    steps = [kernel([0], [1]), view(1, 2), kernel([0], [3]), kernel([3], [4])]
    plan = plan_storage(manifest(5, steps, [4]), [1] * 4)
    assert plan.slots[1].offset == plan.slots[3].offset


def test_plans_for_sizes_that_grow():
    """Few plans serve many calls; no slot is too small, and those live at once are apart."""
    sizes = [*range(250_000, 300_000, 250), 75_000, 300_000]
    assert 3 <= len(_plans_of_growing_sizes(sizes, 1.4)) <= 5


def test_plans_for_small_sizes_that_grow():
    """They serve all smaller sizes, and waste up to half of their memory."""
    assert len(_plans_of_growing_sizes([*range(1000, 3000, 10)], 1.6)) <= 4
    assert len(_plans_of_growing_sizes([1000, 300, 5, 999], 200.0)) == 1


def test_plans_are_kept_for_sizes_that_vary():
    assert len(_plans_of_growing_sizes([300_000, 100_000, 290_000, 90_000] * 5, 1.2)) == 2


def test_values_that_an_earlier_plan_has_room_for_grow_beside_the_others():
    """One grows by its square: each plan has room for more of both."""
    steps = [kernel([0], [1]), kernel([1], [2]), kernel([2], [3])]
    memory, plans = Memory(manifest(4, steps, [3]), False), list[object]()
    assert memory.slots == (1, 2)
    for rows in range(300, 400):
        places = memory.places(np.array([rows * 40_000, rows * rows * 400], np.int64), 0)
        assert places.plan is not None
        assert (places.plan.sizes >= places.sizes).all()
        if places.plan not in plans:
            plans.append(places.plan)
    assert len(plans) <= 7


def test_scratchpads_that_grow_get_more_room_than_a_call_needs():
    """A cache whose scores are in a scratchpad grows by a token in each call."""
    steps = [kernel([0], [1]), kernel([1], [2])]
    for row in (100, 10_000):
        memory, plans = Memory(manifest(3, steps, [2]), False), set[int]()
        for tokens in range(100, 164):
            places = memory.places(np.array([row * tokens], np.int64), row * tokens + 8)
            assert places.plan is not None
            assert places.offsets[0] >= places.plan.start >= places.scratch
            assert places.arena >= places.plan.start + row * tokens
            plans.add(id(places.plan))
        assert len(plans) <= 7


@pytest.mark.parametrize(("size", "searches"), [(1000, 0), (100_000, 1)])
def test_small_plans_are_not_searched_for(
    size: int, searches: int, monkeypatch: pytest.MonkeyPatch
):
    """The call that needs a plan waits for it."""
    asked: list[bool] = []

    def noted(*given: Any, search: bool, **more: Any) -> Any:
        asked.append(search)
        return placement.place(*given, search=search, **more)

    monkeypatch.setattr(storage, "place", noted)
    _plans_of_growing_sizes([size], 1.0)
    assert sum(asked) == searches
    assert asked


def _plans_of_growing_sizes(sizes: Sequence[int], waste: float) -> set[tuple[int, ...]]:
    """The offsets of the plans for values of so many elements, one call after the other."""
    steps = [kernel([0], [1]), kernel([1], [2]), kernel([1, 2], [3]), kernel([3], [4])]
    memory, seen = Memory(manifest(5, steps, [4]), False), set[tuple[int, ...]]()

    def planned(size: int) -> Storage:
        return plan_storage(manifest(5, steps, [4], size), [1] * 4, memory=memory)

    for size in sizes:
        plan = planned(size)
        slots = [plan.slots[value] for value in (1, 2, 3)]
        seen.add(tuple(slot.offset for slot in slots))
        for one in slots:
            assert one.size == 4 * size
            assert one.offset + one.size <= plan.arena
            for other in slots:
                ends = one.offset + one.size, other.offset + other.size
                assert one is other or ends[0] <= other.offset or ends[1] <= one.offset
        assert plan.arena <= waste * 3 * 4 * size + 3 * ALIGNMENT
    return seen
