"""Random attentions against NumPy in float64; `make fuzz SEED=n` runs more of them.

Heads stand before rows or after them, either factor may be scaled, masks are constants with a
diagonal, added or selected, that may hide all keys of a row; keys may be too many for a cache.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sampled import sampled

import snippets_mlir
from snippets_mlir.testing.thread_counts import drawn_threads, small_kernels_shared

SECONDS = float(os.environ.get("SNIPPETS_FUZZ_SECONDS", "0"))
SEED = int(os.environ.get("SNIPPETS_FUZZ_SEED", "0"))
SIZES = (2, 5, 37, 64, 130, 256, 384)
LONG = (18000, 18013, 20480)

Array = NDArray[Any]


def tensor(*sizes: int, element: str = "f32") -> str:
    return f"tensor<{''.join(f'{size}x' for size in sizes)}{element}>"


@dataclass(frozen=True)
class Case:
    """A program, its inputs and its result."""

    text: str
    inputs: tuple[Array, ...]
    wanted: Array


def case(seed: int) -> Case:
    """The attention of a seed, for queries, keys and values of `[B, S, H, D]`."""
    rng = np.random.default_rng(seed)
    b, h, d, e = (int(rng.integers(low, high)) for low, high in ((1, 3), (1, 4), (2, 40), (2, 40)))
    long = rng.random() < 0.1
    rows = int(rng.choice(SIZES[:3] if long else SIZES))
    keys = int(rng.choice(LONG if long else SIZES))
    q, k, v = tensor(b, rows, h, d), tensor(b, keys, h, d), tensor(b, keys, h, e)
    qt, kt, vt = tensor(b, h, rows, d), tensor(b, h, d, keys), tensor(b, h, keys, e)
    s, ot, o = tensor(b, h, rows, keys), tensor(b, h, rows, e), tensor(b, rows, h, e)
    mask, last = tensor(rows, keys, element="i1"), tensor(rows, 1, element="i32")
    scales = [float(np.float32(rng.uniform(0.2, 1))) if rng.random() < 0.6 else 1.0 for _ in "qk"]
    diagonal = int(rng.integers(0, keys)) if rng.random() < 0.5 else 0
    ends = np.arange(rows) + diagonal
    if rng.random() < 0.3:
        ends[rng.integers(rows)] = -1
    how = rng.choice(["none", "selected", "hidden", "added"])
    select = {
        "none": f"snippets.broadcast %s : ({s}) -> {s}",
        "selected": f"snippets.select %m, %s, %low : ({mask}, {s}, tensor<f32>) -> {s}",
        "hidden": f"snippets.select %h, %low, %s : ({mask}, tensor<f32>, {s}) -> {s}",
        "added": f"snippets.add %s, %a : ({s}, {tensor(rows, keys)}) -> {s}",
    }
    number = tensor(rows, keys)
    text = f"""
func.func @main(%q: {q}, %k: {k}, %v: {v}) -> {o} {{
  %c = snippets.constant dense<{scales[0]!r}> : tensor<f32>
  %d = snippets.constant dense<{scales[1]!r}> : tensor<f32>
  %low = snippets.constant dense<0xFF800000> : tensor<f32>
  %zero = snippets.constant dense<0.0> : tensor<f32>
  %i = snippets.constant dense<{[[int(end)] for end in ends]}> : {last}
  %j = snippets.constant dense<{[*range(keys)]}> : {tensor(keys, element="i32")}
  %m = snippets.less_equal %j, %i : ({tensor(keys, element="i32")}, {last}) -> {mask}
  %h = snippets.logical_not %m : {mask}
  %a = snippets.select %m, %zero, %low : ({mask}, tensor<f32>, tensor<f32>) -> {number}
  %qt = snippets.transpose %q {{permutation = array<i64: 0, 2, 1, 3>}} : ({q}) -> {qt}
  %kt = snippets.transpose %k {{permutation = array<i64: 0, 2, 3, 1>}} : ({k}) -> {kt}
  %vt = snippets.transpose %v {{permutation = array<i64: 0, 2, 1, 3>}} : ({v}) -> {vt}
  %qs = snippets.multiply %qt, %c : ({qt}, tensor<f32>) -> {qt}
  %ks = snippets.multiply %kt, %d : ({kt}, tensor<f32>) -> {kt}
  %s = snippets.matmul %qs, %ks : ({qt}, {kt}) -> {s}
  %t = {select[how]}
  %p = snippets.softmax %t {{axis = 3 : i64}} : {s}
  %ot = snippets.matmul %p, %vt : ({s}, {vt}) -> {ot}
  %o = snippets.transpose %ot {{permutation = array<i64: 0, 2, 1, 3>}} : ({ot}) -> {o}
  func.return %o : {o}
}}
"""
    shapes = (b, rows, h, d), (b, keys, h, d), (b, keys, h, e)
    inputs = tuple(rng.standard_normal(shape).astype(np.float32) for shape in shapes)
    left, right, values = (x.astype(np.float64).swapaxes(1, 2) for x in inputs)
    scores = left @ right.swapaxes(-1, -2) * scales[0] * scales[1]
    if how != "none":
        scores = np.where(np.arange(keys) <= ends[:, None], scores, -np.inf)
    with np.errstate(invalid="ignore"):
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        result = weights / weights.sum(-1, keepdims=True) @ values
    return Case(text, inputs, result.swapaxes(1, 2))


def check(seed: int) -> None:
    """The program of a seed gives what NumPy does."""
    found = case(seed)
    threads = drawn_threads(seed)
    with small_kernels_shared():
        result = snippets_mlir.compile(found.text, num_threads=threads)(*found.inputs)
    where = f"seed {seed}, {threads} threads"
    np.testing.assert_allclose(result, found.wanted, 2e-5, 2e-5, err_msg=where)


@pytest.mark.parametrize("seed", sampled(range(4), 2))
def test_attentions_are_those_of_numpy(seed: int) -> None:
    check(seed)


def test_values_that_are_copied_once_for_all_blocks_of_causal_rows() -> None:
    """The copy ended at the diagonal of the first block of rows."""
    check(12000024)


def test_more_attentions_for_as_long_as_asked() -> None:
    seed, end = 1_000_000 * (SEED + 1), time.monotonic() + SECONDS
    while time.monotonic() < end:
        check(seed)
        seed += 1
    print(f"last seed: {seed}")
