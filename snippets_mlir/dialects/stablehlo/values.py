"""Values of StableHLO ops on NumPy arrays: for the interpreter and beside kernels.

    evaluate(op, [x, y]) -> [result]

The record of its `snippets` op defines the value of an elementwise op. Regions run on whole arrays:
a reduction combines slices along its dims, or positions in windows, one after the other. Source:
the StableHLO specification.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

import numpy as np
from xdsl.ir import Block, Operation, SSAValue

from snippets_mlir.dialects.builtin.dtypes import Array, numpy_dtype
from snippets_mlir.dialects.builtin.shaped import tensor_of
from snippets_mlir.dialects.snippets.values.constant import constant_array
from snippets_mlir.dialects.stablehlo.bit_values import OF_BITS, of_total_order, of_truths
from snippets_mlir.dialects.stablehlo.control import OptimizationBarrierOp
from snippets_mlir.dialects.stablehlo.elementwise import ClampOp
from snippets_mlir.dialects.stablehlo.elementwise_values import (
    BY_NAME,
    result_dtype,
    result_shape,
)
from snippets_mlir.dialects.stablehlo.gather_values import gather
from snippets_mlir.dialects.stablehlo.gathers import (
    DynamicSliceOp,
    DynamicUpdateSliceOp,
    GatherOp,
)
from snippets_mlir.dialects.stablehlo.movement import (
    BroadcastInDimOp,
    ConstantOp,
    IotaOp,
    ReshapeOp,
    TransposeOp,
)
from snippets_mlir.dialects.stablehlo.names import record_for
from snippets_mlir.dialects.stablehlo.products import DotGeneralOp
from snippets_mlir.dialects.stablehlo.reduction import ReduceOp, ReturnOp
from snippets_mlir.dialects.stablehlo.region_ops import ReduceWindowOp
from snippets_mlir.dialects.stablehlo.slice_values import (
    concatenate_value,
    dynamic_slice_value,
    dynamic_update_slice_value,
    pad_value,
    reverse_value,
    slice_value,
)
from snippets_mlir.dialects.stablehlo.slices import ConcatenateOp, PadOp, ReverseOp, SliceOp
from snippets_mlir.dialects.stablehlo.window_values import reduce_windows

Arrays = Sequence[Array]


def _broadcast(op: BroadcastInDimOp, x: Array) -> Array:
    sizes = [1] * len(result_shape(op))
    for dim, size in zip(op.dims, x.shape, strict=True):
        sizes[dim] = size
    order = sorted(range(x.ndim), key=lambda i: op.dims[i])
    return np.broadcast_to(x.transpose(order).reshape(sizes), result_shape(op))


def _iota(op: IotaOp) -> Array:
    shape = result_shape(op)
    sizes = [size if dim == op.dim else 1 for dim, size in enumerate(shape)]
    counted = np.arange(shape[op.dim]).reshape(sizes).astype(result_dtype(op))
    return np.broadcast_to(counted, shape)


def _dot_general(op: DotGeneralOp, lhs: Array, rhs: Array) -> Array:
    dtype = result_dtype(op)
    wide = np.float64 if dtype.kind not in "iub" else dtype
    orders = zip(op.batching, op.free, op.contracting, strict=True)
    (lb, lf, lc), (rb, rf, rc) = orders
    a = lhs.astype(wide).transpose((*lb, *lf, *lc))
    b = rhs.astype(wide).transpose((*rb, *rc, *rf))
    batch = a.shape[: len(lb)]
    rows, columns = a.shape[len(lb) : len(lb) + len(lf)], b.shape[len(rb) + len(rc) :]
    inner = int(np.prod(a.shape[len(lb) + len(lf) :]))
    left = a.reshape((*batch, int(np.prod(rows)), inner))
    right = b.reshape((*batch, inner, int(np.prod(columns))))
    return np.matmul(left, right).reshape((*batch, *rows, *columns)).astype(dtype)


def _run(block: Block, arguments: Arrays) -> list[Array]:
    """The results of a region without captures, with arrays in place of its scalars."""
    values: dict[SSAValue, Array] = dict(zip(block.args, arguments, strict=True))
    for op in block.ops:
        operands = [values[v] for v in op.operands]
        if isinstance(op, ReturnOp):
            return operands
        values.update(zip(op.results, evaluate(op, operands), strict=True))
    raise AssertionError("a region without stablehlo.return")


def _is_closed(block: Block) -> bool:
    """Whether ops with values compute the region's results from its arguments."""
    inside = {*block.args, *(result for op in block.ops for result in op.results)}
    return all(
        (isinstance(op, ReturnOp) or value_of(op) is not None)
        and all(value in inside for value in op.operands)
        for op in block.ops
    )


