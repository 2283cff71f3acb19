"""The options of `torch.compile(backend="snippets", options={...})`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from snippets_mlir.support.diagnostics import close_match
from snippets_mlir.support.errors import CompileError

OF_COMPILE = (
    "insert_passes",
    "math",
    "num_threads",
    "partitioner",
    "pipeline",
    "streaming",
    "target",
)
"""Options that are arguments of `snippets_mlir.compile`, which checks them."""

WORDS = {"fallback": ("eager", "error"), "products": ("torch", "kernels")}
"""Options of the integration itself; the first word is the default."""


@dataclass(frozen=True)
class Options:
    """The user's options.

    Attributes:
        fallback: `eager`: torch runs ops outside of kernels; `error`: they are an error.
        products: whether `torch` or our `kernels` compute matrix products.
        compile: arguments of `snippets_mlir.compile`.
    """

    fallback: str = "eager"
    products: str = "torch"
    compile: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @staticmethod
    def of(given: Mapping[str, Any] | None) -> Options:
        """The options by name; CompileError if one does not exist, or has a wrong word."""
        words: dict[str, str] = {}
        arguments: dict[str, Any] = {}
        for name, value in (given or {}).items():
            if name in OF_COMPILE:
                arguments[name] = value
            elif name not in WORDS:
                known = (*WORDS, *OF_COMPILE)
                raise CompileError(
                    f"options: there is no option '{name}'{close_match(name, known)}"
                )
            elif value not in WORDS[name]:
                expected = " or ".join(f"'{word}'" for word in WORDS[name])
                raise CompileError(f"options: {name} is {expected}, found {value!r}")
            else:
                words[name] = value
        return Options(**words, compile=arguments)
