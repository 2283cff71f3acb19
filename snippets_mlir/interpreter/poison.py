"""Values with lanes that have no value: poison.

A lane is poison if an op gives it no value: the lanes of a masked load beyond its count in the
linear IR, `llvm.mlir.poison`, a float without an integer in `fptosi`, a shift by too much. Poison
spreads through arithmetic lane by lane, and is allowed if a select drops it. Storing it, branching
on it, using it as an address or folding it into one element is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from snippets_mlir.dialects.builtin.dtypes import Array
from snippets_mlir.support.errors import CompileError


@dataclass(frozen=True, eq=False)
class Poisoned:
    """An array of which some elements are poison.

    Attributes:
        data: the array; the values of poisoned elements have no meaning.
        lanes: bools of the same shape, at least one of them true: which elements are poison.
    """

    data: Array
    lanes: Array


def with_poison(data: Array, lanes: Array | None) -> Any:
    """`data` itself if no element of it is poison."""
    return data if lanes is None or not lanes.any() else Poisoned(data, lanes)


def data_of(value: Any) -> Array:
    """The array, with arbitrary values in the poisoned elements."""
    return value.data if isinstance(value, Poisoned) else value


def poison_of(value: Any) -> Array | None:
    """The mask of poisoned elements; None if there are none."""
    return value.lanes if isinstance(value, Poisoned) else None


def any_poison(values: Sequence[Any], shape: tuple[int, ...]) -> Array | None:
    """The mask of the lanes of `shape` in which some value is poison; None if there are none."""
    lanes: Array | None = None
    for value in values:
        if isinstance(value, Poisoned):
            own = np.broadcast_to(value.lanes, shape)
            lanes = own if lanes is None else lanes | own
    return lanes


def defined(value: Any, use: str) -> Array:
    """The array of a value without poison; CompileError when it has some.

    `use` names the value in the message, for example "a stored value".
    """
    if not isinstance(value, Poisoned):
        return cast(Array, value)
    first = int(np.flatnonzero(value.lanes.reshape(-1))[0])
    where = f"lane {first}" if value.lanes.ndim else "it"
    raise CompileError(f"{use} is poison: {where} was never given a value")


def lift(function: Callable[..., Array]) -> Callable[..., Any]:
    """`function` of arrays, element by element, as a function of values with poison."""

    def lifted(*values: Any) -> Any:
        result = np.asarray(function(*map(data_of, values)))
        return with_poison(result, any_poison(values, result.shape))

    return lifted
