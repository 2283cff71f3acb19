"""The evaluator for passes: the interpreter computes the constants."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects.builtin import ModuleOp


def interpreted(module: ModuleOp, entry: str) -> Sequence[Any]:
    """The outputs of a function or graph without inputs."""
    from snippets_mlir.interpreter import Interpreter

    return Interpreter(module).run(entry, [])
