"""Scans of whole tensors: prefixes of vectors, and their combination along a dim.

They combine elements in the later order of the loops, so a kernel computes the same bits before and
after its markers are inserted.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from snippets_mlir.dialects.builtin.dims import static_shape
from snippets_mlir.dialects.builtin.dtypes import Array
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.lir.access import output_ports
from snippets_mlir.dialects.lir.scan import PrefixOp, ScanOp, start_of
from snippets_mlir.interpreter.lir_memory import dtype_of
from snippets_mlir.interpreter.lir_sums import combine, number


def prefixes(op: PrefixOp, join: Callable[[Array, Array], Array], values: Array) -> Array:
    """In the last axis, the combination of all elements up to and including each place."""
    lanes, distance = values.shape[-1], 1
    start = number(start_of(op.kind.data, tensor_of(op.operand).element_type), values.dtype)
    while distance < lanes:
        first = np.broadcast_to(start, (*values.shape[:-1], distance))
        before = np.concatenate([first, values[..., : lanes - distance]], axis=-1)
        values = join(before, values)
        distance *= 2
    return values


def prefix(op: PrefixOp, value: Array) -> Array:
    """The prefixes of each vector along the last dim."""
    port, dtype = output_ports(op)[0], dtype_of(op.operand)
    data = value.reshape(static_shape(port.shape))
    join, parts = combine(op, op.kind.data, dtype), range(0, data.shape[-1], port.lanes)
    with np.errstate(all="ignore"):
        found = [prefixes(op, join, data[..., i : i + port.lanes]) for i in parts]
    data = np.concatenate(found, axis=-1) if found else data
    return data.reshape(static_shape(shape_of(op.result)))


def scan(op: ScanOp, value: Array) -> Array:
    """Each element, or each vector of prefixes, combined with the last of those before it."""
    port, dtype = output_ports(op)[0], dtype_of(op.operand)
    data = np.moveaxis(value.reshape(static_shape(port.shape)), -1 - op.dim, -1)
    join, found = combine(op, op.kind.data, dtype), np.empty_like(data)
    start = number(start_of(op.kind.data, tensor_of(op.operand).element_type), dtype)
    last = np.broadcast_to(start, (*data.shape[:-1], 1))
    step = 1 if op.prefixed is None else port.lanes
    with np.errstate(all="ignore"):
        for i in range(0, data.shape[-1], step):
            part = data[..., i : i + step]
            found[..., i : i + step] = join(np.broadcast_to(last, part.shape), part)
            last = found[..., i + part.shape[-1] - 1 :][..., :1]
    return np.moveaxis(found, -1, -1 - op.dim).reshape(static_shape(shape_of(op.result)))
