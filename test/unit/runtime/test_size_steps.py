"""Machine code writes the same words of a network as `Form.sizes` and `Network.fit`."""

from __future__ import annotations

import random
from itertools import product
from typing import Any

import numpy as np
import pytest
from sampled import sampled

import snippets_mlir
from snippets_mlir.codegen.stubs.interface import SIZE_LIMIT, SizeOp
from snippets_mlir.dialects.builtin.dims import Dim, symbol, terms_of
from snippets_mlir.dialects.builtin.size_estimates import evaluate
from snippets_mlir.runtime.arguments.arrays import address_of
from snippets_mlir.runtime.steps.fitting import run_steps
from snippets_mlir.runtime.steps.size_steps import Steps

SYMBOLS = 4


def _run(made: Steps, given: list[int]) -> np.ndarray[Any, Any] | None:
    """The words after the steps on these words; None: they ended early."""
    words = np.array([*given, *made.words], np.int64)
    steps = np.array(made.steps, np.int64)
    done = run_steps()(address_of(words), address_of(steps), len(steps))
    return words if done else None


def _one(op: SizeOp, a: int, b: int) -> int | None:
    made = Steps(2)
    result = made.do(op, 0, 1)
    words = _run(made, [a, b])
    return None if words is None else int(words[result])


@pytest.mark.parametrize(
    ("op", "a", "b", "result"),
    [
        (SizeOp.ADD, 3, -5, -2),
        (SizeOp.MULTIPLY, -3, 5, -15),
        (SizeOp.MULTIPLY, 0, SIZE_LIMIT, 0),
        (SizeOp.MULTIPLY, SIZE_LIMIT, 0, 0),
        (SizeOp.MULTIPLY, 1 << 40, 1 << 21, 1 << 61),
        (SizeOp.MULTIPLY, -(1 << 31), 1 << 30, -(1 << 61)),
        (SizeOp.CEILDIV, 0, 7, 0),
        (SizeOp.CEILDIV, 7, 7, 1),
        (SizeOp.CEILDIV, 8, 7, 2),
        (SizeOp.MIN, -1, 1, -1),
        (SizeOp.MAX, -1, 1, 1),
        (SizeOp.AT_LEAST, 4, 4, 1),
        (SizeOp.AT_LEAST, -4, 4, 0),
    ],
)
def test_results(op: SizeOp, a: int, b: int, result: int):
    assert _one(op, a, b) == result


@pytest.mark.parametrize(
    ("op", "a", "b"),
    [
        (SizeOp.ADD, SIZE_LIMIT, 1),
        (SizeOp.ADD, -SIZE_LIMIT, -1),
        (SizeOp.MULTIPLY, 1 << 31, 1 << 31),
        (SizeOp.MULTIPLY, -(1 << 61), 2),
        (SizeOp.MULTIPLY, SIZE_LIMIT, SIZE_LIMIT),
        (SizeOp.MULTIPLY, 3, 1 << 62),
    ],
)
def test_numbers_that_are_too_large(op: SizeOp, a: int, b: int):
    assert _one(op, a, b) is None


def test_what_is_needed():
    made = Steps(2)
    made.need(0, 1)
    assert _run(made, [5, 5]) is not None
    assert _run(made, [4, 5]) is None


def test_polynomials():
    rng = random.Random(7)
    symbols = [symbol(index) for index in range(SYMBOLS)]
    sizes: list[Dim] = [0, 1, 12]
    for _ in range(200):
        a, b, c = rng.choice(sizes), rng.choice(sizes), rng.choice(symbols)
        made = rng.choice([a + b, a * c, c + rng.randint(-3, 9), b * rng.randint(0, 3)])
        sizes.append(made if len(str(made)) < 60 else c)
    steps = Steps(SYMBOLS)
    words = [steps.polynomial(terms_of(size), lambda index: index) for size in sizes]
    for _ in range(10):
        values = [rng.randint(1, 6) for _ in symbols]
        found = _run(steps, values)
        assert found is not None
        assert [int(found[word]) for word in words] == [evaluate(size, values) for size in sizes]


