"""Random linear layers for 1 to 16 threads against NumPy; `make fuzz SEED=n` runs more of them."""

from __future__ import annotations

import os
import time

import pytest
from random_layers import Layers, check
from sampled import ALL, sampled

SECONDS = float(os.environ.get("SNIPPETS_FUZZ_SECONDS", "0"))
SEED = int(os.environ.get("SNIPPETS_FUZZ_SEED", "0"))


@pytest.mark.parametrize("first", sampled(range(0, 16, 4), 4))
def test_layers_are_those_of_numpy_for_any_number_of_threads(first: int) -> None:
    for seed in range(first, first + (4 if ALL else 2)):
        check(seed)


def test_more_layers_for_as_long_as_asked() -> None:
    seed, end = 1_000_000 * (SEED + 1), time.monotonic() + SECONDS
    while time.monotonic() < end:
        check(seed)
        seed += 1
    print(f"last seed: {seed}")


def test_the_programs_have_every_kind_of_weights() -> None:
    layers = [Layers(seed) for seed in range(80)]
    products = [line for made in layers for line in made.lines if "snippets.matmul" in line]
    constants = {made: {x.split()[0] for x in made.lines if "constant" in x} for made in layers}
    transposed = [
        line.split()[4] in constants[made]
        for made in layers
        for line in made.lines
        if "snippets.matmul" in line and "transpose_b" in line
    ]
    assert {True, False} == set(transposed)
    assert any("transpose_a" in line for line in products)
    assert len(products) > len(layers)
    assert len(layers[0].text) == len(Layers(0).text)
    assert max(made.arrays[0].shape[-1] for made in layers) > 1000
