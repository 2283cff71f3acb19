"""The languages of text programs: suffix of a file -> "module:function" that reads it.

The function gets the text, the context and the file's name, and returns a module at the graph
level; errors are a `CompileError` with line and column. It is imported on first use. ONNX models
are not text, and are handled elsewhere. Rows name only functions of this package, because the cache
does not notice changes in other packages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from snippets_mlir.support.lazy import named

if TYPE_CHECKING:
    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp

TEXTS: dict[str, str] = {"mlir": "snippets_mlir.support.parsing:parse_module"}


def read_text(kind: str, text: str, ctx: Context, name: str) -> ModuleOp:
    """The module of a text in the language `kind`; `name` is the file of messages."""
    return named(TEXTS[kind])(text, ctx, name)


def suffixes(prefix: str = ".") -> tuple[str, ...]:
    """The suffixes of all files that are sources, with `prefix` in place of the dot."""
    return tuple(prefix + kind for kind in (*TEXTS, "onnx"))


def listed(prefix: str = "") -> str:
    """The kinds of sources for messages: `mlir or onnx`."""
    return " or ".join(suffixes(prefix))
