"""The fast path of a call of a program that is one session.

    call = EngineCall(session, inputs)
    call.call((x, y), None)                 the results, or None: nothing was done
    call.call_named({"x": x, "y": y})       the results by name, or None

Dense arrays of the right class and element type go to onnxruntime unchanged; everything else takes
the checked path of `Program.run`, which copies or raises an error.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from numpy import dtype, ndarray

from snippets_mlir.codegen.locks import ENGINE
from snippets_mlir.runtime.arguments.arrays import TensorSpec
from snippets_mlir.runtime.engine.bf16_runs import has_bf16
from snippets_mlir.runtime.engine.sessions import Session
from snippets_mlir.runtime.program import Program

Specs = tuple[tuple[str, dtype[Any], tuple[int, ...] | None], ...]
"""The name and element type of each input, and its only shape to take."""

DENSE = 0x101
"""`NPY_ARRAY_C_CONTIGUOUS` and `NPY_ARRAY_ALIGNED` of NumPy's C interface, in `flags.num`."""


class EngineCall:
    """The fast path of one program; `DirectCall` is the fast path of a program of kernels.

    Python code that runs after a session is cold and takes three times as long as in a loop. So
    onnxruntime checks the shapes: it refuses shapes that the model does not have. For the same
    reason both forms of a call are closures without calls of their own, and `Session.run` is
    inlined in them.

    Attributes:
        call: takes the arguments of a call and its `out`, and returns the results, or None:
            nothing was done, and the checked path reports the error. Outputs of the caller take the
            checked path.
        call_named: takes the program's inputs by name, which may be the caller's dict, and returns
            the outputs by name, or None.
    """

    __slots__ = ("call", "call_named")

    def __init__(
        self,
        session: Session,
        inputs: Sequence[TensorSpec],
        names: Sequence[str],
        shapes: Sequence[tuple[int, ...]] | None = None,
    ) -> None:
        """For a session.

        Args:
            session: it is the whole program.
            inputs: the announced inputs, in the order of the session's.
            names: the names of the program's outputs, in the order of the session's.
            shapes: the only input shapes to take, beside kernels for other shapes; None for all.
        """
        known = shapes or (None,) * len(inputs)
        specs = tuple((i.name, i.dtype, s) for i, s in zip(inputs, known, strict=True))
        self.call = _by_place(session, specs)
        self.call_named = _by_name(session, specs, names)


def _by_place(session: Session, specs: Specs) -> Callable[[tuple[Any, ...], object], Any]:
    count, wanted, is_single = len(specs), session.outputs, len(session.outputs) == 1

    def call(inputs: tuple[Any, ...], out: object) -> Any:
        if out is not None or len(inputs) != count or session.renew is not None:
            return None
        feed: dict[str, Any] = {**session.tables}
        for array, (name, kind, shape) in zip(inputs, specs):
            if type(array) is not ndarray or (array.dtype is not kind and array.dtype != kind):
                return None
            if array.flags.num & DENSE != DENSE or (shape is not None and array.shape != shape):
                return None
            feed[name] = array
        try:
            results = ENGINE.run_three(session.run_named, wanted, feed, None)
        except Exception:  # onnxruntime has an exception class per status code
            return None
        return results[0] if is_single else tuple(results)

    return call


def _by_name(
    session: Session, specs: Specs, names: Sequence[str]
) -> Callable[[Any], dict[str, Any] | None]:
    count, wanted = len(specs), session.outputs
    only = names[0] if len(names) == 1 else None

    def call_named(feed: Any) -> dict[str, Any] | None:
        if feed.__class__ is not dict or len(feed) != count or session.renew is not None:
            return None
        for name, kind, shape in specs:
            array = feed.get(name)
            if type(array) is not ndarray or (array.dtype is not kind and array.dtype != kind):
                return None
            if array.flags.num & DENSE != DENSE or (shape is not None and array.shape != shape):
                return None
        if session.tables:
            feed = {**session.tables, **feed}
        try:
            results = ENGINE.run_three(session.run_named, wanted, feed, None)
        except Exception:  # onnxruntime has an exception class per status code
            return None
        if only is not None:
            return {only: results[0]}
        return dict(zip(names, results))  # `strict` takes almost a microsecond here

    return call_named


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
    return EngineCall(session, inputs, names, shapes)
