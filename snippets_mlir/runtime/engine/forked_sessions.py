"""onnxruntime sessions in a child made by `os.fork`.

Experiments show what onnxruntime 1.32 does there. A session with one thread runs and is dropped as
in its parent. A session with several threads has lost them: it runs slowly or hangs, depending on
what its threads did at the fork, and dropping it hangs or crashes. A child that ends by `exit`, as
programs do, waits forever in onnxruntime's exit handler, with or without sessions.

So that a child never hangs:

* it keeps the inherited sessions with several threads, and opens its own session, with as many
  threads, at the first call (`opened`). From then on kernels beside it also have several threads.
  The model is read again from its source: its file, which must be unchanged, or its bytes, which
  are kept up to `KEPT` bytes. If that is impossible, the call is an error; the child may compile
  the program itself.
* `exit` ends it without onnxruntime's handler (`leave_without_engine`) if the C library has
  `on_exit`. Otherwise it has to end by `os._exit`, as the children of `multiprocessing` do.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from snippets_mlir.codegen.locks import MAKING, forever, once
from snippets_mlir.runtime.parallel.threads import shared_threads
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.file_identity import identity_of

if TYPE_CHECKING:
    from snippets_mlir.runtime.engine.sessions import Session

KEPT = 64 << 20
"""Maximal bytes of a model in memory that are kept for children."""


@dataclass(frozen=True)
class Origin:
    """Where a model comes from.

    Attributes:
        source: the file, the bytes, or None: they are not kept.
        identity: size, time, inode and device, which change when the file is replaced.
    """

    source: Path | bytes | None
    identity: tuple[int, ...] = ()

    @staticmethod
    def of(model: Path | bytes, data: int = 0) -> Origin:
        """The origin of a model before its opening, with `data` bytes outside of it."""
        if isinstance(model, Path) and not data:
            return Origin(model.absolute(), _identity(model))
        if isinstance(model, Path):
            return Origin(None)
        return Origin(model if len(model) + data <= KEPT else None)

    def model(self) -> Path | bytes:
        """The model, for another session; CompileError if it no longer exists."""
        if self.source is None:
            why = f"its model has more than {KEPT >> 20} MiB and is no file"
        elif isinstance(self.source, Path) and _identity(self.source) != self.identity:
            why = f"'{self.source}' is another file than it was"
        else:
            return self.source
        raise CompileError(
            f"a forked process cannot use a session of several threads of its parent: {why}; "
            "compile the program in this process"
        )


def _identity(path: Path) -> tuple[int, ...]:
    try:
        status = path.stat()
    except OSError:
        return ()
    return identity_of(status)


_opened: WeakKeyDictionary[Session, Callable[[], Session]] = WeakKeyDictionary()
"""For each session of several threads in this process, the function that opens it in a child."""


def opened(session: Session, again: Callable[[], Session]) -> None:
    """Record a session with several threads, and how to open another one like it."""
    _opened[session] = again


def _renewal(session: Session, again: Callable[[], Session]) -> Callable[[], None]:
    """The function by which the first call in a child replaces a session of its parent."""
    forever(session.run_named)  # this also keeps onnxruntime's objects

    def renew() -> None:
        shared_threads()  # for kernels beside it; before the lock
        with MAKING:
            if session.renew is not None:  # this thread is the first
                made = again()
                session.run_named, session.bound = made.run_named, made.bound
                session.renew = None
                opened(session, again)

    return renew


@once
def leave_without_engine() -> bool:
    """Let children that are forked from now on end without onnxruntime's exit handlers.

    Exit functions run in reverse order, so a child adds two: one that flushes C's files, and one
    that ends it with its exit code.
    """
    library = ctypes.CDLL(None)
    try:
        at_exit, with_code = library.__cxa_atexit, library.on_exit
        flush, leave = library.fflush, library._exit
    except AttributeError:
        return False

    def in_child() -> None:
        with_code(leave, None)
        at_exit(flush, None, None)

    os.register_at_fork(after_in_child=in_child)
    return True


def _after_fork() -> None:
    for session, again in list(_opened.items()):
        session.renew = _renewal(session, again)
    _opened.clear()


os.register_at_fork(after_in_child=_after_fork)
