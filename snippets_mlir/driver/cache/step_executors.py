"""The executors of a program's steps beside its kernels, in its cache entry.

    [{"kind": "onnxruntime", "bytes": 512}, {"kind": "reference", "bytes": 180}]

A session is stored as the serialised model that it was opened on, and later as onnxruntime has
optimized it (`engine_model.py`). A NumPy step is stored as the text of its function; it is parsed
at the first call that runs it, since parsing needs xDSL.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from snippets_mlir.codegen.cache import write_entry
from snippets_mlir.driver.cache.constant_files import constants_folder
from snippets_mlir.driver.cache.engine_model import (
    Opening,
    PartData,
    may_be_optimized,
    optimize_parts,
)
from snippets_mlir.driver.cache.entry_parts import with_executors
from snippets_mlir.driver.cache.optional_work import Stop, optionally
from snippets_mlir.driver.compiling import COMPILING
from snippets_mlir.runtime.arguments.arrays import Array
from snippets_mlir.runtime.engine.opening import Configure, open_optimized, open_session
from snippets_mlir.runtime.engine.sessions import Session

if TYPE_CHECKING:
    from snippets_mlir.driver.cache.program_header import Header
    from snippets_mlir.runtime.program import Executor

ENGINE = "onnxruntime"
"""The kind of sessions."""

DIALECTS = ("snippets.", "stablehlo.", "chlo.", "func.", "builtin.")
"""Dialects that every process can read; ops of plug-ins are not kept."""


class ExecutorData(PartData):
    """One executor: `onnxruntime` or `reference`, and its model or text in the entry."""

    kind: str


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
        told: ExecutorData = {
            "kind": kind,
            "bytes": len(data),
            "optimized": kind != ENGINE,  # there is nothing to optimize
            "reason": None,
        }
        found.append((told, data))
    return found


def _data_of(executor: Executor) -> tuple[str, bytes]:
    if isinstance(executor, Session):
        return ENGINE, b"" if executor.weights else executor.model or b""
    if isinstance(executor, ReadLater):
        return "reference", b""  # it is in an entry already
    from snippets_mlir.runtime.engine.executors import Evaluated

    if not isinstance(executor, Evaluated):
        return "", b""
    names = (op.name for op in executor.function.walk())
    known = all(name.startswith(DIALECTS) for name in names)
    return "reference", executor.text().encode() if known else b""


def _parts(told: Sequence[ExecutorData], data: memoryview) -> Iterator[tuple[ExecutorData, bytes]]:
    """Each executor, and its bytes; ValueError if one is cut off."""
    for executor in told:
        part = bytes(data[: executor["bytes"]])
        if executor["bytes"] <= 0 or len(part) != executor["bytes"]:
            raise ValueError("an executor that is cut off")
        yield executor, part
        data = data[len(part) :]


def opened_executors(
    told: Sequence[ExecutorData], data: memoryview, threads: int
) -> list[Executor]:
    """The executors of an entry, which are one after the other in `data`.

    Raises some exception for data that `kept_executors` would not produce.
    """
    found: list[Executor] = []
    for executor, part in _parts(told, data):
        match executor["kind"]:
            case "onnxruntime" if executor["optimized"]:
                found.append(open_optimized(part, threads, constants_folder(), alone=False))
            case "onnxruntime":
                session = open_session(part, threads)
                session.model = part
                found.append(session)
            case "reference":
                found.append(ReadLater(part.decode()))
            case kind:
                raise ValueError(f"an executor of kind {kind!r}")
    return found


def optimize_executors(path: Path | None, raw: bytes, magic: bytes, header: Header) -> None:
    """Replace the entry `raw` in `path` by one with optimized models, if that is possible."""
    if path is not None and may_be_optimized(header.get("executors", ())):
        optionally(path, partial(_optimize, path, raw, magic))


def _optimize(path: Path, raw: bytes, magic: bytes, stop: Stop) -> None:
    def models(header: Header, data: memoryview) -> list[bytes]:
        told = header.get("executors", [])
        parts: list[tuple[PartData, bytes, Opening | None]] = []
        for executor, part in _parts(told, data):
            is_done = executor["optimized"]
            parts.append((executor, part, None if is_done else partial(_opened, part)))
        header["tensors"], made = optimize_parts(parts, Path(folder), stop)
        return made

    with suppress(Exception), TemporaryDirectory(prefix="snippets-") as folder:
        write_entry(path, with_executors(raw, magic, models))


def _opened(model: bytes, configure: Configure) -> Session:
    return open_session(model, 1, configure=configure)
