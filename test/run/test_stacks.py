# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false
"""Kernels that join along the last dim, against NumPy."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from random_joins import same_bits
from runnable import HOST, RUNNABLE
from sampled import ALL, sampled

import snippets_mlir

STACKED = (np.float32, np.float64, np.float16, np.int32, np.int8, np.bool_)


@pytest.mark.parametrize(("count", "dtype"), sampled(product([2, 3, 4], STACKED), 5))
def test_stacks_along_the_last_dim(count: int, dtype: Any) -> None:
    """Sizes around the vector: whole vectors of all parts in turn, and tails of any length."""
    numbers = np.random.default_rng(count)
    lanes = HOST.lanes
    stacked = snippets_mlir.jit(lambda *x: np.stack([x[0][::-1], *x[1:]], -1))
    fewer = (1, lanes - 1, lanes, lanes + 1, 2 * lanes + 3)
    for size in (*fewer, 2, 3, 5 * lanes) if ALL else fewer:
        arrays = [numbers.integers(-2, 3, size).astype(dtype) for _ in range(count)]
        if np.dtype(dtype).kind == "f":
            arrays[-1][-1] = np.nan
        wanted = np.stack([arrays[0][::-1], *arrays[1:]], -1)
        assert stacked(*arrays).tobytes() == wanted.tobytes()


@pytest.mark.parametrize(("target", "count"), sampled(product(RUNNABLE, [2, 4]), 2))
def test_stacks_of_sizes_of_the_call(target: str, count: int) -> None:
    names = [f"%x{i}" for i in range(count)]
    lines = "\n".join(
        f"%u{i} = snippets.unsqueeze %n{i} {{axes = array<i64: 2>}} : "
        "(tensor<?x?xf32>) -> tensor<?x?x1xf32>"
        for i in range(count)
    )
    made = "\n".join(f"%n{i} = snippets.negative %x{i} : tensor<?x?xf32>" for i in range(count))
    arguments = ", ".join(f"{name}: tensor<?x?xf32>" for name in names)
    text = f"""func.func @main({arguments}) -> tensor<?x?x{count}xf32> {{
      {made}
      {lines}
      %c = snippets.concat {", ".join(f"%u{i}" for i in range(count))} {{axis = 2 : i64}} :
        ({", ".join(["tensor<?x?x1xf32>"] * count)}) -> tensor<?x?x{count}xf32>
      func.return %c : tensor<?x?x{count}xf32>
    }}"""
    compiled = snippets_mlir.compile(text, target=target)
    numbers = np.random.default_rng(0)
    for shape in ((3, 5), (2, 16), (1, 33), (7, 1), (4, 64)):
        arrays = [numbers.standard_normal(shape, np.float32) for _ in range(count)]
        assert compiled(*arrays).tobytes() == np.stack([-a for a in arrays], -1).tobytes()


@pytest.mark.parametrize(
    ("partitioner", "rows"), sampled(product(["tokenize", "fuse-ops"], [1, 7, 16, 17]), 2)
)
def test_stacks_of_what_the_kernel_computes(partitioner: Any, rows: int) -> None:
    """Parts that get a dim of size 1 where they are joined: the operands of a stack."""
    text = f"""
func.func @main(%x: tensor<{rows}x3xf32>) -> (tensor<2x{rows}x3xf32>, tensor<3x{rows}x2xf32>) {{
  %0 = snippets.abs %x : tensor<{rows}x3xf32>
  %1 = snippets.unsqueeze %0 {{axes = array<i64: 0>}}
       : (tensor<{rows}x3xf32>) -> tensor<1x{rows}x3xf32>
  %2 = snippets.unsqueeze %x {{axes = array<i64: 0>}}
       : (tensor<{rows}x3xf32>) -> tensor<1x{rows}x3xf32>
  %3 = snippets.concat %1, %2 {{axis = 0 : i64}}
       : (tensor<1x{rows}x3xf32>, tensor<1x{rows}x3xf32>) -> tensor<2x{rows}x3xf32>
  %4 = snippets.relu %3 : tensor<2x{rows}x3xf32>
  %5 = snippets.transpose %4 {{permutation = array<i64: 2, 1, 0>}}
       : (tensor<2x{rows}x3xf32>) -> tensor<3x{rows}x2xf32>
  func.return %3, %5 : tensor<2x{rows}x3xf32>, tensor<3x{rows}x2xf32>
}}"""
    x = np.random.default_rng(rows).standard_normal((rows, 3)).astype(np.float32)
    x.flat[0] = np.nan
    stack = np.stack([np.abs(x), x])
    found = snippets_mlir.compile(text, partitioner=partitioner)(x)
    same_bits(found[0], stack)
    np.testing.assert_array_equal(found[1], np.maximum(stack, 0).transpose(2, 1, 0))
