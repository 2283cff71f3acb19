"""The evaluator of values while passes run: the pass manager gives it, for one thread at a time.

    with giving(interpreted):                # passmanager/pipeline.py
        p.apply(ctx, module)
    arrays = evaluate(module, "main")        # in the pass

Passes do not import the interpreter, which executes their IR.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from snippets_mlir.support.errors import CompileError

Evaluator = Callable[[ModuleOp, str], Sequence[Any]]
"""The outputs of a function or graph of a module, by its name, as arrays; it has no inputs."""


class _Given(threading.local):
    """The evaluator of this thread's pass manager."""

    evaluator: Evaluator | None = None


_GIVEN = _Given()


@contextmanager
def giving(evaluator: Evaluator) -> Generator[None]:
    """Give an evaluator to the passes that run inside."""
    before, _GIVEN.evaluator = _GIVEN.evaluator, evaluator
    try:
        yield
    finally:
        _GIVEN.evaluator = before


def evaluate(module: ModuleOp, entry: str) -> Sequence[Any]:
    """The result of the evaluator; see `Evaluator`.

    Raises:
        CompileError: no pass manager runs, or the evaluator does not know an op.
    """
    if _GIVEN.evaluator is None:
        raise CompileError("nothing computes values for the pass; run it by `run_passes`")
    return _GIVEN.evaluator(module, entry)
