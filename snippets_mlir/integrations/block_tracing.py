"""Tracing of functions of NumPy arrays for the shapes of blocks.

    traced = trace_blocks(lambda x: x * 2, [((64, 8),), ((10, 8),)], [dtype], {})
    traced.function(block)  # on any worker, after it was pickled

The function is traced when the graph is made, once for each tuple of shapes. So code that cannot be
compiled is an error with the user's line before anything runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, cast

import numpy as np

from snippets_mlir.integrations.block_function import BlockFunction, Shape
from snippets_mlir.integrations.numpy_functions import JitFunction
from snippets_mlir.support.errors import CompileError


class Traced(NamedTuple):
    """A function on blocks, with the types of its results.

    Attributes:
        function: to be called with blocks.
        results: the shapes of the arguments -> the shapes of the results.
        dtypes: of the results.
    """

    function: BlockFunction
    results: dict[tuple[Shape, ...], tuple[Shape, ...]]
    dtypes: tuple[np.dtype[Any], ...]


def trace_blocks(
    function: Callable[..., Any],
    shapes: Iterable[tuple[Shape, ...]],
    dtypes: Sequence[np.dtype[Any]],
    options: Mapping[str, Any],
) -> Traced:
    """Trace a function for each tuple of shapes of its arguments.

    Args:
        function: of arrays; it returns an array, or a tuple of them.
        shapes: the shapes of its arguments, for all combinations of blocks.
        dtypes: of its arguments.
        options: of `compile`.

    Raises:
        CompileError: the function cannot be traced; with the user's file and line.
    """
    types: list[tuple[Shape, np.dtype[Any]]] = []

    def noted(*blocks: Any) -> Any:
        returned: Any = function(*blocks)
        values = cast("tuple[Any, ...]", returned if isinstance(returned, tuple) else (returned,))
        for value in values:
            if not hasattr(value, "shape"):
                raise CompileError(
                    "a function of blocks has to return an array or a tuple of arrays, "
                    f"found {type(value).__name__}"
                )
        types[:] = [(tuple(v.shape), np.dtype(v.dtype)) for v in values]
        return cast(Any, returned)

    lowered = JitFunction(noted, (), options)
    texts: dict[tuple[Shape, ...], str] = {}
    results: dict[tuple[Shape, ...], tuple[Shape, ...]] = {}
    found: tuple[np.dtype[Any], ...] = ()
    for place in shapes:
        # Only shapes and dtypes are read: an array of one element stands for each block.
        blocks = [
            np.broadcast_to(np.ones((), dtype), shape)
            for shape, dtype in zip(place, dtypes, strict=True)
        ]
        texts[place] = lowered.lower(*blocks).text
        results[place] = tuple(shape for shape, _ in types)
        found = tuple(dtype for _, dtype in types)
    return Traced(BlockFunction(texts, options), results, found)
