"""The result of `lower` of a traced function: its module, and the data needed to call it.

lowered = snippets_mlir.jit(lambda x: x + 1).lower(x)
lowered.ir("lir")
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from snippets_mlir.driver import Compiled, compile
from snippets_mlir.frontends.numpy.arrays import TracedArray
from snippets_mlir.frontends.numpy.trace import Trace, refuse
from snippets_mlir.integrations.signatures import name_of
from snippets_mlir.support.errors import CompileError


class Lowered(NamedTuple):
    """A function as a module, for arguments of some shapes and dtypes.

    Attributes:
        text: the module at the graph level.
        names: the names of its arguments.
        results: the structure of the function's result, with an index of the module's results as
            each leaf.
        options: of `compile`.
        integers: the places of arguments that are Python's integers, and types they have to fit.
    """

    text: str
    names: tuple[str, ...]
    results: Any
    options: Mapping[str, Any]
    integers: frozenset[tuple[int, np.dtype[Any]]] = frozenset()

    def check(self, arguments: Sequence[Any]) -> None:
        """Raise OverflowError, as NumPy does, for an integer that is out of its type's bounds."""
        for place, dtype in self.integers:
            limits, given = np.iinfo(dtype), arguments[place]
            if not limits.min <= given <= limits.max:
                raise OverflowError(
                    f"{self.names[place]}: Python integer {given} out of bounds for {dtype.name}"
                )

    def compile(self) -> Compiled:
        """The compiled program of the traced function."""
        return compile(self.text, **self.options)

    def ir(self, stage: str = "graph") -> str:
        """The text at a stage: `graph`, or one of `Kernel.ir`, kernel by kernel.

        Without kernels, it is that of the whole program.
        """
        if stage == "graph":
            return self.text
        program = self.compile()
        return "\n".join(part.ir(stage) for part in program.kernels or [program])

    def explain(self) -> str:
        """A line for each kernel with its ops, and for each op beside kernels with the reason."""
        program = self.compile()
        lines = [f"kernel {k.name}: {', '.join(k.ops)}" for k in program.kernels]
        lines += [f"{op}{f' {name}' if name else ''}: {why}" for op, name, why in program.opaque]
        return "\n".join(lines)


def result_value(trace: Trace, leaf: Any, function: Callable[..., Any]) -> Any:
    """A leaf of the result of `function`, as a value of the module."""
    if isinstance(leaf, TracedArray):
        if leaf.within is not trace:
            refuse("the function returns a traced value of another function")
        return leaf.value
    if np.asarray(leaf).dtype.kind in "OUS":
        code = getattr(function, "__code__", None)
        raise CompileError(
            f"{name_of(function)} returns {type(leaf).__name__}, neither an array nor a number",
            file=getattr(code, "co_filename", None),
            line=getattr(code, "co_firstlineno", None),
        )
    return trace.constant(np.asarray(leaf))
