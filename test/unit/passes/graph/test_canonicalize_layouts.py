"""Kernels over blocked layouts compute what the planar ones do, rearranged."""

from __future__ import annotations

import numpy as np
import pytest
from dataflow_runs import Array, after, compiled, interpreted, same_bits

TEXT = """
func.func @main(%x: {x}, %y: {y}, %z: tensor<7xf32>) -> {x} {{
  %0 = snippets.subgraph (%a = %x, %b = %y, %c = %z) : ({x}, {y}, tensor<7xf32>) -> {x} attributes {{snippets.layouts = ["{layout}", "NCHW", "-"]}} {{
    %k = snippets.constant {constant} : tensor<{channels}x1x1xf32>
    %1 = snippets.multiply %a, %k : ({x}, tensor<{channels}x1x1xf32>) -> {x}
    %2 = snippets.add %1, %b : ({x}, {y}) -> {x}
    %3 = snippets.broadcast %c : (tensor<7xf32>) -> {x}
    %4 = snippets.maximum %2, %3 : {x}
    snippets.yield %4 : {x}
  }}
  func.return %0 : {x}
}}
"""  # noqa: E501


def program(channels: int, block: int) -> str:
    """The text for `channels` in blocks of `block`."""
    values = ", ".join(f"[[{i % 5 - 2}.0]]" for i in range(channels))
    return TEXT.format(
        x=f"tensor<2x{channels}x5x7xf32>",
        y="tensor<1x1x5x7xf32>",
        layout=f"NCHW{block}c",
        channels=channels,
        constant=f"dense<[{values}]>",
    )


def blocked(x: Array, block: int) -> Array:
    """NCHW to NCHW<block>c, the padding filled with NaN."""
    n, c, h, w = x.shape
    blocks = -(-c // block)
    padded = np.full((n, blocks * block, h, w), np.nan, x.dtype)
    padded[:, :c] = x
    return np.ascontiguousarray(padded.reshape(n, blocks, block, h, w).transpose(0, 1, 3, 4, 2))


def planar(x: Array, channels: int) -> Array:
    """The inverse of `blocked`."""
    n, blocks, h, w, block = x.shape
    return x.transpose(0, 1, 4, 2, 3).reshape(n, blocks * block, h, w)[:, :channels]


@pytest.mark.parametrize(("channels", "block"), [(16, 8), (20, 8), (3, 16), (32, 16)])
def test_blocks_hold_the_planar_values(channels: int, block: int):
    rng = np.random.default_rng(channels)
    x = rng.standard_normal((2, channels, 5, 7)).astype(np.float32)
    x[0, 0, 0, :4] = [np.nan, np.inf, -np.inf, -0.0]
    y = rng.standard_normal((1, 1, 5, 7)).astype(np.float32)
    z = rng.standard_normal(7).astype(np.float32)
    text = program(channels, block)
    (expected,) = interpreted(text, [x, y, z])
    module = after(text, "snippets-canonicalize-layouts")
    (found,) = interpreted(module, [blocked(x, block), y, z])
    assert found.shape == blocked(x, block).shape
    assert same_bits(planar(found, channels), expected)
    (found,) = compiled(after(text, "snippets-canonicalize-layouts"), [blocked(x, block), y, z])
    assert same_bits(planar(found, channels), expected)


def test_rearranging_outside_keeps_values():
    x = np.arange(2 * 8 * 3, dtype=np.float32).reshape(2, 8, 3) / 8
    text = """
func.func @main(%x: tensor<2x8x3xf32>) -> tensor<2x8x3xf32> {
  %e = snippets.exp %x : tensor<2x8x3xf32>
  %0 = snippets.subgraph (%a = %e) : (tensor<2x8x3xf32>) -> tensor<2x8x3xf32> {
    %1 = snippets.sqrt %a : tensor<2x8x3xf32>
    snippets.yield %1 : tensor<2x8x3xf32>
  }
  %l = snippets.log %0 : tensor<2x8x3xf32>
  func.return %l : tensor<2x8x3xf32>
}"""
    (expected,) = interpreted(text, [x])
    module = after(text, "snippets-canonicalize-layouts{layouts=NCW4c}")
    assert "2x2x3x4" in str(module)
    assert same_bits(interpreted(module, [x])[0], expected)
