"""The error of code generation, separate from LLVM, which cached programs may not need."""

from __future__ import annotations


class InternalError(RuntimeError):
    """LLVM refused this compiler's output: a mistake in the compiler, never in its input."""
