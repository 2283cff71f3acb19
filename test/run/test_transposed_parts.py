"""Concats whose kernels read transposed arrays and slices in place, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from random_joins import same_bits
from runnable import RUNNABLE
from sampled import sampled

import snippets_mlir


def test_a_transposed_slice_of_a_reshaped_array() -> None:
    """A user's subgraph may have the reshape; the tokenizer leaves it outside."""
    text = """
    func.func @main(%c: tensor<3x8x17xf32>, %q: tensor<4x102xf32>) -> tensor<3x12x17xf32> {
      %r = snippets.subgraph (%a = %c, %b = %q)
          : (tensor<3x8x17xf32>, tensor<4x102xf32>) -> tensor<3x12x17xf32> {
        %v = snippets.reshape %b : (tensor<4x102xf32>) -> tensor<4x6x17xf32>
        %s = snippets.slice %v {starts = array<i64: 0, 2, 0>, steps = array<i64: 1, 1, 1>}
            : (tensor<4x6x17xf32>) -> tensor<4x3x17xf32>
        %t = snippets.transpose %s {permutation = array<i64: 1, 0, 2>}
            : (tensor<4x3x17xf32>) -> tensor<3x4x17xf32>
        %0 = snippets.concat %a, %t {axis = 1 : i64}
            : (tensor<3x8x17xf32>, tensor<3x4x17xf32>) -> tensor<3x12x17xf32>
        snippets.yield %0 : tensor<3x12x17xf32>
      }
      func.return %r : tensor<3x12x17xf32>
    }"""
    compiled = snippets_mlir.compile(text)
    (kernel,) = compiled.kernels
    assert "snippets.transpose" in kernel.ops
    c, q = (np.arange(np.prod(n), dtype="f4").reshape(n) for n in ((3, 8, 17), (4, 102)))
    new = q.reshape(4, 6, 17)[:, 2:5].transpose(1, 0, 2)
    same_bits(compiled(c, q), np.concatenate([c, new], 1))


@pytest.mark.parametrize("target", RUNNABLE)
@pytest.mark.parametrize("rows", sampled([0, 1, 2, 3, 5, 17], 3))
@pytest.mark.parametrize(("heads", "columns"), sampled([(1, 16), (3, 7), (12, 64), (5, 1)], 3))
def test_new_keys_after_those_of_a_cache(target: str, rows: int, heads: int, columns: int) -> None:
    """Transposed slices of one array are joined to what a cache has, by one kernel each."""
    turned = f"tensor<1x{heads}x?x{columns}xf32, #lir.sizes<?0>>"
    part = f"tensor<1x?x{heads}x{columns}xf32, #lir.sizes<?0>>"
    whole = f"tensor<1x?x{3 * heads}x{columns}xf32, #lir.sizes<?0>>"
    ones = "steps = array<i64: 1, 1, 1, 1>"
    first, second = (f"starts = array<i64: 0, 0, {n * heads}, 0>, {ones}" for n in (1, 2))
    cache = f"tensor<1x{heads}x?x{columns}xf32, #lir.sizes<?1>>"
    result = f"tensor<1x{heads}x?x{columns}xf32, #lir.sizes<?0 + ?1>>"
    text = f"""func.func @main(%x: {whole}, %k: {cache}) -> ({result}, {result}) {{
      %a = snippets.slice %x {{{first}}} : ({whole}) -> {part}
      %b = snippets.transpose %a {{permutation = array<i64: 0, 2, 1, 3>}} : ({part}) -> {turned}
      %0 = snippets.concat %k, %b {{axis = 2 : i64}} : ({cache}, {turned}) -> {result}
      %c = snippets.slice %x {{{second}}} : ({whole}) -> {part}
      %d = snippets.transpose %c {{permutation = array<i64: 0, 2, 1, 3>}} : ({part}) -> {turned}
      %1 = snippets.concat %d, %k {{axis = 2 : i64}} : ({turned}, {cache}) -> {result}
      func.return %0, %1 : {result}, {result}
    }}"""
    compiled = snippets_mlir.compile(text, target=target, num_threads=2)
    assert len(compiled.kernels) == 2
    numbers = np.random.default_rng(rows)
    for keys in (0, 1, 9):
        x = numbers.standard_normal((1, rows, 3 * heads, columns)).astype(np.float32)
        k = numbers.standard_normal((1, heads, keys, columns)).astype(np.float32)
        new = [x[:, :, n * heads : (n + 1) * heads].transpose(0, 2, 1, 3) for n in (1, 2)]
        before, after = compiled(x, k)
        same_bits(before, np.concatenate([k, new[0]], 2))
        same_bits(after, np.concatenate([new[1], k], 2))
