"""JAX functions for use inside `jax.jit`, where XLA's code calls the kernels.

    from snippets_mlir.jax import kernel

    softmax = kernel(jax.nn.softmax)

    @jax.jit
    def f(x):
        return softmax(x) + 1

JAX's trace of `f`, before and after (`jax.make_jaxpr(f)`):

    d = exp(x - max(x)) / sum(...)          d = ffi_call[target_name=snippets_mlir] x
    e = add d 1.0                           e = add d 1.0

The function is compiled when JAX traces it, for the shapes and types of its arguments. A call goes
through XLA's foreign function interface: a native handler gets XLA's buffers and runs the kernels
on them, without Python and without copies (`runtime/calls/xla_call.py`).

`jax.vmap` calls kernels of the function with one more axis, compiled for this case. JAX computes
derivatives, forward and reverse, from the original function.

If the compiler cannot compile the function, JAX traces the original, and one warning says why; with
`fallback="error"` this is a CompileError. The kernels are for CPUs: on other devices XLA reports
that it has no such target.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import update_wrapper
from typing import Any

from snippets_mlir.driver.programs.static import StaticProgram
from snippets_mlir.integrations.jax_calls import Site, call_site_of
from snippets_mlir.integrations.jax_functions import JitFunction
from snippets_mlir.integrations.jax_package import load_jax
from snippets_mlir.support.errors import CompileError


class KernelFunction:
    """A function of two pytrees that JAX traces as a call of kernels; see `kernel`."""

    def __init__(self, function: Callable[[Any, Any], Any], fallback: str, options: Any) -> None:
        self._jax = load_jax()
        self._function, self._fallback, self._options = function, fallback, options
        self._inner = JitFunction(function, fallback, None, options)
        self._sites: dict[Any, Site | None] = {}
        self._batched: dict[Any, KernelFunction] = {}
        self._called = self._jax.custom_batching.custom_vmap(self._call)
        self._called.def_vmap(self._call_batched)
        self._traced = self._jax.custom_jvp(self._called)
        self._traced.defjvp(self._differentiate)

    def __call__(self, args: Any, kwargs: Any) -> Any:
        """What the function returns: a pytree of arrays."""
        return self._traced(args, kwargs)

    def _call(self, *args: Any) -> Any:
        """A call of the kernels, or of the function itself if there are none."""
        asarray, tree = self._jax.numpy.asarray, self._jax.tree_util
        leaves, structure = tree.tree_flatten(args)
        arrays = [asarray(leaf) for leaf in leaves]
        kinds = [(a.shape, a.dtype, a.weak_type) for a in arrays]
        key = (structure, *kinds, self._jax.config.jax_enable_x64)
        if key not in self._sites:
            self._sites[key] = self._site(tree.tree_unflatten(structure, arrays))
        if (site := self._sites[key]) is None:
            return self._function(*args)
        return tree.tree_unflatten(site.structure, site.call(arrays))

    def _site(self, args: Any) -> Site | None:
        """The kernels for these arguments, or None if JAX runs the function."""
        try:
            shapes = self._jax.tree_util.tree_map(self._shape, args)
            traced, compiled = self._inner.compiled(*shapes)
            assert isinstance(compiled, StaticProgram), "JAX lowers for sizes"
            return call_site_of(traced.out_info, compiled.build_for(()).program)
        except CompileError as error:
            if self._fallback == "error":
                raise
            warnings.warn(f"{error}; JAX runs the function", RuntimeWarning, stacklevel=2)
            return None

    def _shape(self, array: Any) -> Any:
        """The shape and type of an array, for lowering."""
        weak = array.weak_type
        return self._jax.ShapeDtypeStruct(array.shape, array.dtype, weak_type=weak)

    def _call_batched(self, axis_size: int, batched: Any, *args: Any) -> tuple[Any, Any]:
        """The rule of `jax.vmap`: a call of the function with one more axis."""
        tree = self._jax.tree_util
        flags, structure = tree.tree_flatten(tuple(batched))
        key = (structure, *flags)
        if key not in self._batched:
            axes = tree.tree_unflatten(structure, [0 if flag else None for flag in flags])
            whole = self._jax.vmap(self._function, axes)
            self._batched[key] = KernelFunction(whole, self._fallback, self._options)
        found = self._batched[key]._called(*args)
        return found, tree.tree_map(_is_batched, found)

    def _differentiate(self, primals: Any, tangents: Any) -> Any:
        """The rule for derivatives: they come from the function itself."""
        return self._jax.jvp(self._function, primals, tangents)


def _is_batched(_: Any) -> bool:
    """Every result has the axis of `jax.vmap`."""
    return True


def kernel(
    function: Callable[..., Any], *, fallback: str = "jax", **options: Any
) -> Callable[..., Any]:
    """A function for use inside of `jax.jit`: its kernels are called from XLA's code.

    The kernels stay in memory until the process ends, as executables that call them may.

    Args:
        function: a function of JAX; arguments and results are pytrees of arrays.
        fallback: `"jax"`: if the compiler cannot compile the function, JAX runs it, with one
            warning; `"error"`: a CompileError when JAX traces it.
        **options: of `snippets_mlir.compile`, as `num_threads` or `math`.
    """

    def spread(args: Any, kwargs: Any) -> Any:
        return function(*args, **kwargs)

    inner = KernelFunction(spread, fallback, options)

    def call(*args: Any, **kwargs: Any) -> Any:
        return inner(args, kwargs)

    return update_wrapper(call, function)
