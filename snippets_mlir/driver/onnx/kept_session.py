"""The cache entry of a model that is one session without kernels, with its optimized model.

    source        ->  onnxruntime's optimizer, in a thread after the first call  ->  entry
    entry         ->  the session, which optimizes nothing and maps its weights

The optimized model is valid for this computer and this version of onnxruntime, which the key of the
entry names. It is not made for a model that is larger than `LARGEST` or changes in memory, and not
stored if onnxruntime cannot write it: later processes then open the source.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, cast

from snippets_mlir.codegen.cache import entry_path
from snippets_mlir.driver.cache.engine_model import LARGEST, keep_model, optimized
from snippets_mlir.driver.cache.optional_work import Stop, optionally
from snippets_mlir.driver.cache.session_entry import SessionData, SessionEntry, keep_session
from snippets_mlir.driver.onnx.weight_places import are_unchanged
from snippets_mlir.driver.onnx.whole_model import model_session
from snippets_mlir.driver.sources.key_bytes import source_bytes
from snippets_mlir.runtime.engine.opening import Configure
from snippets_mlir.runtime.engine.sessions import Session
from snippets_mlir.support.errors import CompileError

if TYPE_CHECKING:
    from snippets_mlir.driver.sources.load import Source


def keeper_of_optimized(path: Path, source: Source) -> Callable[[SessionData], None]:
    """Writes down in `path` that a program is one session, and its optimized model."""
    model, why = _file_or_bytes(source.whole_model), None
    if model is None:
        why = "a model in memory may change"
    elif not source.prepared.takes_at_most(LARGEST):
        why = f"the model has more than {LARGEST >> 20} MiB"
    return partial(_keep, path, model=model, known=source_bytes(model), why=why)


def _file_or_bytes(model: object) -> Path | bytes | None:
    if isinstance(model, str | PathLike):
        return Path(cast("str", model)).absolute()
    return model if isinstance(model, bytes) else None


def _keep(
    path: Path, data: SessionData, *, model: Path | bytes | None, known: object, why: str | None
) -> None:
    told: SessionData = {**data, "plain": why}
    keep_session(path, told, b"")  # for processes that begin before the other one is made
    if model is not None and why is None:
        optionally(path, partial(_optimize, path, told, model, known))


def optimize_session(key: str, entry: SessionEntry, source: object) -> None:
    """Store the optimized model of an entry that has none, if nothing is known against that."""
    path, model = entry_path("programs", key), _file_or_bytes(source)
    if entry.model is None and entry.data["plain"] is None and path and model:
        if (known := source_bytes(model)) is not None:
            optionally(path, partial(_optimize, path, entry.data, model, known))


def _optimize(
    path: Path, data: SessionData, model: Path | bytes, known: object, stop: Stop
) -> None:
    with suppress(Exception), TemporaryDirectory(prefix="snippets-") as folder:
        raw, open_one = b"", partial(_opened, model)
        try:
            kept, raw = keep_model(*optimized(open_one, Path(folder), stop, alone=True), stop)
            told: SessionData = {**data, "model": kept}
        except CompileError as error:
            from snippets_mlir.support.diagnostics import one_line  # it needs xDSL

            told = {**data, "plain": one_line(str(error))}
        if source_bytes(model) == known and are_unchanged(data["files"], model):
            keep_session(path, told, raw)


def _opened(model: Path | bytes, configure: Configure) -> Session:
    return model_session(model, 1, alone=True, configure=configure)
