"""Random graphs of whole numbers, every element NumPy's; `make fuzz SEED=n` runs them longer."""

from __future__ import annotations

import os
import time

import numpy as np
import pytest
from exact_ops import generate
from exact_values import DTYPES, differences
from random_exact import WAYS, compiled_faults, faults
from sampled import sampled

SECONDS = float(os.environ.get("SNIPPETS_FUZZ_SECONDS", "0"))
SEED = int(os.environ.get("SNIPPETS_FUZZ_SEED", "0"))


@pytest.mark.parametrize("seed", sampled(range(48), 16))
def test_every_element_is_numpys(seed: int) -> None:
    assert not faults(seed, levels=seed % 3 == 0), generate(seed).text


def test_a_stack_whose_parts_are_computed_in_one_kernel() -> None:
    """Seed 30078 reads a concat of unsqueezed values transposed: parts had no places of theirs."""
    assert not list(compiled_faults(generate(30078), {"partitioner": "fuse-ops"}))


def test_graphs_are_what_they_should_be() -> None:
    """Every kind of op, type and way; dynamic dims, special numbers; one graph a seed."""
    graphs = [generate(seed) for seed in range(200)]
    ops = {op for g in graphs for op in g.ops}
    assert {"gather", "dynamic_slice", "slice", "concat", "pad", "iota", "matmul", "select"} <= ops
    assert {"arg_max", "arg_min", "cum_sum", "cum_max", "reduce_prod", "reduce_sum"} <= ops
    assert {"convert_truncation", "convert_saturation", "bitwise_and", "floor_mod"} <= ops
    assert {v.element for g in graphs for v in g.values} == set(DTYPES)
    assert {way.get("partitioner") for way in WAYS} == {None, "fuse-ops"}
    dynamic = [g for g in graphs if any(isinstance(d, str) for v in g.outputs for d in v.dims)]
    assert len(dynamic) > 60
    sizes = {size for g in dynamic if g.call(1) for size in g.sizes.values()}
    assert {0, 1, 15, 16, 17} <= sizes
    special = [array for g in graphs if g.special and (made := g.call(0)) for array in made[0]]
    assert any(np.isnan(a).any() for a in special if a.dtype == np.float32)
    assert generate(7).text == generate(7).text


def test_a_wrong_element_is_noticed() -> None:
    made = generate(2).call(0)
    assert made is not None
    _, expected = made
    assert not differences(expected, expected)
    moved = [a.copy() for a in expected]
    index = next(i for i, a in enumerate(moved) if a.size and a.dtype.kind in "fi")
    moved[index].flat[-1] += 1
    if (moved[index] != expected[index]).any():
        assert f"output {index}" in differences(moved, expected)
    assert "output 0 is" in differences([a[None] for a in expected], expected)


def test_more_graphs_for_as_long_as_asked() -> None:
    """One graph at least; with `SNIPPETS_FUZZ_SECONDS` set, as many as fit."""
    seed, end = 1_000_000 * (SEED + 1), time.monotonic() + SECONDS
    assert not faults(seed), generate(seed).text
    while time.monotonic() < end:
        seed += 1
        assert not faults(seed), generate(seed).text
