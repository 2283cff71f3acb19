"""Sizes as numbers of formulas, and their values for a call."""

from __future__ import annotations

import random

import numpy as np
import pytest

from snippets_mlir.dialects.builtin.dims import Dim, symbol
from snippets_mlir.dialects.builtin.size_estimates import evaluate
from snippets_mlir.dialects.builtin.slots import FIRST_OFFSET
from snippets_mlir.runtime.manifests.formulas import LIMIT, Formulas

A, B = symbol(0), symbol(1)


def test_equal_sizes_have_one_number():
    formulas = Formulas()
    numbers = [formulas.number(size) for size in (4, A + 1, A * B * 4, 1 + A, 4, 0)]
    assert numbers == [0, 1, 2, 1, 0, 3]
    assert formulas.values([3, 5]).tolist() == [4, 4, 60, 0]
    assert formulas.values([1, 0]).tolist() == [4, 2, 0, 0]


def test_without_sizes_and_without_symbols():
    assert Formulas().values([]).tolist() == []
    formulas = Formulas()
    formulas.number(0)
    formulas.number(7)
    assert formulas.values([]).tolist() == [0, 7]


def test_known_sizes_are_those_beside_a_size_with_symbols():
    sizes = [0, 7, LIMIT - 1, LIMIT + 5, 1 << 70]
    known, mixed = Formulas(), Formulas()
    for size in sizes:
        known.number(size)
        mixed.number(size)
    mixed.number(A)
    for symbols in ([3], [9, 1]):
        values = known.values(symbols)
        assert values.dtype == np.int64
        assert values.tolist() == mixed.values(symbols).tolist()[:-1]


def test_values_are_those_of_each_formula():
    rng = random.Random(3)
    symbols = [symbol(i) for i in range(5)]
    sizes: list[Dim] = [0, 1, 12]
    for _ in range(300):
        a, b, c = rng.choice(sizes), rng.choice(sizes), rng.choice(symbols)
        made = rng.choice([a + b, a * c, c + rng.randint(0, 9), b * rng.randint(0, 3)])
        sizes.append(made if len(str(made)) < 60 else c)
    formulas = Formulas()
    numbers = [formulas.number(size) for size in sizes]
    for _ in range(20):
        values = [rng.randint(1, 6) for _ in symbols]
        found = formulas.values(values)
        assert [int(found[n]) for n in numbers] == [evaluate(size, values) for size in sizes]


def test_sizes_that_are_not_positive():
    formulas = Formulas()
    for size in (A + -3, 0, B):
        formulas.number(size)


@pytest.mark.parametrize("values", [[1 << 61, 2], [1 << 31, 1 << 31], [1, 1 << 62], [1 << 70, 1]])
def test_an_array_that_nothing_can_hold(values: list[int]):
    formulas = Formulas()
    for size in (A, A * B, B * (LIMIT // 2) + 1):
        formulas.number(size)
    with pytest.raises(ValueError, match=r"2\*\*62 bytes or more"):
        formulas.values(values)
    assert formulas.values([3, 1]).tolist() == [3, 3, LIMIT // 2 + 1]


def test_large_numbers_of_the_text_are_no_sizes_of_a_call():
    formulas = Formulas()
    formulas.number(1 << 100)
    formulas.number(A)
    assert formulas.values([5]).tolist() == [LIMIT, 5]
    assert formulas.values([5]).dtype == np.int64


def test_offsets_of_buffers_are_no_sizes():
    with pytest.raises(ValueError, match=rf"no size of a call: \?{FIRST_OFFSET}"):
        Formulas().number(symbol(FIRST_OFFSET))
