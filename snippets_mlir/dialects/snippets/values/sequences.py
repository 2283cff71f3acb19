"""Values of the ops that go along a dim in its order."""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.ir import Operation

from snippets_mlir.dialects.builtin.dims import static_shape
from snippets_mlir.dialects.builtin.dtypes import Array, is_float, round_to
from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.snippets.iota import IotaOp


def iota(op: Operation, dtype: np.dtype[Any]) -> Array:
    """The numbers of `snippets.iota`."""
    assert isinstance(op, IotaOp)
    shape = static_shape(shape_of(op.result))
    numbers = np.arange(shape[op.dim])
    if is_float(dtype):
        numbers = round_to(numbers.astype(np.float64), dtype)
    places = [size if dim == op.dim else 1 for dim, size in enumerate(shape)]
    return np.broadcast_to(numbers.reshape(places).astype(dtype, copy=False), shape)
