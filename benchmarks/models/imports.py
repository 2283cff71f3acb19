"""Everything that compiling and running imports, loaded before a clock runs."""

from __future__ import annotations

from importlib import import_module
from pkgutil import walk_packages

import snippets_mlir
from models.model import package

APART = "snippets_mlir.tools"
"""Command-line programs: no part of a program that runs."""

LATER = (
    "numpy.ma",
    "xdsl.transforms.canonicalize",
    "xdsl.transforms.common_subexpression_elimination",
    "xdsl.transforms.dead_code_elimination",
)
"""Modules of other packages that are loaded when something needs them."""


def load_ours() -> None:
    """Import this project's modules and the packages that they use."""
    package("onnx")
    package("onnxruntime")
    for module in walk_packages(snippets_mlir.__path__, "snippets_mlir."):
        if not module.name.startswith(APART):
            import_module(module.name)
    for name in LATER:
        import_module(name)


def load_onnxruntime() -> None:
    """Import onnxruntime."""
    package("onnxruntime")
