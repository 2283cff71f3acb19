"""The executors of a program's steps beside its kernels, in its cache entry.

    [{"kind": "onnxruntime", "bytes": 512}, {"kind": "reference", "bytes": 180}]

A session is stored as the serialised model that it was opened on, and is opened again on it. A
NumPy step is stored as the text of its function; it is parsed at the first call that runs it, since
parsing needs xDSL.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypedDict

from snippets_mlir.driver.compiling import COMPILING
from snippets_mlir.runtime.arguments.arrays import Array
from snippets_mlir.runtime.engine.opening import open_session
from snippets_mlir.runtime.engine.sessions import Session

if TYPE_CHECKING:
    from snippets_mlir.runtime.program import Executor

DIALECTS = ("snippets.", "stablehlo.", "chlo.", "func.", "builtin.")
"""Dialects that every process can read; ops of plug-ins are not kept."""


class ExecutorData(TypedDict):
    """One executor: `onnxruntime` or `reference`, and how many bytes it has in the entry."""

    kind: str
    bytes: int


class ReadLater:
    """The steps of a function of ops that NumPy evaluates, which is text until the first call."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._run: Executor | None = None

    def __call__(self, arrays: Sequence[Array]) -> Sequence[Array]:
        """Evaluate the ops on arrays."""
        if self._run is None:
            with COMPILING:
                self._run = _executor_of(self._text)
        return self._run(arrays)


def _executor_of(text: str) -> Executor:
    from xdsl.dialects.func import FuncOp

    from snippets_mlir.driver.settings import default_context
    from snippets_mlir.runtime.engine.executors import make_executor
    from snippets_mlir.support.parsing import parse_module

    (function,) = parse_module(text, default_context(), "<program cache>").ops
    assert isinstance(function, FuncOp)
    return make_executor(function)


def kept_executors(executors: Sequence[Executor]) -> list[tuple[ExecutorData, bytes]] | None:
    """The executors of a program as data; None if one cannot be stored."""
    found: list[tuple[ExecutorData, bytes]] = []
    for executor in executors:
        kind, data = _data_of(executor)
        if not data:
            return None
        found.append(({"kind": kind, "bytes": len(data)}, data))
    return found


def _data_of(executor: Executor) -> tuple[str, bytes]:
    if isinstance(executor, Session):
        return "onnxruntime", b"" if executor.weights else executor.model or b""
    if isinstance(executor, ReadLater):
        return "reference", b""  # it is in an entry already
    from snippets_mlir.runtime.engine.executors import Evaluated

    if not isinstance(executor, Evaluated):
        return "", b""
    names = (op.name for op in executor.function.walk())
    known = all(name.startswith(DIALECTS) for name in names)
    return "reference", executor.text().encode() if known else b""


def opened_executors(
    told: Sequence[ExecutorData], data: memoryview, threads: int
) -> list[Executor]:
    """The executors of an entry, which are one after the other in `data`.

    Raises some exception for data that `kept_executors` would not produce.
    """
    at = 0
    found: list[Executor] = []
    for executor in told:
        part = bytes(data[at : at + executor["bytes"]])
        if executor["bytes"] <= 0 or len(part) != executor["bytes"]:
            raise ValueError("an executor that is cut off")
        at += executor["bytes"]
        match executor["kind"]:
            case "onnxruntime":
                session = open_session(part, threads)
                session.model = part
                found.append(session)
            case "reference":
                found.append(ReadLater(part.decode()))
            case kind:
                raise ValueError(f"an executor of kind {kind!r}")
    return found
