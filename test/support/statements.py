"""The statements of Python source without its expressions, which are most of a tree's nodes."""

from __future__ import annotations

import ast
from collections.abc import Iterator

FIELDS = ("body", "handlers", "orelse", "finalbody", "cases")
"""Where a statement, a handler or a case has statements."""


def statements_in(node: ast.AST) -> Iterator[ast.AST]:
    """The statements of a node that is no expression, its handlers and its cases."""
    for field in FIELDS:
        yield from getattr(node, field, ())
