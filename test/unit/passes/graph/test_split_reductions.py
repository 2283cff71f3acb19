"""Reductions in two steps: which blocks are made, and that the values are those of one step."""

from __future__ import annotations

import random
from math import prod

import numpy as np
import pytest
from dataflow_runs import Array, after, interpreted, same_bits

from snippets_mlir.dialects.builtin.dims import symbol
from snippets_mlir.passes.graph.decompose.sharing import aligned_block, divisors
from snippets_mlir.passes.graph.decompose.snippets_split_reductions import Demand, Split, plan_split

FOUR = Demand(16, 8)


def test_divisors() -> None:
    for number in (1, 2, 7, 12, 36, 97):
        for most in (0, 1, 3, 5, 6, 11, 12, 100):
            known = [d for d in range(1, most + 1) if number % d == 0]
            assert list(divisors(number, most)) == known
    assert list(divisors((1 << 61) - 1, 100)) == [1]


@pytest.mark.parametrize(
    ("sizes", "target", "limit", "block"),
    [
        ((64, 4096), 16, 256, 16),
        ((5, 1000), 16, 256, 20),
        ((5, 7, 11), 16, 256, 35),
        ((17,), 16, 256, 17),
        ((17,), 16, 16, 1),
        ((65537,), 16, 256, 1),
        ((3, 5), 16, 256, 15),
        ((34,), 16, 16, 2),
        ((6, 65537), 16, 256, 6),
        ((6, 65537), 16, 4, 3),
        ((), 16, 256, 1),
        (((1 << 61) - 1,), 16, 256, 1),
        (((1 << 60) + 1,), 16, 256, 17),
    ],
)
def test_blocks_are_products_of_whole_sizes(
    sizes: tuple[int, ...], target: int, limit: int, block: int
) -> None:
    assert aligned_block(sizes, target, limit) == block


@pytest.mark.parametrize(
    ("shape", "axes", "plan"),
    [
        # Trying all divisors of such sizes takes minutes.
        ((1 << 60,), (0,), Split((16, 1 << 56), (1,), (0,))),
        (((1 << 61) - 1,), (0,), None),
        ((1 << 20,), (0,), Split((16, 65536), (1,), (0,))),
        # 2 rows of the first dim are kept: 8 blocks each.
        ((2, 1 << 20), (1,), Split((2, 8, 131072), (2,), (1,))),
        # Vectors run along the kept dim, so that the threads have 4096 / 8 pieces of it already.
        ((1024, 4096), (0,), None),
        # One row of 32: 4 pieces for 16 units, so 16 blocks.
        ((65536, 32), (0,), Split((16, 4096, 32), (1,), (0,))),
        ((65536, 1), (0,), Split((16, 4096, 1), (1,), (0,))),
        # Enough units, and rows of two vectors.
        ((16, 512, 16), (1,), None),
        # Blocks of fewer than 64 elements are not worth it.
        ((40, 25, 3), (1,), None),
        ((0, 70000), (1,), None),
        ((70000, 70000), (), None),
        # A dynamic size, and a product of two.
        ((symbol(0), 70000), (1,), None),
        ((symbol(0) * symbol(1), 8), (0,), None),
        ((2, 2, 2, 2, 2, 2, 2, 3 << 12, 3), (0, 1, 7), None),
    ],
)
def test_plans(shape: tuple[int, ...], axes: tuple[int, ...], plan: Split | None) -> None:
    assert plan_split(shape, axes, FOUR, 1) == plan


def test_small_work_stays() -> None:
    assert plan_split((1000,), (0,), FOUR, 1001) is None
    assert plan_split((1024,), (0,), FOUR, 1024) is not None


def test_every_plan_reduces_the_same_elements() -> None:
    rng = random.Random(4)
    found = 0
    for _ in range(2000):
        rank = rng.randint(1, 5)
        shape = tuple(rng.choice((1, 2, 3, 8, 12, 30, 64)) for _ in range(rank))
        axes = tuple(d for d in range(rank) if rng.random() < 0.6)
        plan = plan_split(shape, axes, Demand(rng.choice((1, 8, 64)), rng.choice((4, 16))), 1)
        if plan is None:
            continue
        found += 1
        assert prod(plan.shape) == prod(shape)
        kept = [s for d, s in enumerate(plan.shape) if d not in (*plan.axes, *plan.blocks)]
        assert kept == [s for d, s in enumerate(shape) if d not in axes]
        assert not set(plan.axes) & set(plan.blocks)
        assert plan.blocks
    assert found > 100


def text_of(kind: str, shape: tuple[int, ...], axes: tuple[int, ...], element: str) -> str:
    x = f"tensor<{''.join(f'{s}x' for s in shape)}{element}>"
    kept = [s for d, s in enumerate(shape) if d not in axes]
    r = f"tensor<{''.join(f'{s}x' for s in kept)}{element}>"
    return (
        f"func.func @main(%x: {x}) -> {r} {{\n  %0 = snippets.reduce_{kind} %x "
        f"{{axes = array<i64: {', '.join(map(str, axes))}>}} : ({x}) -> {r}\n"
        f"  func.return %0 : {r}\n}}"
    )


def runs(kind: str, x: Array, axes: tuple[int, ...], element: str) -> tuple[Array, Array]:
    """The results in one step and in two."""
    text = text_of(kind, x.shape, axes, element)
    module = after(text, "snippets-split-reductions{threads=4 min-work=64}")
    assert sum(op.name.startswith("snippets.reduce_") for op in module.walk()) == 2
    return interpreted(text, [x])[0], interpreted(module, [x])[0]


@pytest.mark.parametrize("kind", ["sum", "max", "min", "prod", "mean"])
@pytest.mark.parametrize(("shape", "axes"), [((3000,), (0,)), ((6, 300, 3), (0, 1))])
def test_integers_and_extremes_are_exact(
    kind: str, shape: tuple[int, ...], axes: tuple[int, ...]
) -> None:
    rng = np.random.default_rng(2)
    x = rng.integers(-(2**31), 2**31, shape).astype(np.int32)
    one, two = runs(kind, x, axes, "i32")
    assert same_bits(two, one)
    if kind in ("max", "min"):
        for special in ([0.0, -0.0], [-0.0], [-np.inf], [np.inf, 1.0], [1.0, 2.0, np.nan]):
            y = rng.choice(np.array(special), shape).astype(np.float32)
            one, two = runs(kind, y, axes, "f32")
            assert same_bits(two, one)


@pytest.mark.parametrize("kind", ["sum", "mean"])
def test_sums_are_accurate(kind: str) -> None:
    rng = np.random.default_rng(3)
    x = (rng.standard_normal(1 << 16) * 10.0 ** rng.integers(-6, 6, 1 << 16)).astype(np.float32)
    _, two = runs(kind, x, (0,), "f32")
    wide = x.astype(np.float64)
    scale = x.size if kind == "mean" else 1
    assert abs(float(two) - wide.sum() / scale) <= 4 * 2.0**-24 * np.abs(wide).sum() / scale


def test_special_sums() -> None:
    for special in ([-0.0], [np.inf, -np.inf], [1.0, np.nan], [np.inf, 1.0]):
        y = np.resize(np.array(special), 2048).astype(np.float32)
        one, two = runs("sum", y, (0,), "f32")
        assert same_bits(two, one)