SOFTMAX = """
func.func @main(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = snippets.softmax %x {axis = 1 : i64} : tensor<?x?xf32>
  %1 = snippets.tanh %0 : tensor<?x?xf32>
  func.return %1 : tensor<?x?xf32>
}
"""
PRODUCTS = """
func.func @main(%a: tensor<2x?x?xf32>, %b: tensor<2x?x?xf32>)
    -> (tensor<2x?x?xf32>, tensor<2x?xf32>) {
  %0 = snippets.matmul %a, %b : (tensor<2x?x?xf32>, tensor<2x?x?xf32>) -> tensor<2x?x?xf32>
  %1 = snippets.sigmoid %0 : tensor<2x?x?xf32>
  %2 = snippets.reduce_max %1 {axes = array<i64: 1>} : (tensor<2x?x?xf32>) -> tensor<2x?xf32>
  func.return %1, %2 : tensor<2x?x?xf32>, tensor<2x?xf32>
}
"""
ATTENTION = """
func.func @main(%q: tensor<2x?x?xf32>, %k: tensor<2x?x?xf32>, %v: tensor<2x?x5xf32>)
    -> tensor<2x?x5xf32> {
  %0 = snippets.matmul %q, %k : (tensor<2x?x?xf32>, tensor<2x?x?xf32>) -> tensor<2x?x?xf32>
  %1 = snippets.softmax %0 {axis = 2 : i64} : tensor<2x?x?xf32>
  %2 = snippets.matmul %1, %v : (tensor<2x?x?xf32>, tensor<2x?x5xf32>) -> tensor<2x?x5xf32>
  func.return %2 : tensor<2x?x5xf32>
}
"""


def _shapes(text: str, m: int, n: int, k: int) -> tuple[tuple[int, ...], ...]:
    if text == ATTENTION:
        return ((2, m, k), (2, k, 10 * n), (2, 10 * n, 5))  # a call chooses rows for 10 n keys
    return ((m, n),) if text == SOFTMAX else ((2, m, k), (2, k, n))


TEXTS = {"softmax": SOFTMAX, "products": PRODUCTS, "attention": ATTENTION}


@pytest.mark.parametrize(("name", "threads"), sampled(product(TEXTS, (1, 4)), 2))
def test_the_words_of_networks(name: str, threads: int):
    text = TEXTS[name]
    compiled: Any = snippets_mlir.compile(text, fallback="error", num_threads=threads)
    rng, done = random.Random(threads), 0
    for sizes in ((2, 3, 4), (3, 4, 5)):  # the first call of all makes no network
        compiled(*(np.ones(shape, np.float32) for shape in _shapes(text, *sizes)))
    (first,) = compiled._templates._entries.values()  # right for the sizes of all classes
    for largest in (9, 9, 70, 70, 600, 600, 600, 9, 2000, 2000):
        m, n, k = (rng.randint(2, largest) for _ in range(3))
        shapes = _shapes(text, m, n, k)
        template, symbols = first.built.program, first.template.values(shapes)
        network = template._shared.idle[-1]
        own = network._table.steps.symbols
        is_fit = network.fit_symbols(symbols) is not None
        by_code = network.words[:own].copy()
        network.fit(template.form.sizes(symbols, threads))
        if is_fit:
            done += 1
            np.testing.assert_array_equal(by_code, network.words[:own])
    assert done >= (2 if text == ATTENTION else 5)


def test_a_size_of_zero_and_one_that_is_too_large():
    compiled: Any = snippets_mlir.compile(SOFTMAX, fallback="error", num_threads=2)
    for rows in (2, 3):
        compiled(np.ones((rows, 5), np.float32))
    template, _ = compiled._templates.template(((2, 5),))
    network = template._shared.idle[-1]
    assert network.fit_symbols([2, 5]) is not None
    assert network.fit_symbols([0, 5]) is None
    assert network.fit_symbols([1 << 40, 1 << 40]) is None
    assert network.fit_symbols([1 << 70, 5]) is None
    assert network.fit_symbols([2, 5]) is not None
