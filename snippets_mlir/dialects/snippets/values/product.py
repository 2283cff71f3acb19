"""The value of the matrix product: floats in float64, rounded once, and integers in their type.

For float64 operands NumPy's library determines the order in which products are added.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.ir import Operation

from snippets_mlir.dialects.builtin.dtypes import Array, is_float, round_to
from snippets_mlir.dialects.snippets.product import MatMulOp, why_no_product
from snippets_mlir.support.errors import CompileError


def matmul(op: Operation, dtype: np.dtype[Any], lhs: Array, rhs: Array) -> Array:
    """The product; CompileError for arrays whose sizes do not fit together."""
    assert isinstance(op, MatMulOp)
    problem = why_no_product(lhs.shape, rhs.shape, *op.transposes)
    if problem is not None:
        raise CompileError(problem)
    a, b = (
        x.swapaxes(-1, -2) if transposed else x
        for x, transposed in zip((lhs, rhs), op.transposes, strict=True)
    )
    if not is_float(dtype):
        return np.asarray(np.matmul(a, b, dtype=dtype))
    wide = np.matmul(a.astype(np.float64, copy=False), b.astype(np.float64, copy=False))
    return round_to(np.asarray(wide), dtype)
