"""Functions of JAX as kernels: `from snippets_mlir.jax import jit, kernel`."""

from snippets_mlir.integrations.jax_functions import jit
from snippets_mlir.integrations.jax_kernels import kernel

__all__ = ["jit", "kernel"]
