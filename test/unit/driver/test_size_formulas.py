"""Sizes of an ONNX model that a call evaluates: sums, quotients, minima and maxima."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import onnxruntime as ort
import pytest
from onnx import parser

import snippets_mlir
from snippets_mlir.driver import MarkSkipped
from snippets_mlir.driver.onnx.size_formulas import formula_of, value_of
from snippets_mlir.frontends.onnx.shapes.bounds import maximum, minimum
from snippets_mlir.frontends.onnx.shapes.dims import Size, evaluate, floordiv, product, symbol

NAMES = ("s", "t", "u")


def some_size(random: Random, depth: int) -> Size:
    """A size of a few operations on symbols and numbers."""
    if depth == 0:
        return symbol(random.choice(NAMES)) if random.random() < 0.7 else random.randrange(1, 9)
    operands = [some_size(random, depth - 1) for _ in range(random.randrange(2, 5))]
    several: tuple[Callable[[list[Size]], Size], ...] = (minimum, maximum, sum, product)
    if random.random() < 0.2:
        return floordiv(operands[0], random.randrange(1, 5))
    return random.choice(several)(operands)


def test_formulas_are_the_sizes_that_they_were_made_of() -> None:
    random = Random(7)
    for _ in range(300):
        size = some_size(random, random.randrange(3))
        known = {name: random.randrange(1, 40) for name in NAMES}
        assert value_of(formula_of(size), known) == evaluate(size, known)


@pytest.mark.parametrize("formula", [[[1, [["mod", 5, 3]]]], [[1, [["floordiv", 5, 3, 2]]]]])
def test_what_is_no_formula_is_refused(formula: object) -> None:
    with pytest.raises(ValueError, match=r"no operation|unpack"):
        value_of(formula, {})


CUT = """<ir_version: 9, opset_import: ["" : 21]>
cut (float[b, s, 64] x, float[c, t, 64] z) => (float[p, q, r] y) {
  zero = Constant<value_ints = [0]>()
  one = Constant<value_ints = [1]>()
  most = Constant<value_ints = [100]>()
  length = Shape<start = 1, end = 2>(z)
  short = Slice(x, zero, most, one)
  cut = Slice(short, zero, length, one)
  a = Softplus(cut)
  b = Mul(a, cut)
  y = Softmax(b)
}"""
SHAPES = ((8, 128, 90), (8, 64, 90), (4, 200, 300), (1, 1, 1), (8, 128, 90), (2, 99, 101))


@pytest.mark.usefixtures("programs")
@pytest.mark.parametrize("mark", ["auto", "none"])
def test_a_size_is_the_least_of_three(mark: MarkSkipped, tmp_path: Path) -> None:
    """Two sizes of the call and a number, also in a program from the cache."""
    path = tmp_path / "cut.onnx"
    path.write_bytes(parser.parse_model(CUT).SerializeToString())
    reference: Any = ort.InferenceSession(path)
    random = np.random.default_rng(3)
    for again in (False, True):
        program = snippets_mlir.compile(str(path), num_threads=2, mark_skipped=mark)
        for batch, rows, other in SHAPES:
            given = {
                "x": random.standard_normal((batch, rows, 64), np.float32),
                "z": random.standard_normal((2, other, 64), np.float32),
            }
            expected = reference.run(None, given)[0]
            found = program.run(given)["y"]
            assert found.shape == expected.shape == (batch, min(rows, other, 100), 64)
            np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
        assert program.kernels
        assert bool(program.from_cache) is again
