"""Attentions whose rows need some keys alone, and whose keys go block by block."""

from __future__ import annotations

import numpy as np
import pytest
from attentions import Array, Shape, attention, expected, numbers, tensor
from sampled import sampled

import snippets_mlir

CAUSAL: dict[str, tuple[int, int, int, str]] = {
    "square": (384, 384, 0, "select %m, %0, %low"),
    "hidden is true": (384, 384, 0, "select %h, %low, %0"),
    "added": (256, 256, 0, "add %0, %a"),
    "more keys, which have a tail": (256, 413, 157, "add %0, %a"),
    "a diagonal far below": (512, 300, -100, "select %m, %0, %low"),
    "fewer keys": (384, 205, 3, "select %h, %low, %0"),
    "a last block of fewer rows": (393, 393, 0, "select %m, %0, %low"),
    "a last block that needs more than a first one": (1543, 1543, 0, "add %0, %a"),
    "equal blocks of keys would be 60": (900, 900, 0, "add %0, %a"),
    "a last block of one row": (8 * 47 + 1, 300, 2, "select %m, %0, %low"),
}
"""Rows, keys, the diagonal, and how it is written."""


def causal(rows: int, keys: int, diagonal: int, masked: str) -> tuple[str, Array]:
    """An attention of 2 heads with a constant mask, and what the mask keeps.

    Each row keeps the first key. `%m` is true for what is kept, `%h` for what is hidden; `%a` is
    -inf there.
    """
    last = [max(0, row + diagonal) for row in range(rows)]
    s, m, c = tensor((2, rows, keys)), tensor((rows, keys), "i1"), "tensor<f32>"
    i, j, a = tensor((rows, 1), "i32"), tensor((keys,), "i32"), tensor((rows, keys))
    q, k, v, o = map(tensor, ((2, rows, 8), (2, keys, 8), (2, keys, 5), (2, rows, 5)))
    of = {"%0": s, "%m": m, "%h": m, "%a": a, "%low": c}
    types = ", ".join(of[it.strip(",")] for it in masked.split()[1:])
    source = f"""
func.func @main(%q: {q}, %k: {k}, %v: {v}) -> {o} {{
  %i = snippets.constant dense<{[[it] for it in last]}> : {i}
  %j = snippets.constant dense<{[*range(keys)]}> : {j}
  %m = snippets.less_equal %j, %i : ({j}, {i}) -> {m}
  %h = snippets.logical_not %m : {m}
  %low = snippets.constant dense<0xFF800000> : {c}
  %zero = snippets.constant dense<0.0> : {c}
  %a = snippets.select %m, %zero, %low : ({m}, {c}, {c}) -> {a}
  %0 = snippets.matmul %q, %k {{transpose_b}} : ({q}, {k}) -> {s}
  %1 = snippets.{masked} : ({types}) -> {s}
  %2 = snippets.softmax %1 {{axis = 2 : i64}} : {s}
  %3 = snippets.matmul %2, %v : ({s}, {v}) -> {o}
  func.return %3 : {o}
}}
"""
    return source, np.arange(keys) <= np.array(last)[:, None]


@pytest.mark.parametrize("name", sampled(CAUSAL, 3))
def test_causal_masks(name: str):
    source, kept = causal(*CAUSAL[name])
    program = snippets_mlir.compile(source)
    assert "diagonal" in program.kernels[-1].ir("lir-brgemm-row-blocks")
    rows, keys = kept.shape
    q, k, v = numbers(13, (2, rows, 8), (2, keys, 8), (2, keys, 5))
    mask = np.where(kept, 0.0, -np.inf)
    np.testing.assert_allclose(program(q, k, v), expected(2 * q, k, v, mask), 2e-5, 1e-5)


AFTER = {
    "a score of 1 for hidden keys": ("%2", "%1", "snippets.select %m, %1, %one : ({m}, {s}, {c})"),
    "a weight of 1 for hidden keys": ("%3", "%2", "snippets.add %2, %one : ({s}, {c})"),
}
"""The op that reads the result of an op in place of a value."""


@pytest.mark.parametrize("name", AFTER)
def test_hidden_keys_that_count_again(name: str):
    """No key is skipped."""
    rows, (reader, value, more) = 384, AFTER[name]
    source, kept = causal(rows, rows, 0, "add %0, %a")
    s, m, c = tensor((2, rows, rows)), tensor((rows, rows), "i1"), "tensor<f32>"
    lines = f"  %one = snippets.constant dense<1.0> : {c}\n  %9 = {more} -> {s}\n"
    lines = lines.format(s=s, m=m, c=c)
    before, line = source.split(f"  {reader} = ")
    program = snippets_mlir.compile(
        before + lines + f"  {reader} = " + line.replace(value, "%9", 1)
    )
    q, k, v = numbers(13, (2, rows, 8), (2, rows, 8), (2, rows, 5))
    scores = q.astype(np.float64) @ k.swapaxes(-1, -2)
    weight = 1.0 if reader == "%3" else 0.0
    e = np.exp(np.where(kept, scores, 1.0 if weight == 0 else -np.inf))
    wanted = (e / e.sum(axis=-1, keepdims=True) + weight) @ v
    np.testing.assert_allclose(program(q, k, v), wanted, 2e-5, 1e-4)


@pytest.mark.parametrize("name", ["square", "equal blocks of keys would be 60"])
def test_keys_that_a_block_of_rows_does_not_need_are_not_read(name: str):
    """The last key is hidden from all but the last row; the first block of 128 never reads it."""
    rows = CAUSAL[name][0]
    program = snippets_mlir.compile(causal(*CAUSAL[name])[0])
    q, k, v = numbers(14, (2, rows, 8), (2, rows, 8), (2, rows, 5))
    v[:, -1] = np.inf
    result = np.asarray(program(q, k, v))
    assert np.isfinite(result[:, :128]).all()
    assert not np.isfinite(result[:, -1]).any()


LONG: dict[str, tuple[Shape, Shape, Shape, Shape]] = {
    "a mask of rows and keys": ((2, 20, 8), (2, 20000, 8), (2, 20000, 5), (20, 20000)),
    "a mask of keys": ((5, 16), (32768, 16), (32768, 16), (32768,)),
    "shared keys": ((1, 3, 4, 8), (1, 1, 20480, 8), (1, 1, 20480, 9), (1, 1, 1, 20480)),
}


@pytest.mark.parametrize("name", sampled(LONG, 3))
def test_blocks_of_keys(name: str):
    """Every third key is hidden, and in one case all keys of a row: that is NaN."""
    shapes = LONG[name]
    program = snippets_mlir.compile(attention(*shapes))
    q, k, v, mask = numbers(15, *shapes)
    mask[..., 5::3] = -np.inf
    if len(mask) == 20:
        mask[4], mask[7, :15000] = -np.inf, -np.inf
    wanted = expected(q, k, v, mask)
    assert np.isnan(wanted).any() == (len(mask) == 20)
    np.testing.assert_allclose(program(q, k, v, mask), wanted, 2e-5, 1e-6)
    keys = shapes[1][-2]
    products = [it for it in program.kernels if "snippets.matmul" in it.entry.ops]
    assert [it.entry.ops.count("snippets.matmul") for it in products] == [2]
    facts = products[0].entry.facts
    assert facts is not None
    assert int(facts.scratch) < 16 * keys * 4
