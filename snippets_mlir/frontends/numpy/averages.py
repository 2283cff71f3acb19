"""`np.average` of traced arrays.

    np.average(x)                           the mean
    np.average(x, weights=w)                sum(x * w) / sum(w)
    np.average(x, axis=1, weights=w)        the same along a dim, with a weight for each place of it

If weights sum to zero, NumPy raises an error; here the result is NaN or an infinity, because values
are not known while tracing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from snippets_mlir.dialects.builtin.dtypes import is_float
from snippets_mlir.frontends.numpy.arrays import TracedArray, fn, operand_of
from snippets_mlir.frontends.numpy.trace import refuse


def average(
    a: Any, axis: Any = None, weights: Any = None, returned: bool = False, *, keepdims: bool = False
) -> Any:
    """The average, and with `returned` also the sum of the weights in its shape."""
    if weights is None:
        found = fn.mean(a, axis=axis, keepdims=keepdims)
        count = np.size(a) // max(found.size, 1) if returned else 0
        return (found, fn.full_like(found, count)) if returned else found
    options = {"axis": axis, "keepdims": keepdims}
    weights = _alike(np.shape(a), axis, weights)
    types = [operand_of(a).promoted, operand_of(weights).promoted]
    is_whole = not is_float(fn.result_type(types[0]))
    wide = np.result_type(*types, *(["f8"] if is_whole else []))
    total = fn.sum(fn.multiply(a, weights, dtype=wide), **options)
    scale = fn.sum(fn.broadcast_to(weights, np.shape(a)), **options, dtype=wide)
    found = total / scale
    return (found, scale) if returned else found


def _alike(shape: tuple[int, ...], axis: Any, weights: Any) -> Any:
    """Weights that broadcast to `shape`; NumPy's errors for other shapes."""
    if np.shape(weights) == shape:
        return weights
    if axis is None:
        refuse("np.average: axis has to be given where weights have another shape than the array")
    axes = [int(dim) for dim in np.atleast_1d(axis)]
    if any(not -len(shape) <= dim < len(shape) for dim in axes):
        refuse(f"np.average: axis {axis} is out of bounds for an array of {len(shape)} dims")
    axes = [dim % len(shape) for dim in axes]
    wanted = tuple(shape[dim] for dim in axes)
    if np.shape(weights) != wanted:
        refuse(f"np.average: weights have shape {np.shape(weights)}, along axis it is {wanted}")
    if not isinstance(weights, TracedArray):
        weights = np.asarray(weights)
    ordered = fn.transpose(weights, np.argsort(axes).tolist())
    return fn.reshape(ordered, [n if dim in axes else 1 for dim, n in enumerate(shape)])
