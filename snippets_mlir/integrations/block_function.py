"""A function of NumPy arrays as modules for block shapes, sent to workers as text.

    function = BlockFunction({((64, 8),): "func.func @main(...", ...}, {"num_threads": 1})
    function(block)  # on any worker, after it was pickled

A worker needs neither the function nor its modules. A process compiles a text once, or finds the
program in the cache on disk. In the latter case it does not import the compiler, so this module
does not import it, either. `block_tracing.py` makes the texts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from snippets_mlir.codegen.locks import COMPILING
from snippets_mlir.driver import Compiled, compile
from snippets_mlir.integrations.byte_order import native
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
        """The data that the names of Dask tasks depend on."""
        return type(self).__qualname__, sorted(self.texts.items()), sorted(self.options.items())

    def __call__(self, *blocks: Any) -> Any:
        """The results of the program for these shapes: an array, or a tuple of them.

        Raises:
            CompileError: no module was traced for these shapes.
        """
        arrays = [native(block) for block in blocks]
        shapes = tuple(array.shape for array in arrays)
        if shapes not in self.texts:
            raise CompileError(
                f"blocks of shapes {shapes} do not have the chunk sizes that their arrays state"
            )
        return _program(self.texts[shapes], self.options)(*arrays)


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
