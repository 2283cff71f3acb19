"""Causal attentions with other masks, which are inputs: padding, biases, rows without a key."""

from __future__ import annotations

import numpy as np
import pytest
from attentions import Array, expected, numbers, tensor
from sampled import alternating

import snippets_mlir

FORMS: dict[str, tuple[bool, str]] = {
    "keys that both masks keep": (
        True,
        """
  %a = snippets.logical_and %c, %w : ({c}, {w}) -> {c}
  %1 = snippets.select %a, %0, %low : ({c}, {s}, {f}) -> {s}""",
    ),
    "keys that neither mask hides": (
        True,
        """
  %d = snippets.logical_not %c : {c}
  %u = snippets.logical_not %w : {w}
  %a = snippets.logical_or %u, %d : ({w}, {c}) -> {c}
  %1 = snippets.select %a, %low, %0 : ({c}, {f}, {s}) -> {s}""",
    ),
    "a sum of masks": (
        True,
        """
  %x = snippets.select %w, %zero, %low : ({w}, {f}, {f}) -> {k}
  %y = snippets.select %c, %x, %low : ({c}, {k}, {f}) -> {x}
  %1 = snippets.add %0, %y : ({s}, {x}) -> {s}""",
    ),
    "a finite number, which rows without a key average": (
        False,
        """
  %a = snippets.logical_and %c, %w : ({c}, {w}) -> {c}
  %1 = snippets.select %a, %0, %least : ({c}, {s}, {f}) -> {s}""",
    ),
}
"""Whether blocks of rows end at the diagonal, and the scores under both masks."""

PADDED = """
  %x = snippets.select %w, %zero, %least : ({{w}}, {{f}}, {{f}}) -> {{k}}
  %z = snippets.add {0}, %x : ({{s}}, {{k}}) -> {{s}}"""
FINITE = {
    "then padding": """
  %y = snippets.select %c, %0, %least : ({c}, {s}, {f}) -> {s}"""
    + PADDED.format("%y").replace("%z =", "%1 ="),
    "after padding": PADDED.format("%0")
    + """
  %1 = snippets.select %c, %z, %least : ({c}, {s}, {f}) -> {s}""",
}
"""The scores under a causal mask of a finite number, and an added padding of the same number."""

COUNTS = {
    "kept": (True, "%zero, %one", 1.0),
    "hidden": (False, "%one, %zero", 0.0),
}
"""Whether a sum over the mask's rows ends at the diagonal, too, and what it adds up."""


def program_text(rows: int, keys: int, form: str, count: str | None = None) -> str:
    """An attention of 2 heads, whose key i sees keys up to `keys - rows + i` that `%w` keeps.

    `%low` is -inf. `count` divides the result by 1 + the sum of a number for each key.
    """
    s, c, x, w = tensor((2, rows, keys)), tensor((rows, keys), "i1"), tensor((rows, keys)), (keys,)
    types = {"s": s, "c": c, "x": x, "w": tensor(w, "i1"), "k": tensor(w), "f": "tensor<f32>"}
    q, k, v, o = map(tensor, ((2, rows, 8), (2, keys, 8), (2, keys, 5), (2, rows, 5)))
    i, j, n = tensor((rows, 1), "i32"), tensor(w, "i32"), tensor((rows, 1))
    masked = (FORMS[form][1] if form in FORMS else FINITE[form]).format(**types)
    result, counted = "%3", ""
    if count is not None:
        result = "%5"
        counted = f"""
  %h = snippets.equal %y, %low : ({x}, tensor<f32>) -> {c}
  %g = snippets.select %h, {COUNTS[count][1]} : ({c}, tensor<f32>, tensor<f32>) -> {x}
  %n = snippets.reduce_sum %g {{axes = array<i64: 1>, keep_dims}} : ({x}) -> {n}
  %m = snippets.add %n, %one : ({n}, tensor<f32>) -> {n}
  %5 = snippets.divide %3, %m : ({o}, {n}) -> {o}"""
    return f"""
func.func @main(%q: {q}, %k: {k}, %v: {v}, %w: {types["w"]}) -> {o} {{
  %i = snippets.constant dense<{[[keys - rows + row] for row in range(rows)]}> : {i}
  %j = snippets.constant dense<{[*range(keys)]}> : {j}
  %c = snippets.less_equal %j, %i : ({j}, {i}) -> {c}
  %low = snippets.constant dense<0xFF800000> : tensor<f32>
  %least = snippets.constant dense<-1.0e38> : tensor<f32>
  %zero = snippets.constant dense<0.0> : tensor<f32>
  %one = snippets.constant dense<1.0> : tensor<f32>
  %0 = snippets.matmul %q, %k {{transpose_b}} : ({q}, {k}) -> {s}{masked}
  %2 = snippets.softmax %1 {{axis = 2 : i64}} : {s}
  %3 = snippets.matmul %2, %v : ({s}, {v}) -> {o}{counted}
  func.return {result} : {o}
}}
"""


