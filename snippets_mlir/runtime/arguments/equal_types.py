"""Arrays whose element type equals the expected type but is another object.

    x = pickle.loads(pickle.dumps(np.ones(4, np.float32)))
    x.dtype == np.dtype("float32")    True
    x.dtype is np.dtype("float32")    False

The machine code of networks compares addresses of dtypes. It accepts a view of such an array with
the expected type. Such arrays come from other processes, for example, or are computed from those.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from snippets_mlir.runtime.arguments.arrays import Array, TensorSpec


def plain(array: Array, dtype: np.dtype[Any]) -> Array:
    """`array` as an `ndarray` with exactly the object `dtype`, by which networks identify types."""
    found = array if type(array) is np.ndarray else array.view(np.ndarray)
    return found if found.dtype is dtype or dtype.hasobject else found.view(dtype)


def of_very_types(specs: Sequence[TensorSpec], values: Sequence[object]) -> list[Array] | None:
    """`plain` of all `values`, if all are arrays of the dtypes of `specs`.

    None: some are not, or `plain` changes none of them. Subclasses are accepted if they change
    nothing about an array: arrays mapped from files.
    """
    if len(specs) != len(values):
        return None
    changed, found = False, list[Array]()
    for spec, value in zip(specs, values, strict=True):
        if value.__class__ is not np.ndarray and value.__class__ is not np.memmap:
            return None
        array = cast("Array", value)
        if array.dtype != spec.dtype:
            return None
        found.append(plain(array, spec.dtype))
        changed = changed or found[-1] is not array
    return found if changed else None
