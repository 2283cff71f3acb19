"""Work that one thread does in order while the caller continues.

    with InTurn() as thread:
        first = thread.begin(lambda: optimise(text))
        second = thread.begin(lambda: optimise(other))
        found = first(), second()           wait, and raise the errors of the work

Like `support/meanwhile.py`, but for a sequence of tasks: LLVM compiles the kernels that the passes
have lowered while the passes lower the next ones.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread
from typing import Any, Self, TypeVar

from snippets_mlir.codegen.locks import Line, new_line
from snippets_mlir.support.spans import add_span, recording

T = TypeVar("T")


class InTurn:
    """A thread, which is started for the first work and ends before the `with` does.

    The caller may hold locks of this package if the work needs none of them. After an exception in
    the `with`, work that has not begun is skipped.
    """

    def __init__(self) -> None:
        self._given: Line[Any] = new_line()
        self._thread: Thread | None = None
        self._is_stopped = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._thread is not None:
            self._is_stopped = self._is_stopped or kind is not None
            self._given.put(None)
            self._thread.join()

    def begin(self, work: Callable[[], T]) -> Callable[[], T]:
        """Schedule `work` after all earlier work; the returned function waits for its result.

        It is called once, and records the spans of the work.
        """
        if self._thread is None:
            thread = Thread(target=self._run, name="snippets-in-turn", daemon=True)
            thread.start()
            self._thread = thread
        answer: Line[Any] = new_line()
        self._given.put((work, answer))

        def result() -> T:
            """The result of the work."""
            found, error, spans = answer.get()
            for span in spans:
                add_span(span.name, span.kind, span.begin, span.end, span.row)
            if error is not None:
                raise error
            return found

        return result

    def leave_out(self) -> None:
        """Skip work that has not started, because its result is not needed."""
        self._is_stopped = True

    def _run(self) -> None:
        while (given := self._given.get()) is not None:
            work, answer = given
            found, failed = None, None
            with recording() as spans:
                try:
                    found = None if self._is_stopped else work()
                except BaseException as error:
                    failed = error
            answer.put((found, failed, spans))
