"""The result of `lower` of a traced function: its module, and the data needed to call it.

lowered = snippets_mlir.jit(lambda x: x + 1).lower(x)
lowered.ir("lir")
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from snippets_mlir.driver import Compiled, compile


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
        """The text at a stage: `graph`, or one of `Kernel.ir`, kernel by kernel."""
        if stage == "graph":
            return self.text
        return "\n".join(kernel.ir(stage) for kernel in self.compile().kernels)

    def explain(self) -> str:
        """A line for each kernel with its ops, and for each op beside kernels with the reason."""
        program = self.compile()
        lines = [f"kernel {k.name}: {', '.join(k.ops)}" for k in program.kernels]
        lines += [f"{op}{f' {name}' if name else ''}: {why}" for op, name, why in program.opaque]
        return "\n".join(lines)
