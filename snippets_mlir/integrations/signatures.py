"""Signatures of callables for `snippets_mlir.jit`: functions, methods, ufuncs, partial objects.

jit(np.exp)                        (x, /)
jit(partial(np.sum, axis=0))       those of np.sum, without axis
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping
from inspect import Parameter, Signature
from typing import Any, cast

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


def places_of(function: Callable[..., Any], names: tuple[str, ...]) -> dict[int, str]:
    """The places at which a call may give arguments that have names, without those of `*args`."""
    given = {p.name: p for p in signature_of(function).parameters.values()}
    positional = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    return {i: n for i, n in enumerate(given) if n in names and given[n].kind in positional}


def name_of(function: Callable[..., Any]) -> str:
    """The name of a function in messages: its qualified name, else its text."""
    return getattr(function, "__qualname__", None) or getattr(function, "__name__", repr(function))


def is_named(function: Callable[..., Any]) -> bool:
    """Whether `pickle`, which asks for a reduction, finds a function by its module and name.

    Another process has another `__main__`: `cloudpickle`, as Dask and joblib use it, sends code.
    """
    module: str = getattr(function, "__module__", None) or ""
    if module == "__main__":
        pickler = sys._getframe(2)  # pyright: ignore[reportPrivateUsage]
        if "cloudpickle" in pickler.f_globals.get("__name__", ""):
            return False
    found: Any = sys.modules.get(module)
    for name in name_of(function).split("."):
        found = getattr(found, name, None)
    return found is function


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


def static_key(static: Mapping[str, Any]) -> tuple[Any, ...]:
    """A key for static arguments, which tells apart equal numbers: 1, 1.0 and True, 0.0 and -0.0.

    Raises:
        TypeError: a value cannot be a key.
    """
    for name, value in static.items():
        try:
            hash(value)
        except TypeError as error:
            raise TypeError(f"the static argument '{name}' cannot be a key: {error}") from None
    return tuple((name, _exact(value)) for name, value in static.items())


def _exact(value: Any) -> tuple[Any, ...]:
    """The class of a value, and what tells it apart from others of the class."""
    kind: type[Any] = value.__class__
    if isinstance(value, tuple):
        return (kind, *map(_exact, cast("tuple[Any, ...]", value)))
    return kind, repr(value) if issubclass(kind, float | complex | np.inexact) else value
