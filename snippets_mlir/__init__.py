"""Fusing kernel compiler: tensor graphs in, fused multi-threaded CPU kernels out.

`snippets_mlir.compile` is the one entry point of the Python API; everything else is
reached through the `snippets-opt` and `snippets-run` tools. Importing this package imports
nothing heavy: the compiler is loaded by the first use of a name below.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from snippets_mlir.driver import Compiled, Kernel, OpaqueOp, TensorSpec, compile
    from snippets_mlir.driver.networks.program import Program, compile_program
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
]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """Load the public names on first use, so that the tools start fast."""
    if name == "CompileError":
        from snippets_mlir.support.errors import CompileError

        return CompileError
    if name in ("Program", "compile_program"):
        from snippets_mlir.codegen.locks import MAKING

        with MAKING:
            from snippets_mlir.driver.networks import program

        return getattr(program, name)
    if name in __all__:
        from snippets_mlir.codegen.locks import MAKING

        with MAKING:
            from snippets_mlir import driver

        return getattr(driver, name)
    raise AttributeError(f"module 'snippets_mlir' has no attribute {name!r}")


def __dir__() -> list[str]:
    """The public names, for completion."""
    return sorted([*__all__, "__version__"])
