"""The error of code generation, apart from LLVM: programs of the cache may need none of it."""

from __future__ import annotations


class InternalError(RuntimeError):
    """LLVM refused what this compiler wrote: a mistake in the compiler, never in its input."""
