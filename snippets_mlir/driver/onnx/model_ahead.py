"""The session of a whole model that opens in a thread while the model is read and planned.

    this thread    [ reads the model ][ infers shapes ][ asks whether kernels pay ][ runs it ]
    another one    [ the session opens                             ]

A model that becomes one session needs it, and a model with dynamic dims is checked with it. If
kernels pay off, that session is not needed. So only models that open in some ten milliseconds are
opened ahead.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from os import PathLike
from pathlib import Path
from threading import Thread
from time import monotonic_ns
from typing import TYPE_CHECKING, cast

from snippets_mlir.driver.onnx.whole_model import model_session
from snippets_mlir.runtime.parallel.crew import cores
from snippets_mlir.support.spans import add_span

if TYPE_CHECKING:
    from snippets_mlir.driver.settings import Settings
    from snippets_mlir.runtime.engine.sessions import Session

MOST = 16 << 20
"""The largest model that is opened ahead, in bytes, including data in other files: onnxruntime
takes 50 to 100 ms for it.
"""

FILE = re.compile(rb"\x6a(.)\x0a\x08location\x12(.)", re.DOTALL)
"""The bytes before the name of such a file in a serialised model: the field `external_data` of a
tensor, its length, the key, and the length of the name."""


class ModelAhead:
    """The session of a model, which is being opened."""

    def __init__(self, model: Path | bytes, threads: int) -> None:
        """Begin to open `model`; RuntimeError when the interpreter ends.

        Args:
            model: the file, or the bytes.
            threads: of the session.
        """
        self._model, self._threads = model, threads
        self._opened: list[tuple[Session, int, int]] = []
        self._process = os.getpid()
        self._thread = Thread(target=self._open, name="snippets-ahead")
        self._thread.start()

    def _open(self) -> None:
        begin = monotonic_ns()
        with suppress(Exception):  # whoever needs the session meets it again
            if bytes_beside(self._model) > MOST:
                return
            session = model_session(self._model, self._threads, alone=True)
            self._opened.append((session, begin, monotonic_ns()))

    @property
    def is_opening(self) -> bool:
        """Whether the session is not open yet, and the thread works on it in this process."""
        return self._thread.is_alive() and os.getpid() == self._process

    def take(self, model: object, threads: int) -> Session | None:
        """The session, once; None if it belongs to another model, or onnxruntime refuses the model.

        A child made by `os.fork` has no thread that opens it.
        """
        if (model, threads) != (self._model, self._threads) or os.getpid() != self._process:
            return None
        self._thread.join()
        if not self._opened:
            return None
        session, begin, end = self._opened.pop()
        add_span("session", "unit", begin, end, 1)
        return session


def bytes_beside(model: Path | bytes) -> int:
    """The bytes of other files that a model names for its data; OSError if one is not there."""
    data = model if isinstance(model, bytes) else model.read_bytes()
    folder = Path() if isinstance(model, bytes) else model.parent
    found = [(m.end(), m[2][0]) for m in FILE.finditer(data) if m[1][0] == m[2][0] + 12]
    names = {data[at : at + length] for at, length in found}
    return sum((folder / name.decode()).stat().st_size for name in names)


def model_ahead(source: object, settings: Settings) -> ModelAhead | None:
    """Begin to open a model that may become one session; None if it cannot or need not."""
    model = _model_of(source)
    if model is None or not _may_be_one_session(settings) or cores() < 2:
        return None
    with suppress(OSError, ValueError, RuntimeError):
        size = len(model) if isinstance(model, bytes) else model.stat().st_size
        if size <= MOST:
            return ModelAhead(model, settings.threads)
    return None


def _model_of(source: object) -> Path | bytes | None:
    """The file or the bytes of a model; None for other sources."""
    if isinstance(source, bytes | bytearray):
        return bytes(source)
    if not isinstance(source, str | PathLike):
        return None
    path = Path(cast("str | Path", source))
    return path if path.suffix == ".onnx" else None


def _may_be_one_session(settings: Settings) -> bool:
    """Whether no setting requests kernels or other sessions."""
    return (
        settings.is_default
        and settings.chosen_cuts is None
        and settings.mark_skipped == "auto"
        and settings.fallback == "onnxruntime"
        and settings.partitioner == "tokenize"
    )
