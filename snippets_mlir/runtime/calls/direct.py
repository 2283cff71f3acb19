"""The fast path of a call: arrays go to a network unchanged.

    direct = direct_call(program, outputs)    None if there is no fast path
    direct.call((x, y), out)                  the result, or None: nothing was done

The machine code of the network (`codegen/stubs/call.py`) checks the arrays and runs the steps,
which takes a few hundred nanoseconds per call. Arguments that it does not accept (a strided input,
a list, another dtype, an output that overlaps an input) take the checked path of
`TensorProgram.execute`, which copies them or raises an error.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import prod
from typing import Any

import numpy as np

from snippets_mlir.runtime.arguments.arrays import Array, TensorSpec
from snippets_mlir.runtime.arguments.c_function import TAKEN
from snippets_mlir.runtime.program import Program


class DirectCall:
    """The fast path of one program; made by `direct_call`."""

    __slots__ = ("_elsewhere", "_fills", "_fresh", "_run")

    def __init__(self, program: Program, fresh: Callable[[], Any]) -> None:
        self._fills = program.fills_outputs
        self._run = program.first_network().run if self._fills else program.call_once
        self._elsewhere = program.call
        self._fresh = fresh

    def call(self, inputs: tuple[object, ...], out: Any) -> Any:
        """The results, or None: nothing was done.

        Args:
            inputs: the inputs of the program.
            out: an array, or a list or tuple of them; None for new ones.
        """
        if out is not None and not self._fills:  # Python compares sizes when they are known
            return None
        given: object
        given = self._fresh() if out is None else tuple(out) if out.__class__ is list else out
        found = self._run(inputs, given)
        if found is TAKEN:
            found = self._elsewhere(inputs, given)
        return found[0] if found.__class__ is tuple and len(found) == 1 else found


def _makers(program: Program, outputs: Sequence[TensorSpec]) -> Callable[[], Any]:
    """The functions that make new outputs of known sizes: small ones come directly from NumPy."""
    makers: list[Callable[[], Array]] = []
    for index in program.form.filled:
        spec = outputs[index]
        shape = spec.static_shape
        is_large = prod(shape) * spec.dtype.itemsize >= program.pool.large
        makers.append(partial(program.pool.empty if is_large else np.empty, shape, spec.dtype))
    if len(makers) == 1 == len(outputs):
        return makers[0]
    return lambda: tuple([make() for make in makers])


def direct_call(program: Program, outputs: Sequence[TensorSpec]) -> DirectCall | None:
    """The fast path for `program`, or None if there is none.

    `outputs` have static shapes, except unsized ones (`unsized.py`).
    """
    if not outputs or not program.has_table:
        return None
    return DirectCall(program, _makers(program, outputs))
