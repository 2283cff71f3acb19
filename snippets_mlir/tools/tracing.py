"""`--trace-compile` of the tools; without it nothing is imported."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext


def traced(file: str | None) -> AbstractContextManager[None]:
    """Writes what is compiled inside to a file, if there is one.

    Raises:
        CompileError: the file cannot be written.
    """
    if file is None:
        return nullcontext()
    from snippets_mlir.inspect.compile_trace import trace_compile

    return trace_compile(file)
