"""The keys of a compiled NumPy function's programs: the properties of arguments it depends on.

    kind(np.ones((2, 3)))                 ((2, 3), "<f8", "float64")
    kind_of_any_size(np.ones((2, 3)))     (2, "<f8", "float64")
    kind(2.5)                             ("float",)

Short keys are for calls with only arrays: these look up their program in less than a microsecond.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from snippets_mlir.dialects.builtin.dtypes import Array


def short_key(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The shapes, dtypes and classes of arrays; an AttributeError for other arguments."""
    return tuple([(a.shape, a.dtype, a.__class__) for a in args])


def short_key_of_any_size(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """As `short_key`, with ranks in place of shapes; an AttributeError also for an array without
    elements.
    """
    return tuple([(0 if 0 in a.shape else 1 + a.ndim, a.dtype, a.__class__) for a in args])


def kind(leaf: Any) -> tuple[Any, ...]:
    """The properties of an argument that the module depends on: shape and dtype, or the class of a
    Python number.
    """
    if isinstance(leaf, np.ndarray | np.generic):
        array = cast(Array, leaf)
        if _has_operators(array.__class__):
            raise TypeError(
                f"expected arrays, found {array.__class__.__name__}, whose operators are not those "
                "of arrays; pass an array, such as np.asarray(x) or x.filled(0)"
            )
        return array.shape, array.dtype.str, array.dtype.name
    if isinstance(leaf, bool | int | float):
        return (type(leaf).__name__,)
    if hasattr(leaf, "__array__"):
        return kind(np.asarray(leaf))
    raise TypeError(
        "expected arrays, numbers, and tuples, lists or dicts of them, found "
        f"{type(leaf).__name__}; name other arguments in static_argnames"
    )


def _has_operators(found: Any) -> bool:
    """Whether a class has its own operators, like masked arrays and matrices."""
    if found is np.ndarray or not issubclass(found, np.ndarray):
        return False
    names = "__array_ufunc__", "__array_function__", "__mul__"
    return any(getattr(cast(Any, found), n) is not getattr(np.ndarray, n) for n in names)


def kind_of_any_size(leaf: Any) -> tuple[Any, ...]:
    """The properties that a module for any sizes depends on: `kind` with the rank in place of the
    shape.
    """
    found = kind(leaf)
    return found if len(found) == 1 else (np.ndim(leaf), *found[1:])
