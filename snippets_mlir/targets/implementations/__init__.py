"""The registry of implementations that may run a node of a program."""

from snippets_mlir.targets.implementations.registry import (
    KINDS,
    Implementation,
    claimed,
    has_rows_of_plugins,
    implementation,
    implementations,
    register,
)

__all__ = [
    "KINDS",
    "Implementation",
    "claimed",
    "has_rows_of_plugins",
    "implementation",
    "implementations",
    "register",
]
