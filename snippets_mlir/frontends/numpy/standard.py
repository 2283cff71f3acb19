"""The compiled part of the Array API standard: the table of docs/array-api.md.

`NAMES` are the names that array-api-strict exports. A function is compiled if it is an op, a
formula or a function of traced values. It makes a constant if none of its arguments is an array.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

NAMES = """
    abs acos acosh add all any arange argmax argmin argsort asarray asin asinh astype atan
    atan2 atanh bitwise_and bitwise_invert bitwise_left_shift bitwise_or bitwise_right_shift
    bitwise_xor bool broadcast_arrays broadcast_shapes broadcast_to can_cast ceil clip
    complex128 complex64 concat conj copysign cos cosh count_nonzero cumulative_prod
    cumulative_sum diff divide e empty empty_like equal exp expand_dims expm1 eye finfo flip
    float32 float64 floor floor_divide from_dlpack full full_like greater greater_equal
    hypot iinfo imag inf int16 int32 int64 int8 isdtype isfinite isin isinf isnan less
    less_equal linspace log log10 log1p log2 logaddexp logical_and logical_not logical_or
    logical_xor matmul matrix_transpose max maximum mean meshgrid min minimum moveaxis
    multiply nan negative newaxis nextafter nonzero not_equal ones ones_like permute_dims pi
    positive pow prod real reciprocal remainder repeat reshape result_type roll round
    searchsorted sign signbit sin sinh sort sqrt square squeeze stack std subtract sum take
    take_along_axis tan tanh tensordot tile tril triu trunc uint16 uint32 uint64 uint8
    unique_all unique_counts unique_inverse unique_values unstack var vecdot where zeros
    zeros_like
""".split()

_CONSTANTS = (
    "arange empty eye full linspace ones zeros asarray from_dlpack finfo iinfo isdtype can_cast "
    "result_type broadcast_shapes"
).split()


def _take(x: Any, indices: Any, /, *, axis: int | None = None) -> Any:
    """The elements of `x` at places along a dim; the places may be traced where `x` is not.

    NumPy only checks the array for its own function.
    """
    from snippets_mlir.frontends.numpy.arrays import TracedArray
    from snippets_mlir.frontends.numpy.functions import TABLE

    if isinstance(indices, TracedArray):
        return TABLE["take"](x, indices, axis)
    return np.take(x, indices, axis)


OWN: dict[str, Callable[..., Any]] = {"take": _take}
"""Functions that stand for NumPy's in `snippets_mlir.xp`."""

STANDINGS = {
    "compiled": "compiled",
    "constant": "computed while tracing: it has no traced argument, and its result is a constant",
    "name": "dtypes and constants, as NumPy has them",
    "refused": "refused, with the line of the user's file",
}


def standing(name: str) -> str:
    """A key of `STANDINGS`."""
    from snippets_mlir.frontends.numpy.functions import TABLE
    from snippets_mlir.frontends.numpy.products import GENERALIZED
    from snippets_mlir.frontends.numpy.ufuncs import FORMULAS, NAMED

    found = getattr(np, name, None)
    if name == "newaxis" or isinstance(found, type | float):
        return "name"
    word = getattr(found, "__name__", name)
    if isinstance(found, np.ufunc):
        known = word in NAMED or word in FORMULAS or word in GENERALIZED
    else:
        known = word in TABLE
    if known:
        return "compiled"
    return "constant" if name in _CONSTANTS else "refused"
