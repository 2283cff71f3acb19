"""The process that `processes.py` starts: kernels as text in on standard input, objects out.

    -> a task: kernels in the linear IR, and the passes that they still need
    <- their declarations, facts and object, or nothing where the task failed: the other side then
       compiles the batch itself, and raises the error

The first message, before any task, is `greeting()`. The process ends at the end of the input, or
after `IDLE` seconds without a task.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from select import select
from typing import IO

from snippets_mlir.codegen.cache import CACHE_DIR, cached
from snippets_mlir.driver.settings import default_context
from snippets_mlir.driver.workers.lowering import lowered
from snippets_mlir.driver.workers.messages import (
    Answer,
    Task,
    greeting,
    receive_task,
    send,
    send_answer,
)
from snippets_mlir.passmanager.pipeline import parse_pipeline
from snippets_mlir.support.parsing import parse_module
from snippets_mlir.support.printing import print_module
from snippets_mlir.support.spans import recording, span

USUAL = "lir-to-vector,vector-to-llvm"
"""Passes that tasks need; their modules are loaded before the first task."""

PAUSE = 0.2
"""Seconds without a task after which a worker has time to tidy up."""

IDLE = 60.0
"""Seconds without a task after which a worker ends."""


def serve() -> None:
    """Answer on the original standard output until the input ends; never returns.

    Standard output is first redirected to standard error, so that LLVM's output does not mix with
    answers. Interrupts are for the requesting process.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    gc.disable()
    try:
        send(greeting(), answers)
        parse_pipeline(USUAL, default_context())
        _answer(sys.stdin.buffer, answers)
    except (EOFError, OSError):  # the other side is gone
        pass
    finally:
        os._exit(0)


def _answer(tasks: IO[bytes], answers: IO[bytes]) -> None:
    while _comes(tasks):
        task = receive_task(tasks)
        try:
            answer = answer_to(task)
        except Exception:  # the other side meets it again, and says it
            answer = None
        send_answer(answer, answers)


def _comes(tasks: IO[bytes]) -> bool:
    """Wait for a task; a pause frees the cycles of earlier tasks."""
    if select([tasks], [], [], PAUSE)[0]:
        return True
    gc.collect()
    return bool(select([tasks], [], [], IDLE)[0])


def answer_to(task: Task) -> Answer:
    """Do a task; raises the error of a pass or of LLVM if it refuses the kernels."""
    os.environ[CACHE_DIR] = task.cache
    ctx = default_context()
    with recording() as spans:
        with span("parse", "phase"):
            module = parse_module(task.text, ctx)
        facts, text = lowered(module, ctx, parse_pipeline(task.passes, ctx))
        code = cached(text, bytes, **task.how, kernels=True)
    return Answer(print_module(module), facts, spans if task.traced else [], code)
