"""Work in a separate thread while the caller continues.

    with meanwhile(lambda: optimise(text)) as optimised:
        sessions = open_sessions()
        code = optimised()                  waits, and raises what the work has raised

It pays off for work that releases the interpreter's lock: LLVM, hashing, reading and writing files.
The caller may hold locks of this package if the work needs none of them. The thread pools of the
standard library are unsuitable: `os.fork` takes their lock, and then waits for the caller's locks.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from threading import Thread
from typing import TypeVar

from snippets_mlir.support.spans import Span, add_span, recording

T = TypeVar("T")


@contextmanager
def meanwhile(work: Callable[[], T]) -> Generator[Callable[[], T]]:
    """Begin `work`; the returned function waits for its result. Its thread ends before the `with`.

    It is done at once if the interpreter ends, and makes no more threads.

    The spans of the work are recorded when its result is requested, in a separate row.
    """
    given: list[tuple[T, list[Span]]] = []
    raised: list[BaseException] = []

    def run() -> None:
        """The body of the thread: do the work, keep its result or its exception."""
        try:
            with recording() as spans:
                given.append((work(), spans))
        except BaseException as error:
            raised.append(error)

    thread = Thread(target=run, name="snippets-meanwhile", daemon=True)
    try:
        thread.start()
        wait = thread.join
    except RuntimeError:
        run()
        wait = tuple[()]

    def result() -> T:
        """The result of the work."""
        wait()
        if raised:
            raise raised[0]
        found, spans = given[0]
        for span in spans:
            add_span(span.name, span.kind, span.begin, span.end, span.row + 1)
        return found

    try:
        yield result
    finally:
        wait()
