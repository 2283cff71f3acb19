"""Distribution of batches among this process and its helpers.

This process and its helpers take batches one at a time, as soon as they are free. This balances the
work better than shares made in advance, whose times would have to be guessed. A helper may fail to
start, die, refuse a batch, or not answer within `PATIENCE` seconds after all else is done. This
only costs time: this process compiles the rest.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from queue import Empty
from typing import Any

from snippets_mlir.codegen.locks import Line, new_line
from snippets_mlir.driver.reports.kernel_entry import KernelFacts
from snippets_mlir.driver.workers.helpers import Helper
from snippets_mlir.driver.workers.messages import Answer
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.meanwhile import meanwhile
from snippets_mlir.support.spans import add_span

PATIENCE = 10.0
"""Seconds that the last answers may take."""

FEW = 8
"""If at most so many batches are left, helpers take one at a time: the last ones decide how long
all take, and a helper waits for its next one for much less time than it works on it.
"""

IN_PIPE = 1 << 15
"""Bytes that can be written to a process which reads nothing: Linux has twice as much room."""

Piece = bytes | Callable[[], bytes]
"""The object of a batch, or a function that waits for it."""

Made = tuple[Mapping[str, KernelFacts], Piece]
"""The result of a batch: facts of its kernels by symbol, and their code."""


def shared(
    order: Sequence[int],
    lower: Callable[[int], Made],
    helpers: Sequence[Helper],
    task: Callable[[int], bytes],
) -> tuple[dict[int, Made], dict[int, Answer]]:
    """The results of this process and of its helpers, by the number of the batch.

    Args:
        order: the batches, by number.
        lower: compiles one here.
        helpers: processes that compile others.
        task: the message that requests a batch from a helper.

    Raises:
        CompileError: `lower` refuses a batch; the error of the first such batch.
    """
    waiting, done = deque(order), new_line()
    made: dict[int, Made] = {}
    answers: dict[int, Answer] = {}
    with ExitStack() as stack:
        for row, helper in enumerate(helpers, 1):
            stack.enter_context(meanwhile(partial(_take, helper, row, waiting, task, done)))
        own = 0
        try:
            while (number := _next(waiting.popleft)) is not None:
                own += 1
                made[number] = _made_in_order(number, made, lower)
        finally:
            left = sum(1 for _ in iter(lambda: _next(waiting.pop), None))
            answers = _answered(len(order) - own - left, helpers, done)
    for number in range(len(order)):
        if number not in made and number not in answers:
            made[number] = lower(number)
    return made, answers


def _made_in_order(number: int, made: Mapping[int, Made], lower: Callable[[int], Made]) -> Made:
    """The result of a batch; the first refused batch raises the error."""
    try:
        return lower(number)
    except CompileError:
        for earlier in range(number):
            if earlier not in made:
                lower(earlier)
        raise


def _next(pop: Callable[[], int]) -> int | None:
    try:
        return pop()
    except IndexError:
        return None


def _take(
    helper: Helper,
    row: int,
    waiting: deque[int],
    task: Callable[[int], bytes],
    done: Line[Any],
) -> None:
    """Let a process compile batches until none is `waiting`, or the process is gone.

    The helper gets the next batch before it finishes one, except the last batches, which go to the
    first free process, and batches that do not fit into a pipe.
    """
    asked: deque[int] = deque()
    try:
        while True:
            alone = len(asked) > 1 or len(waiting) <= FEW
            number = None if asked and alone else _next(waiting.popleft)
            if number is not None:
                asked.append(number)
                text = task(number)
                if len(asked) > 1 and len(text) > IN_PIPE:
                    done.put((asked[0], row, helper.answer()))
                    asked.popleft()
                helper.ask(text)
            elif asked:
                done.put((asked[0], row, helper.answer()))
                asked.popleft()
            else:
                helper.release()
                return
    except Exception:  # it is gone, or says something else
        helper.end()
    finally:
        for number in asked:
            done.put((number, row, None))


def _answered(count: int, helpers: Sequence[Helper], done: Line[Any]) -> dict[int, Answer]:
    """The answers to `count` tasks that helpers took; tasks without an answer are left out."""
    answers: dict[int, Answer] = {}
    while count:
        try:
            number, row, answer = done.get(timeout=PATIENCE)
        except Empty:
            for helper in helpers:
                helper.end()  # its thread reports it
            continue
        count -= 1
        if answer is not None:
            answers[number] = answer
            for span in answer.spans:
                add_span(span.name, span.kind, span.begin, span.end, span.row + row)
    return answers