def masks(rows: int, keys: int) -> tuple[Array, Array]:
    """A padding that hides the first keys, so that some rows have none, and what is kept."""
    padding = np.arange(keys) % 5 != 3
    padding[: min(keys // 3, 70)] = False
    return padding, padding & (np.arange(keys) <= keys - rows + np.arange(rows)[:, None])


SIZES = [(300, 397), (65, 65), (15, 16), (1, 1), (16, 16), (17, 17), (63, 64), (64, 64)]


@pytest.mark.parametrize(("form", "sizes"), alternating(FORMS, SIZES))
def test_two_masks(form: str, sizes: tuple[int, int]):
    for rows, keys in dict.fromkeys([(300, 300), sizes]):
        program = snippets_mlir.compile(program_text(rows, keys, form))
        ends = "diagonal" in program.kernels[-1].ir("lir-brgemm-row-blocks")
        assert ends == FORMS[form][0] or rows < 300
        q, k, v = numbers(rows, (2, rows, 8), (2, keys, 8), (2, keys, 5))
        padding, kept = masks(rows, keys)
        mask = np.where(kept, 0.0, -np.inf if FORMS[form][0] else -1e38)
        found = program(q, k, v, padding)
        np.testing.assert_allclose(found, expected(2 * q, k, v, mask), 2e-5, 1e-5)


@pytest.mark.parametrize("form", FINITE)
def test_two_masks_of_a_finite_number(form: str):
    """A row whose kept keys are padding reads the keys above the diagonal, which weigh as much."""
    rows = 384
    program = snippets_mlir.compile(program_text(rows, rows, form))
    q, k, v = numbers(rows, (2, rows, 8), (2, rows, 8), (2, rows, 5))
    padding = masks(rows, rows)[0]
    causal = np.tril(np.ones((rows, rows), bool))
    hidden = np.where(causal, 0, -1e38)
    mask = hidden + np.where(padding, 0, -1e38)
    if form == "after padding":
        mask = np.where(causal, mask, -1e38)
    np.testing.assert_allclose(program(q, k, v, padding), expected(2 * q, k, v, mask), 2e-5, 1e-5)


@pytest.mark.parametrize("count", COUNTS)
def test_sums_of_a_mask(count: str):
    """Blocks of rows skip no key that the sum counts."""
    rows = keys = 300
    program = snippets_mlir.compile(program_text(rows, keys, "a sum of masks", count))
    (kernel,) = program.kernels
    assert ("diagonal" in kernel.ir("lir-brgemm-row-blocks")) == COUNTS[count][0]
    q, k, v = numbers(9, (2, rows, 8), (2, keys, 8), (2, keys, 5))
    padding, kept = masks(rows, keys)
    number = (kept == COUNTS[count][2]).sum(axis=-1, keepdims=True)
    wanted = expected(2 * q, k, v, np.where(kept, 0.0, -np.inf)) / (1 + number)
    np.testing.assert_allclose(program(q, k, v, padding), wanted, 2e-5, 1e-5)


def test_infinities_of_hidden_values_are_not_read():
    """The last key is after all rows but the last one."""
    program = snippets_mlir.compile(program_text(384, 384, "keys that both masks keep"))
    q, k, v = numbers(10, (2, 384, 8), (2, 384, 8), (2, 384, 5))
    v[:, -1] = np.inf
    found = np.asarray(program(q, k, v, np.ones(384, bool)))
    assert np.isfinite(found[:, :128]).all()
    assert not np.isfinite(found[:, -1]).any()
