"""The functions of the Array API standard for code that `snippets_mlir.jit` traces.

    import snippets_mlir.xp as xp

    @snippets_mlir.jit
    def f(x):
        return xp.exp(x) / xp.sum(xp.exp(x), axis=-1, keepdims=True)

They are NumPy's, which follows the standard from version 2 on: on arrays they compute, on traced
values they are compiled or refused (docs/numpy.md). `x.__array_namespace__()` of a traced value is
this module.
"""

from typing import Any

import numpy as np


def __getattr__(name: str) -> Any:
    """The function, dtype or constant of NumPy with a name of the standard."""
    from snippets_mlir.frontends.numpy.standard import NAMES, OWN

    if name in OWN:
        return OWN[name]
    if name in NAMES and hasattr(np, name):
        return getattr(np, name)
    raise AttributeError(f"the Array API has no {name!r}, or NumPy does not have it")


def __dir__() -> list[str]:
    """The names of the standard."""
    from snippets_mlir.frontends.numpy.standard import NAMES

    return [name for name in NAMES if hasattr(np, name)]
