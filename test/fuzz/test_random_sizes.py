"""Random graphs called with many shapes; `make fuzz SEED=n` runs them for a minute."""

from __future__ import annotations

import os
import time

import pytest
from random_sizes import MOST, calls_of, check, most_elements
from sampled import sampled
from sized_ops import generate

SECONDS = float(os.environ.get("SNIPPETS_FUZZ_SECONDS", "0"))
SEED = int(os.environ.get("SNIPPETS_FUZZ_SEED", "0"))


# Outputs without elements written past (24, 293, 322, 377), neutral values not written (129),
# symbols taken for sizes (16, 17, 54, 93), counts that wrap (106, 156).
@pytest.mark.parametrize("seed", sampled([16, 17, 24, 54, 93, 106, 129, 156, 293, 322, 377], 3))
def test_every_call_gives_what_integers_and_float64_give(seed: int) -> None:
    assert not check(seed, calls=3), generate(seed).text


def test_graphs_are_what_they_should_be() -> None:
    """Dims of 0 and counts beyond `i8`, values read twice, several results; one graph a seed."""
    graphs = [generate(seed) for seed in range(400)]
    drawn = {size for g in graphs for size in g.draw(g.names).values()}
    assert {0, 1, 200, 256, 16400} <= drawn
    assert {g.element for g in graphs} >= {"i8", "ui8", "i16", "i32", "i64", "f16", "bf16", "f32"}
    assert {bool(g.fixed) for g in graphs} == {True, False}
    assert {len(g.outputs) for g in graphs} == set(range(1, 9))
    pairs = [pair for g in graphs for pair in zip(g.lines, g.values[len(g.inputs) :], strict=True)]
    ops = [(line.split()[2], v.operands) for line, v in pairs]
    assert any(op == "snippets.subtract" and a[0] is a[1] for op, a in ops)
    assert len({op for op, _ in ops}) > 40
    assert generate(7).text == generate(7).text


@pytest.mark.parametrize("seed", [40798, 40823])
def test_outer_products_of_long_dims_are_not_drawn(seed: int) -> None:
    """A dim of 16,400 beside itself was drawn here: 268 million of Python's integers."""
    graph = generate(seed)
    assert most_elements(graph, dict.fromkeys(graph.names, 16400)) > MOST
    sizes = [drawn for drawn, _ in calls_of(graph, 20)]
    assert len(sizes) == 20
    assert all(most_elements(graph, drawn) <= MOST for drawn in sizes)


def test_more_graphs_for_as_long_as_asked() -> None:
    """One graph at least; with `SNIPPETS_FUZZ_SECONDS` set, as many as fit."""
    seed, end = 1_000_000 * (SEED + 1), time.monotonic() + SECONDS
    assert not check(seed, calls=6), generate(seed).text
    while time.monotonic() < end:
        seed += 1
        assert not check(seed, calls=6), generate(seed).text
    print(f"last seed: {seed}")
