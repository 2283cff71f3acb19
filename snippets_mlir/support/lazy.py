"""A module that is imported when one of its attributes is first used.

    if TYPE_CHECKING:
        import numpy as np
    else:
        np = LazyModule("numpy")

This is for modules that every tool loads and whose functions need NumPy only when they are called.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any


class LazyModule:
    """Stands in for a module until an attribute of it is read."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        """The attribute of the module, cached here: it is looked up once."""
        value = getattr(import_module(self._name), name)
        setattr(self, name, value)
        return value


def named(reference: str) -> Any:
    """The object that "package.module:name" refers to; the module is imported."""
    module, _, name = reference.partition(":")
    return getattr(import_module(module), name)
