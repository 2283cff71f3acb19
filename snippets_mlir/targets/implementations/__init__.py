"""The registry of implementations: what may run a node of a program."""

from snippets_mlir.targets.implementations.registry import (
    Implementation,
    implementation,
    implementations,
    register,
)

__all__ = ["Implementation", "implementation", "implementations", "register"]
