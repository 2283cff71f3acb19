"""Slices of NumPy arrays by `snippets.slice`."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects.builtin import f32
from xdsl.utils.test_value import create_ssa_value

from snippets_mlir.dialects.builtin.shaped import tensor_type
from snippets_mlir.dialects.snippets.shapes import DYNAMIC
from snippets_mlir.dialects.snippets.slicing import SliceOp
from snippets_mlir.dialects.snippets.values.conversion import take_slice
from snippets_mlir.support.errors import CompileError


def test_a_dim_of_unknown_size_is_taken_whole() -> None:
    """As an op that no kernel holds has it, whose program is for any size."""
    op = SliceOp(create_ssa_value(tensor_type(f32, [DYNAMIC, 4])), [0, 3], [DYNAMIC, 2], [1, -2])
    for rows in (0, 1, 5):
        x = np.arange(rows * 4, dtype=np.float32).reshape(rows, 4)
        np.testing.assert_array_equal(take_slice(op, x.dtype, x), x[:, [3, 1]])
    with pytest.raises(CompileError, match="reads places 3 to 1 of dim 1, which has size 3"):
        take_slice(op, np.dtype(np.float32), np.zeros((2, 3), np.float32))
