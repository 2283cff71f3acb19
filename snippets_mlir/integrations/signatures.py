"""Signatures of callables for `snippets_mlir.jit`: functions, methods, ufuncs, partial objects.

jit(np.exp)                        (x, /)
jit(partial(np.sum, axis=0))       those of np.sum, without axis
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from inspect import Parameter, Signature
from typing import Any

import numpy as np


def signature_of(function: Callable[..., Any]) -> Signature:
    """The parameters of a function; a ufunc has its inputs, and no `out` or `where`.

    Raises:
        TypeError: the parameters are unknown, as for some functions in C.
    """
    if isinstance(function, np.ufunc):
        names = ["x"] if function.nin == 1 else [f"x{i + 1}" for i in range(function.nin)]
        return Signature([Parameter(name, Parameter.POSITIONAL_ONLY) for name in names])
    try:
        return inspect.signature(function)
    except ValueError:
        raise TypeError(
            f"jit: nothing tells the parameters of {function!r:.80}; wrap it: lambda x: ..."
        ) from None


def name_of(function: Callable[..., Any]) -> str:
    """The name of a function in messages: its qualified name, else its text."""
    return getattr(function, "__qualname__", None) or getattr(function, "__name__", repr(function))


def bound_arguments(
    signature: Signature, static: tuple[str, ...], args: Any, kwargs: Any
) -> dict[str, Any]:
    """The arguments of a call by name, with the defaults of those that are static.

    Other defaults are constants: the function takes them by itself.

    Raises:
        TypeError: the function does not take such arguments.
    """
    bound = signature.bind(*args, **kwargs)
    given = dict(bound.arguments)
    bound.apply_defaults()
    return {
        name: value for name, value in bound.arguments.items() if name in given or name in static
    }
