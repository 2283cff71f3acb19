"""The fast path of a call of a program that is one session.

    call = EngineCall(session, inputs)
    call.call((x, y), None)                 the results, or None: nothing was done
    call.call_named({"x": x, "y": y})       the results by name, or None

Dense arrays of the right class and element type go to onnxruntime unchanged; everything else takes
the checked path of `Program.run`, which copies or raises an error.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from numpy import ndarray
from typing_extensions import override

from snippets_mlir.codegen.locks import ENGINE
from snippets_mlir.runtime.arguments.arrays import TensorSpec
from snippets_mlir.runtime.engine.bf16_runs import has_bf16
from snippets_mlir.runtime.engine.sessions import Session
from snippets_mlir.runtime.program import Program

DENSE = 0x101
"""`NPY_ARRAY_C_CONTIGUOUS` and `NPY_ARRAY_ALIGNED` of NumPy's C interface, in `flags.num`."""


class EngineCall:
    """The fast path of one program; `DirectCall` is the fast path of a program of kernels.

    Python code that runs after a session is cold and takes three times as long as in a loop. So
    onnxruntime checks the shapes: it refuses shapes that the model does not have. For the same
    reason `Session.run` is inlined here.
    """

    __slots__ = ("_count", "_inputs", "_names", "_outputs", "_session", "_single")

    def __init__(
        self, session: Session, inputs: Sequence[TensorSpec], names: Sequence[str]
    ) -> None:
        self._session = session
        self._outputs = session.outputs
        self._names = tuple(names)
        self._single = len(session.outputs) == 1
        self._count = len(inputs)
        self._inputs = tuple((spec.name, spec.dtype) for spec in inputs)

    def call(self, inputs: tuple[Any, ...], out: object) -> Any:
        """The results, or None: the checked path then reports the error.

        Args:
            inputs: the arguments of the call.
            out: None; outputs of the caller take the checked path.
        """
        session = self._session
        if out is not None or len(inputs) != self._count or session.renew is not None:
            return None
        feed: dict[str, Any] = {**session.tables}
        for array, (name, dtype) in zip(inputs, self._inputs, strict=True):
            if type(array) is not ndarray or (array.dtype is not dtype and array.dtype != dtype):
                return None
            if array.flags.num & DENSE != DENSE:
                return None
            feed[name] = array
        try:
            results = ENGINE.run(session.run_named, self._outputs, feed, None)
        except Exception:  # onnxruntime has an exception class per status code
            return None
        return results[0] if self._single else tuple(results)

    def call_named(self, feed: Mapping[str, Any]) -> dict[str, Any] | None:
        """The outputs of the program by name, or None as for `call`.

        Args:
            feed: the program's inputs by name; onnxruntime takes the dict directly.
        """
        session = self._session
        if feed.__class__ is not dict or len(feed) != self._count or session.renew is not None:
            return None
        for name, dtype in self._inputs:
            array = feed.get(name)
            if type(array) is not ndarray or (array.dtype is not dtype and array.dtype != dtype):
                return None
            if array.flags.num & DENSE != DENSE:
                return None
        if session.tables:
            feed = {**session.tables, **feed}
        try:
            results = ENGINE.run(session.run_named, self._outputs, feed, None)
        except Exception:  # onnxruntime has an exception class per status code
            return None
        return dict(zip(self._names, results, strict=True))


class EngineCallFor(EngineCall):
    """The fast path of a session for calls of some shapes, beside kernels for other shapes."""

    __slots__ = ("_shapes",)

    def __init__(
        self,
        session: Session,
        inputs: Sequence[TensorSpec],
        names: Sequence[str],
        shapes: Sequence[tuple[int, ...]],
    ) -> None:
        super().__init__(session, inputs, names)
        self._shapes = shapes

    @override
    def call(self, inputs: tuple[Any, ...], out: object) -> Any:
        """See `EngineCall`; also None for other shapes."""
        for array, shape in zip(inputs, self._shapes, strict=False):  # the count is checked next
            if type(array) is not ndarray or array.shape != shape:
                return None
        return super().call(inputs, out)

    @override
    def call_named(self, feed: Mapping[str, Any]) -> dict[str, Any] | None:
        """See `EngineCall`; also None for other shapes."""
        if feed.__class__ is not dict:
            return None
        for (name, _), shape in zip(self._inputs, self._shapes, strict=True):
            array = feed.get(name)
            if type(array) is not ndarray or array.shape != shape:
                return None
        return super().call_named(feed)


def only_session(program: Program) -> Session | None:
    """The session that is a whole program, on its inputs and outputs in order, else None."""
    manifest = program.manifest
    if len(manifest["steps"]) != 1 or not program.executors:
        return None
    (step,), (session,) = manifest["steps"], program.executors.values()
    values = [[v["value"] for v in manifest["inputs"]], [v["value"] for v in manifest["outputs"]]]
    is_whole = values == [step["inputs"], step["outputs"]]
    return session if isinstance(session, Session) and is_whole else None


def engine_call(
    program: Program,
    inputs: Sequence[TensorSpec],
    shapes: Sequence[tuple[int, ...]] | None = None,
) -> EngineCall | None:
    """The fast path of a program that is one session on its inputs and outputs, else None.

    Results of bf16, which `Session.run` copies, take the checked path.

    Args:
        program: the program.
        inputs: the announced inputs.
        shapes: the shapes that it is for; None for all shapes.
    """
    session = only_session(program)
    if session is None or has_bf16(session.types, {}):
        return None
    names = [v["name"] for v in program.manifest["outputs"]]
    if shapes is None:
        return EngineCall(session, inputs, names)
    return EngineCallFor(session, inputs, names, shapes)
