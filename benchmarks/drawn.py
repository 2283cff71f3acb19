"""Products and attentions with sizes from a seed: workloads that no rule was written for.

Sizes are drawn evenly on a logarithmic scale, and products with fewer than 2^20 or more than 2^31
multiplications are drawn again: a call takes from some 10 us to a tenth of a second.
"""

from __future__ import annotations

import math

import numpy as np
from layers import attention
from steps import Shape, Workload
from workloads import product

PRODUCTS, ATTENTIONS = 30, 10
NAMES = (
    *(f"drawn_product_{k}" for k in range(PRODUCTS)),
    *(f"drawn_attention_{k}" for k in range(ATTENTIONS)),
)
FEWEST, MOST = 1 << 20, 1 << 31


def _size(random: np.random.Generator, low: int, high: int) -> int:
    return round(math.exp(random.uniform(math.log(low), math.log(high))))


def _product(random: np.random.Generator, name: str) -> Workload:
    """A product, one in three of which is a batch, and half of the others with a constant."""
    while True:
        batch: Shape = (_size(random, 2, 64),) if random.integers(3) == 0 else ()
        rows, columns, terms = (_size(random, low, 4096) for low in (1, 8, 8))
        constants = ("w",) if not batch and random.integers(2) else ()
        if FEWEST <= math.prod(batch) * rows * columns * terms <= MOST:
            return product(name, (*batch, rows, columns), terms, constants=constants)


def _attention(random: np.random.Generator, name: str) -> Workload:
    """An attention with as many keys as queries, or with any number of keys."""
    while True:
        heads, queries = _size(random, 1, 32), _size(random, 1, 2048)
        keys = queries if random.integers(2) else _size(random, 16, 2048)
        columns = int(random.choice([32, 40, 48, 64, 80, 96, 128]))
        if FEWEST <= 2 * heads * queries * keys * columns <= MOST:
            return attention(heads, queries, keys, columns, name=name)


def drawn(seed: int) -> tuple[Workload, ...]:
    """The workloads `NAMES`, with the sizes that `seed` draws."""
    random = np.random.default_rng(seed)
    return (
        *(_product(random, name) for name in NAMES[:PRODUCTS]),
        *(_attention(random, name) for name in NAMES[PRODUCTS:]),
    )
