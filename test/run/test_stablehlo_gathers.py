"""Gathers and updates of StableHLO at places of the call, compiled, slice by slice as specified."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from random_gathers import random_gather
from sampled import sampled

import snippets_mlir


@pytest.mark.parametrize("seed", sampled(range(60), 6))
def test_random_gathers(seed: int) -> None:
    gather = random_gather(seed)
    program = snippets_mlir.compile(gather.text)
    found = np.asarray(program(gather.x, gather.indices))
    np.testing.assert_array_equal(found, gather.wanted)
    assert {op.op for op in program.opaque} <= {"snippets.slice"}  # which is a view


UPDATE = """
func.func @main(%x: tensor<5x7x4xf32>, %u: tensor<2x3x4xf32>, {arguments}) -> tensor<5x7x4xf32> {{
  %0 = stablehlo.dynamic_update_slice %x, %u, %i, %j, %k : (tensor<5x7x4xf32>,
    tensor<2x3x4xf32>, {types}) -> tensor<5x7x4xf32>
  func.return %0 : tensor<5x7x4xf32>
}}
"""


@pytest.mark.parametrize("index", ["i32", "i64", "ui8", "ui64"])
def test_updates_of_blocks(index: str) -> None:
    dtype: Any = np.dtype(("uint" if index[0] == "u" else "int") + index.lstrip("ui"))
    arguments = ", ".join(f"%{name}: tensor<{index}>" for name in "ijk")
    text = UPDATE.format(arguments=arguments, types=", ".join([f"tensor<{index}>"] * 3))
    program = snippets_mlir.compile(text)
    rng = np.random.default_rng(0)
    x, u = (rng.standard_normal(shape).astype(np.float32) for shape in ((5, 7, 4), (2, 3, 4)))
    limits = np.iinfo(dtype)
    for i, j, k in ((0, 0, 0), (3, 4, 2), (1, 2, 3), (limits.max, 1, 9), (2, limits.min, 0)):
        wanted = x.copy()
        row, column = (min(max(at, 0), most) for at, most in ((i, 3), (j, 4)))
        wanted[row : row + 2, column : column + 3] = u
        found = program(x, u, *(np.asarray(at, dtype) for at in (i, j, k)))
        np.testing.assert_array_equal(found, wanted)
