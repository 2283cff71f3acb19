"""Attentions in text with one row for each of several heads that share keys by broadcasting."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from attentions import attention, check_number_of_threads, expected, numbers
from sampled import sampled

import snippets_mlir

KEYS = (2, 7, 8, 9, 15, 16, 17, 33, 300)
SHAPES = list(product(KEYS, (3, 4, 7, 9), (1, 2, 5), (True, False), ("x86-64-avx2", "generic")))
"""Keys, heads of a group, groups, whether the heads are the first dim, and the target."""


@pytest.mark.parametrize(("keys", "heads", "groups", "first", "target"), sampled(SHAPES, 8))
def test_static(keys: int, heads: int, groups: int, first: bool, target: str):
    """A mask hides some keys, and all of a group; another group has a NaN and infinities."""
    own, shared = ((heads, groups), (1, groups)) if first else ((groups, heads), (groups, 1))
    shapes = (*own, 1, 8), (*shared, keys, 8), (*shared, keys, 5), (*shared, 1, keys)
    arguments = numbers(keys, *shapes)
    last = (0, -1) if first else (-1, 0)
    arguments[3][..., 1::3] = -np.inf
    arguments[3][last] = -np.inf
    arguments[1][0, 0, 0, 2] = np.nan
    arguments[2][0, 0, 0, 1] = np.inf
    with np.errstate(invalid="ignore"):
        wanted = expected(*arguments)
    program = snippets_mlir.compile(attention(*shapes), num_threads=2, target=target)
    np.testing.assert_allclose(program(*arguments), wanted, 2e-5, 1e-5)
    (kernel,) = program.kernels
    rows = (1, groups, heads) if first else (groups, 1, heads)
    assert f"tensor<{'x'.join(map(str, rows))}x{keys}xf32>" in kernel.ir("subgraph")


def test_one_key_and_none():
    for keys in (0, 1):
        shapes = (4, 2, 1, 8), (1, 2, keys, 8), (1, 2, keys, 5), (keys,)
        arguments = numbers(keys, *shapes)
        program = snippets_mlir.compile(attention(*shapes), num_threads=2)
        wanted = np.broadcast_to(arguments[2], (4, 2, 1, 5)) if keys else np.zeros((4, 2, 1, 5))
        np.testing.assert_allclose(program(*arguments), wanted, 2e-5, 1e-5)


def test_f64():
    shapes = (3, 2, 1, 64), (1, 2, 900, 64), (1, 2, 900, 64), (900,)
    arguments = numbers(2, *shapes, dtype=np.float64)
    found = snippets_mlir.compile(attention(*shapes, element="f64"), num_threads=2)(*arguments)
    np.testing.assert_allclose(found, expected(*arguments), 1e-12, 1e-13)


@pytest.mark.parametrize(("groups", "heads"), [(1, 8), (3, 4)])
def test_results_do_not_depend_on_the_number_of_threads(groups: int, heads: int):
    shapes = (heads, groups, 1, 64), (1, groups, 333, 64), (1, groups, 333, 64), (333,)
    arguments = numbers(heads, *shapes)
    check_number_of_threads(attention(*shapes), arguments)
