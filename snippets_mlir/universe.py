"""One table of names: which class stands behind a dialect, a pass or a target.

Rows are `name -> "module:attribute"`; nothing is imported until a name is used. `UNIVERSE` is what
the `xdsl.universe` entry point publishes, so that plain `xdsl-opt` knows the dialects that are ours
and the passes that touch only them. Dialects of upstream's that we extend are registered in our own tools' context
only (`REPLACED_DIALECTS`), because xDSL refuses two dialects of one name.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from xdsl.universe import Universe

DIALECTS = {
    "lir": "snippets_mlir.dialects.lir:Lir",
    "onnx": "snippets_mlir.dialects.onnx:Onnx",
    "snippets": "snippets_mlir.dialects.snippets:Snippets",
}

REPLACED_DIALECTS: dict[str, str] = {}

# In road order; each row's class has the key as its `name`.
PASSES: dict[str, str] = {}

# Passes that only make sense after a lowering to the replaced dialects.
UNPUBLISHED_PASSES: frozenset[str] = frozenset()

TARGETS: dict[str, str] = {}


def load(row: str) -> Any:
    """Import what a row names."""
    module, _, attribute = row.partition(":")
    return getattr(import_module(module), attribute)


def _lazy(row: str) -> Callable[[], Any]:
    return lambda: load(row)


def factories(table: dict[str, str]) -> dict[str, Callable[[], Any]]:
    """`name -> factory`, the form in which xDSL registers things."""
    return {name: _lazy(row) for name, row in table.items()}


UNIVERSE = Universe(
    all_dialects=factories(DIALECTS),
    all_passes={n: _lazy(r) for n, r in PASSES.items() if n not in UNPUBLISHED_PASSES},
)
