"""The short way through a call of a program that is one session.

    call = EngineCall(session, inputs)
    call.call((x, y), None)       the results, or None: nothing was done

Arrays of the right class, element type and static dims go to onnxruntime as they are; everything
else takes the checked way of `Program.run`, which copies, or says what is wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from snippets_mlir.runtime.arrays import Array, TensorSpec
from snippets_mlir.runtime.program import Program
from snippets_mlir.runtime.sessions import Session


class EngineCall:
    """The short way of one program; `DirectCall` is that of a program of kernels."""

    __slots__ = ("_inputs", "_run", "_single")

    def __init__(self, session: Session, inputs: Sequence[TensorSpec]) -> None:
        self._run = session.run
        self._single = len(session.outputs) == 1
        self._inputs = [
            (
                spec.name,
                spec.dtype,
                None if spec.shape is None else len(spec.shape),
                [(i, s) for i, s in enumerate(spec.shape or ()) if s is not None],
            )
            for spec in inputs
        ]

    def call(self, inputs: tuple[object, ...], out: object) -> Any:
        """What the program computes, or None: then nothing was done.

        Args:
            inputs: what the program is called with.
            out: None; outputs of the caller take the checked way.

        Raises:
            ValueError: onnxruntime refuses the arrays.
        """
        if out is not None or len(inputs) != len(self._inputs):
            return None
        feed: dict[str, Any] = {}
        for (name, dtype, rank, static), array in zip(self._inputs, inputs, strict=True):
            if type(array) is not np.ndarray:
                return None
            given = cast("Array", array)
            shape, flags = given.shape, given.flags
            if given.dtype is not dtype or (rank is not None and len(shape) != rank):
                return None
            if not (flags.c_contiguous and flags.aligned):
                return None
            for i, size in static:
                if shape[i] != size:
                    return None
            feed[name] = given
        results = self._run(feed)
        return results[0] if self._single else tuple(results)


def engine_call(program: Program, inputs: Sequence[TensorSpec]) -> EngineCall | None:
    """The short way of a program that is one session on its inputs and outputs, else None."""
    manifest = program.manifest
    if len(manifest["steps"]) != 1 or not program.executors:
        return None
    (step,), (session,) = manifest["steps"], program.executors.values()
    values = [[v["value"] for v in manifest["inputs"]], [v["value"] for v in manifest["outputs"]]]
    if not isinstance(session, Session) or values != [step["inputs"], step["outputs"]]:
        return None
    return EngineCall(session, inputs)