def _reduce(op: ReduceOp, *arrays: Array) -> list[Array]:
    count = len(op.results)
    inputs, inits = arrays[:count], arrays[count:]
    axes = op.axes
    kept = [dim for dim in range(inputs[0].ndim) if dim not in axes]
    moved = [x.transpose((*axes, *kept)) for x in inputs]
    count = prod(moved[0].shape[: len(axes)])  # -1 would be ambiguous beside a dim of 0
    rows = [x.reshape((count, *x.shape[len(axes) :])) for x in moved]
    state = [np.broadcast_to(i, r.shape[1:]) for i, r in zip(inits, rows, strict=True)]
    for place in range(count):
        state = _run(op.body.block, [*state, *(row[place] for row in rows)])
    return state


def _reduce_window(op: ReduceWindowOp, *arrays: Array) -> list[Array]:
    return reduce_windows(op, result_shape(op), lambda parts: _run(op.body.block, parts), arrays)


def _clamp(op: ClampOp, low: Array, x: Array, high: Array) -> Array:
    return np.minimum(np.maximum(x, low), high)


def _constant(op: ConstantOp) -> Array:
    return constant_array(op.value)


def _reshape(op: ReshapeOp, x: Array) -> Array:
    return x.reshape(result_shape(op))


def _barrier(op: OptimizationBarrierOp, *arrays: Array) -> list[Array]:
    return list(arrays)


def _transpose(op: TransposeOp, x: Array) -> Array:
    return x.transpose(op.permutation)


_VALUES: dict[type[Operation], Callable[..., Array | list[Array]]] = {
    BroadcastInDimOp: _broadcast,
    ClampOp: _clamp,
    ConcatenateOp: concatenate_value,
    ConstantOp: _constant,
    DotGeneralOp: _dot_general,
    DynamicSliceOp: dynamic_slice_value,
    DynamicUpdateSliceOp: dynamic_update_slice_value,
    GatherOp: gather,
    IotaOp: _iota,
    OptimizationBarrierOp: _barrier,
    PadOp: pad_value,
    ReduceOp: _reduce,
    ReduceWindowOp: _reduce_window,
    ReshapeOp: _reshape,
    ReverseOp: reverse_value,
    SliceOp: slice_value,
    TransposeOp: _transpose,
}


def value_of(op: Operation) -> Callable[[Arrays], Array | list[Array]] | None:
    """The function of arrays for `op`; None for an op without a value here."""
    function = _VALUES.get(type(op)) or BY_NAME.get(op.name)
    if function is not None:
        if isinstance(op, ReduceOp | ReduceWindowOp) and not _is_closed(op.body.block):
            return None
        return lambda arrays: function(op, *arrays)
    plain = OF_BITS.get(op.name) or of_truths(op) or of_total_order(op)
    if plain is not None:
        return lambda arrays: plain(*arrays)
    if (record := record_for(op)) is not None:
        return lambda arrays: record.value(op, result_dtype(op), *arrays)
    return None


def evaluate(op: Operation, arrays: Arrays) -> list[Array]:
    """The results of an op that has a value, on arrays of its operands' types."""
    function = value_of(op)
    assert function is not None, f"{op.name} has no value"
    with np.errstate(all="ignore"):
        found = function(arrays)
    results = found if isinstance(found, list) else [found]
    dtypes = (numpy_dtype(tensor_of(r).element_type) for r in op.results)
    return [np.asarray(r).astype(d, copy=False) for r, d in zip(results, dtypes, strict=True)]
