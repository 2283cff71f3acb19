"""The value of `stablehlo.gather`: all slices with one NumPy indexing.

    x of 8x20, indices of 5x1 into dim 0, slices of 1x20      x[starts] of 5x1x20, then 5x20

Dims that a slice takes completely are not indexed, so that whole rows are copied.
"""

from __future__ import annotations

import numpy as np

from snippets_mlir.dialects.builtin.dtypes import Array
from snippets_mlir.dialects.stablehlo.gathers import GatherOp


def gather(op: GatherOp, x: Array, indices: Array) -> Array:
    """A slice of `x` for each vector of `indices`, clamped so that it is inside `x`."""
    numbers = op.dimension_numbers
    sizes = [int(size) for size in op.slice_sizes.get_values()]
    last = numbers.number("index_vector_dim")
    vectors = np.moveaxis(indices, last, -1) if last < indices.ndim else indices[..., None]
    starts, batch = _starts(op, x, vectors, sizes), vectors.shape[:-1]
    indexed = [dim for dim in starts if sizes[dim] != x.shape[dim]]
    order = indexed + [dim for dim in range(x.ndim) if dim not in indexed]
    part = x[tuple(slice(None if dim in indexed else sizes[dim]) for dim in range(x.ndim))]
    places: list[Array] = []
    for number, dim in enumerate(indexed):
        ones = (1,) * (len(indexed) - number - 1)
        start = starts[dim].reshape((*starts[dim].shape, *(1,) * len(indexed)))
        places.append(start + np.arange(sizes[dim]).reshape((-1, *ones)))
    rows = part.transpose(order)
    found = rows[tuple(places)] if indexed else np.broadcast_to(rows, (*batch, *rows.shape))
    inner = [len(batch) + order.index(dim) for dim in range(x.ndim)]
    gone = (*numbers.dims("collapsed_slice_dims"), *numbers.dims("operand_batching_dims"))
    kept = [size for dim, size in enumerate(sizes) if dim not in gone]
    result = found.transpose([*range(len(batch)), *inner]).reshape((*batch, *kept))
    offsets = numbers.dims("offset_dims")
    outer = [dim for dim in range(result.ndim) if dim not in offsets]
    return np.moveaxis(result, range(result.ndim), [*outer, *offsets])


def _starts(op: GatherOp, x: Array, vectors: Array, sizes: list[int]) -> dict[int, Array]:
    """The starts of slices in the indexed dims, for each vector."""
    numbers, batch = op.dimension_numbers, vectors.shape[:-1]
    wide = vectors.astype(np.uint64 if vectors.dtype.kind == "u" else np.int64)
    starts: dict[int, Array] = {}
    for number, dim in enumerate(numbers.dims("start_index_map")):
        start = np.clip(wide[..., number], 0, x.shape[dim] - sizes[dim])
        starts[dim] = start.astype(np.int64)
    last = numbers.number("index_vector_dim")
    along = [dim - (dim > last) for dim in numbers.dims("start_indices_batching_dims")]
    for dim, source in zip(numbers.dims("operand_batching_dims"), along, strict=True):
        starts[dim] = np.indices(batch)[source]
    return starts
