"""`stablehlo.scatter` in the interpreter, window by window in the order of the indices.

The region combines the window of a place with the updates if the window lies within the operand;
otherwise the place is skipped, as in XLA. Source: the StableHLO specification.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from xdsl.ir import Operation

from snippets_mlir.dialects.stablehlo.region_ops import ScatterOp

if TYPE_CHECKING:
    from snippets_mlir.dialects.builtin.dtypes import Array
    from snippets_mlir.interpreter.machine import Interpreter


def scatter(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    """The inputs with the updates."""
    assert isinstance(op, ScatterOp)
    count = len(op.results)
    inputs: list[Array] = [np.array(x) for x in operands[:count]]
    numbers, indices = op.scatter_dimension_numbers, operands[count]
    last, window = numbers.number("index_vector_dim"), numbers.dims("update_window_dims")
    vectors: Array = (
        np.moveaxis(indices, last, -1) if last < indices.ndim else np.expand_dims(indices, -1)
    )
    updates: list[Array] = [
        u.transpose([*(dim for dim in range(u.ndim) if dim not in window), *window])
        for u in operands[count + 1 :]
    ]
    gone = (*numbers.dims("inserted_window_dims"), *numbers.dims("input_batching_dims"))
    for place in np.ndindex(vectors.shape[:-1]):
        starts = _starts(op, vectors[place], place, inputs[0].ndim)
        given = iter(updates[0].shape[len(place) :])
        sizes = [1 if dim in gone else next(given) for dim in range(inputs[0].ndim)]
        around = zip(starts, sizes, inputs[0].shape, strict=True)
        if not all(0 <= start <= whole - size for start, size, whole in around):
            continue
        new = [u[place].reshape(sizes) for u in updates]
        for inside in np.ndindex(*sizes):
            at = tuple(start + offset for start, offset in zip(starts, inside, strict=True))
            elements = [np.asarray(x[at]) for x in inputs], [np.asarray(u[inside]) for u in new]
            found = interpreter.run_block(op.body.block, (*elements[0], *elements[1]), op)
            for x, value in zip(inputs, found, strict=True):
                x[at] = value
    return inputs


def _starts(op: ScatterOp, vector: Array, place: tuple[int, ...], rank: int) -> list[int]:
    """Where the window of a place begins."""
    numbers, starts = op.scatter_dimension_numbers, [0] * rank
    for number, dim in enumerate(numbers.dims("scatter_dims_to_operand_dims")):
        starts[dim] = int(vector[number])
    last = numbers.number("index_vector_dim")
    batched = numbers.dims("scatter_indices_batching_dims")
    for dim, source in zip(numbers.dims("input_batching_dims"), batched, strict=True):
        starts[dim] = place[source - (source > last)]
    return starts
