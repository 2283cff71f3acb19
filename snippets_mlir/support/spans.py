"""Nested time spans that show the work of a compilation over time.

    with recording() as spans:
        snippets_mlir.compile("model.mlir")
    spans       # [Span("parse", ...), Span("lir-mark-loops", ...), Span("@subgraph_0", ...), ...]

Code marks its work by `with span("lir-mark-loops", "pass"):`. Outside of `recording` this only
reads a thread-local variable. A span enters the list when it ends, so inner spans come first. Each
thread records its own work.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from time import monotonic_ns


@dataclass(frozen=True)
class Span:
    """A piece of work.

    Attributes:
        name: the name of the work.
        kind: the kind of work: `phase`, `pass` or `unit` (a kernel, a function).
        begin: in nanoseconds of `time.monotonic_ns`.
        end: as `begin`.
        row: 0 for the thread that records, 1 for a thread beside it (`meanwhile.py`), and so on.
    """

    name: str
    kind: str
    begin: int
    end: int
    row: int = 0


class _Recorded(threading.local):
    spans: list[Span] | None = None


_RECORDED = _Recorded()
_NOTHING = nullcontext()


@contextmanager
def recording() -> Generator[list[Span]]:
    """Record the spans of this thread in the list that it yields; nested recordings have their own
    lists.
    """
    spans: list[Span] = []
    before, _RECORDED.spans = _RECORDED.spans, spans
    try:
        yield spans
    finally:
        _RECORDED.spans = before


def span(name: str | Callable[[], str], kind: str) -> AbstractContextManager[None]:
    """A piece of work, for a `with` statement; it is also recorded if it raises.

    Args:
        name: the name of the work, or a function that returns it, called only when recording.
        kind: see `Span`.
    """
    if (spans := _RECORDED.spans) is None:
        return _NOTHING
    return _timed(spans, name if isinstance(name, str) else name(), kind)


def is_recording() -> bool:
    """Whether spans of this thread are recorded."""
    return _RECORDED.spans is not None


def add_span(name: str, kind: str, begin: int, end: int, row: int = 0) -> None:
    """Record work that has ended; see `Span`."""
    if (spans := _RECORDED.spans) is not None:
        spans.append(Span(name, kind, begin, end, row))


@contextmanager
def _timed(spans: list[Span], name: str, kind: str) -> Generator[None]:
    begin = monotonic_ns()
    try:
        yield
    finally:
        spans.append(Span(name, kind, begin, monotonic_ns()))
