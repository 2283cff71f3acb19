"""Fusing kernel compiler: tensor graphs in, fused multi-threaded CPU kernels out.

`snippets_mlir.compile` takes text and models, `snippets_mlir.jit` functions of NumPy arrays;
everything else is reached through the tools. Importing this package imports
nothing heavy: the compiler is loaded by the first use of a name below.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from snippets_mlir.driver import Compiled, Kernel, OpaqueOp, TensorSpec, compile
    from snippets_mlir.driver.networks.program import Program, compile_program
    from snippets_mlir.integrations.numpy_functions import jit
    from snippets_mlir.support.errors import CompileError

__all__ = [
    "CompileError",
    "Compiled",
    "Kernel",
    "OpaqueOp",
    "Program",
    "TensorSpec",
    "compile",
    "compile_program",
    "jit",
]
__version__ = "0.1.0"

FACES = ("dask", "jax", "torch", "xp")
"""Modules that need not be imported by name; three need a package that may not be installed."""


def __getattr__(name: str) -> Any:
    """Load the public names on first use, so that the tools start fast."""
    if name == "CompileError":
        from snippets_mlir.support.errors import CompileError

        return CompileError
    if name in FACES:
        from importlib import import_module

        return import_module(f"snippets_mlir.{name}")
    if name not in __all__:
        raise AttributeError(f"module 'snippets_mlir' has no attribute {name!r}")
    from snippets_mlir.codegen.locks import MAKING

    with MAKING:
        if name in ("Program", "compile_program"):
            from snippets_mlir.driver.networks import program as module
        elif name == "jit":
            from snippets_mlir.integrations import numpy_functions as module
        else:
            from snippets_mlir import driver as module
        return getattr(module, name)


def __dir__() -> list[str]:
    """The public names, for completion."""
    return sorted([*__all__, "__version__"])
