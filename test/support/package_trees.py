"""The syntax trees of the package's modules, which several tests of its text look at."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2] / "snippets_mlir"


LEAVES = frozenset((ast.Name, ast.Constant, ast.Load, ast.Store, ast.alias, ast.Pass))
"""Nodes without parts that anything looks at."""


@cache
def modules() -> tuple[Path, ...]:
    """The files of the package, in the order of their paths."""
    return tuple(sorted(PACKAGE.rglob("*.py")))


@cache
def tree_of(file: Path) -> ast.Module:
    """The tree of a file: nobody changes it."""
    return ast.parse(file.read_text(encoding="utf-8"))


def walk(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes as `ast.walk`, in another order, parents before their parts; four times as fast."""
    left = [tree]
    while left:
        node = left.pop()
        yield node
        if type(node) in LEAVES:
            continue
        for part in vars(node).values():
            if type(part) is list:
                left += [p for p in part if isinstance(p, ast.AST)]  # pyright: ignore
            elif isinstance(part, ast.AST):
                left.append(part)
