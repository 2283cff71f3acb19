"""Element types of dtypes, and the facts about an argument that NumPy's promotion needs."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from xdsl.dialects.builtin import IntegerType, Signedness, bf16, f16, f32, f64, i1
from xdsl.ir import Attribute

from snippets_mlir.dialects.builtin.dtypes import is_bfloat16
from snippets_mlir.support.errors import CompileError

_FLOATS: dict[str, Attribute] = {"float16": f16, "float32": f32, "float64": f64}


@cache
def element_of(dtype: np.dtype[Any]) -> Attribute:
    """The element type of a dtype.

    Raises:
        CompileError: kernels have no such elements.
    """
    if dtype.kind == "b":
        return i1
    if dtype.kind == "i":
        return IntegerType(dtype.itemsize * 8)
    if dtype.kind == "u":
        return IntegerType(dtype.itemsize * 8, Signedness.UNSIGNED)
    if is_bfloat16(dtype):
        return bf16
    if (found := _FLOATS.get(dtype.name)) is None:
        raise CompileError(f"arrays of {dtype} are not compiled: expected bool, integers or floats")
    return found


def python_type(leaf: object) -> type[int | float] | None:
    """`int` or `float` for a Python number, which takes the type of the array beside it."""
    if isinstance(leaf, bool | np.generic):
        return None
    if isinstance(leaf, int):
        return int
    return float if isinstance(leaf, float) else None
