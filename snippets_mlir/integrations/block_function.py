"""A function of NumPy arrays as modules for the shapes of blocks, which travel to workers as text.

    traced = trace_blocks(lambda x: x * 2, [((64, 8),), ((10, 8),)], [dtype], {})
    traced.function(block)  # on any worker, after it was pickled

The function is traced where the graph is made, once for each tuple of shapes, so a worker needs
neither the function nor its modules, and what cannot be compiled is an error with the user's line
before anything runs. A process compiles a text once, or finds the program in the cache on disk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, cast

import numpy as np

from snippets_mlir.codegen.locks import COMPILING
from snippets_mlir.driver import Compiled, compile
from snippets_mlir.integrations.numpy_functions import JitFunction
from snippets_mlir.support.errors import CompileError

Shape = tuple[int, ...]

_PROGRAMS: dict[Any, Compiled] = {}


class BlockFunction:
    """Programs for some shapes of blocks, called with arrays of these shapes.

    Attributes:
        texts: the shapes of the arguments -> the module at the graph level.
        options: of `compile`.
    """

    def __init__(self, texts: Mapping[tuple[Shape, ...], str], options: Mapping[str, Any]) -> None:
        self.texts, self.options = dict(texts), dict(options)

    def __dask_tokenize__(self) -> Any:
        """What names of tasks depend on."""
        return type(self).__qualname__, sorted(self.texts.items()), sorted(self.options.items())

    def __call__(self, *blocks: Any) -> Any:
        """The results of the program for these shapes: an array, or a tuple of them.

        Raises:
            CompileError: no module was traced for these shapes.
        """
        arrays = [np.asarray(block) for block in blocks]
        shapes = tuple(array.shape for array in arrays)
        if shapes not in self.texts:
            raise CompileError(
                f"blocks of shapes {shapes} do not have the chunk sizes that their arrays state"
            )
        return _program(self.texts[shapes], self.options)(*arrays)


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
        CompileError: what cannot be traced, with the user's file and line.
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


def _program(text: str, options: Mapping[str, Any]) -> Compiled:
    """The program of this process for a text, compiled by the first thread that needs it."""
    key = text, tuple(sorted(options.items()))
    program = _PROGRAMS.get(key)
    if program is None:
        with COMPILING:
            program = _PROGRAMS.get(key)
            if program is None:
                program = _PROGRAMS[key] = compile(text, **options)
    return program
