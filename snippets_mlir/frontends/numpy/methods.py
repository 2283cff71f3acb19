"""The methods of traced arrays: NumPy's functions of the same names, and methods that differ.

x.reshape(4, -1, order="F")        np.reshape(x, (4, -1), order="F")
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np

from snippets_mlir.frontends.numpy import shapes
from snippets_mlir.frontends.numpy.arrays import TracedArray, fn
from snippets_mlir.frontends.numpy.functions import result_of
from snippets_mlir.frontends.numpy.trace import refuse


def _copied(a: TracedArray, order: str = "C") -> TracedArray:
    """The array itself; an order in memory is not a traced value's."""
    return a


def _astype(
    a: TracedArray,
    dtype: Any,
    order: str = "K",
    casting: Any = "unsafe",
    subok: bool = True,
    copy: bool = True,
) -> TracedArray:
    """With the options of the method; a traced result has no memory order and no class."""
    if not np.can_cast(a.dtype, np.dtype(dtype), casting):
        refuse(f"{a.dtype} cannot be cast to {np.dtype(dtype)} by the rule '{casting}'")
    return shapes.TABLE["astype"](a, dtype)


def _method_reshape(a: TracedArray, *shape: Any, order: str = "C") -> TracedArray:
    return fn.reshape(a, shape[0] if len(shape) == 1 else shape, order=order)


def _method_transpose(a: TracedArray, *axes: Any) -> TracedArray:
    given = cast(Any, axes[0] if len(axes) == 1 and isinstance(axes[0], tuple | list) else axes)
    return fn.transpose(a, given or None)


def _method(name: str) -> Any:
    def method(a: TracedArray, *args: Any, **kwargs: Any) -> Any:
        return getattr(np, name)(a, *args, **kwargs)

    return method


def _checked(name: str, function: Callable[..., Any]) -> Any:
    """A method whose arguments no NumPy function checks."""

    def method(a: TracedArray, *args: Any, **kwargs: Any) -> Any:
        return result_of(f"{name} of arrays", function, (a, *args), kwargs)

    return method


_SAME = (
    "all any argmax argmin clip cumprod cumsum diagonal dot max mean min prod "
    "repeat round searchsorted squeeze std sum swapaxes take trace var"
).split()
METHODS: dict[str, Any] = {
    **{name: _method(name) for name in _SAME},
    "astype": _checked("astype", _astype),
    "conj": _checked("conj", shapes.same),
    "conjugate": _checked("conjugate", shapes.same),
    "copy": _checked("copy", _copied),
    "flatten": _checked("flatten", shapes.TABLE["ravel"]),
    "ravel": _checked("ravel", shapes.TABLE["ravel"]),
    "reshape": _checked("reshape", _method_reshape),
    "transpose": _checked("transpose", _method_transpose),
}
"""Methods of arrays."""
