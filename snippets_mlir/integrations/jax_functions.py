"""JAX functions compiled by this compiler, called from Python.

    from snippets_mlir.jax import jit

    @jit                            # arrays go in and out without JAX's runtime
    def silu(x):
        return x * jax.nn.sigmoid(x)

JAX traces the function and writes StableHLO, which `compile` accepts (docs/stablehlo.md). A program
is made once for the structure, shapes and types of the arguments. A call with JAX arrays and Python
numbers calls an XLA executable that only calls the kernels (`jax_calls.py`): JAX dispatches it and
makes the results faster than Python can. Other calls go through Python: calls with NumPy arrays,
and calls of programs that would keep much memory, since an executable keeps its program until the
process ends. These calls read arguments in place. They pass results of 64 KiB or more to JAX in
place, and copy smaller ones, which is faster.

If the compiler cannot compile the function, JAX compiles it, and one warning names the op and its
line in the user's file; with `fallback="error"` this is a CompileError. JAX also compiles functions
with loops of more than a few iterations, which are slower as kernels. If JAX traces a function of
`jit` (`jax.grad`, `jax.vmap`, `jax.jit` around it), it traces the original function;
`jax_kernels.py` has functions that call kernels there.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from functools import partial, update_wrapper
from typing import Any, NamedTuple

import numpy as np

from snippets_mlir.dialects.builtin.dtypes import Array
from snippets_mlir.driver import Compiled, compile
from snippets_mlir.driver.programs.static import StaticProgram
from snippets_mlir.integrations.jax_calls import call_site_of
from snippets_mlir.integrations.jax_memory import RESULTS, SHARED
from snippets_mlir.integrations.jax_package import load_jax
from snippets_mlir.integrations.jax_places import located, refuse_keys, refuse_long_loops
from snippets_mlir.integrations.signatures import is_named, name_of, places_of, static_key
from snippets_mlir.support.errors import CompileError

KEPT = 1 << 20
"""Bytes of intermediate values and constants up to which XLA calls a program."""

FRESH = 1 << 25
"""For results of at least this many bytes XLA gets memory from the system each time, like glibc's
`malloc`: writing to new pages takes longer than most kernels."""


class Program(NamedTuple):
    """A function for arguments of one structure, with their shapes and types.

    Attributes:
        call: from the leaves of the arguments, as NumPy arrays, to a list of results.
        dtypes: the element types of the leaves.
        results: shape and element type of each result.
        structure: how the results make up what the function returns.
        executable: from the leaves, if all are JAX arrays or Python numbers, to a list of JAX
            arrays; None if calls from Python are better.
        weak: whether a result takes the type of an array beside it; only JAX makes such arrays.
    """

    call: Callable[[Sequence[Array]], list[Array]]
    dtypes: tuple[np.dtype[Any], ...]
    results: tuple[Any, ...]
    structure: Any
    executable: Callable[..., Any] | None
    weak: bool


def _again(function: Callable[..., Any], *arguments: Any) -> JitFunction:
    """Unpickle a compiled function that is pickled with its Python function."""
    return JitFunction(function, *arguments)


class JitFunction:
    """A JAX function that is called through kernels; see `jit`."""

    def __init__(
        self, function: Callable[..., Any], fallback: str, static: Any, options: dict[str, Any]
    ) -> None:
        if fallback not in ("jax", "error"):
            raise ValueError(f'fallback: expected "jax" or "error", found {fallback!r}')
        self._jax = load_jax()
        self._flatten: Any = self._jax.tree_util.tree_flatten
        self._tracer: Any = self._jax.core.Tracer
        self._dispatched: frozenset[type] = frozenset()
        self._own: Any = self._jax.jit(function, static_argnames=static, keep_unused=True)
        self._static = (static,) if isinstance(static, str) else tuple(static or ())
        self._static_places = places_of(function, self._static) if self._static else {}
        self._function, self._fallback, self._options = function, fallback, options
        self._programs: dict[Any, Program | None] = {}
        update_wrapper(self, function)

    def __reduce__(self) -> str | tuple[Any, ...]:
        """Pickled by name, as functions are, if it has one; else with its Python function."""
        if is_named(self):
            return name_of(self)
        return _again, (self._function, self._fallback, self._static, self._options)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        """As a method, the instance is the first argument: it has to be static or a pytree."""
        return self if instance is None else partial(self, instance)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The function's result, with JAX arrays as leaves."""
        static = {k: kwargs[k] for k in self._static if k in kwargs}
        dynamic = {k: v for k, v in kwargs.items() if k not in static}
        traced = args
        if places := self._static_places:
            placed = {name: args[i] for i, name in places.items() if i < len(args)}
            if not placed.keys().isdisjoint(static):
                return self._own(*args, **kwargs)  # raises: an argument is given twice
            static |= placed
            traced = tuple([arg for i, arg in enumerate(args) if i not in places])
        leaves, structure = self._flatten((traced, dynamic))
        if any(isinstance(leaf, self._tracer) for leaf in leaves):
            return self._own(*args, **kwargs)
        kinds = tuple(_kind(leaf) for leaf in leaves)
        key = (structure, kinds, static_key(static), self._jax.config.jax_enable_x64)
        if key not in self._programs:
            self._programs[key] = self._compiled(args, kwargs)
        if (program := self._programs[key]) is None:
            return self._own(*args, **kwargs)
        dispatched = program.weak or self._dispatched.issuperset(map(type, leaves))
        if program.executable is not None and dispatched:
            found = program.executable(*leaves)
            return self._jax.tree_util.tree_unflatten(program.structure, found)
        inputs = [np.asarray(leaf, d) for leaf, d in zip(leaves, program.dtypes, strict=True)]
        shared = [self._given(array) for array in program.call(inputs)]
        return self._jax.tree_util.tree_unflatten(program.structure, shared)

    def lower(self, *args: Any, **kwargs: Any) -> Any:
        """The function as JAX lowers it for these arguments; `snippets_mlir.compile` accepts it."""
        return self._own.lower(*args, **kwargs)

    def compiled(self, *args: Any, **kwargs: Any) -> tuple[Any, Compiled]:
        """The function as JAX traces it for these arguments, and its program.

        `jax.ShapeDtypeStruct`s may take the place of arrays.

        Raises:
            CompileError: the compiler cannot take it; the message has the place in the function.
        """
        traced = self._own.trace(*args, **kwargs)
        refuse_keys((*traced.jaxpr.in_avals, *traced.jaxpr.out_avals))
        lowered = traced.lower()
        if self._fallback == "jax":
            refuse_long_loops(lowered)
        try:
            return traced, compile(lowered, **self._options)
        except CompileError as error:
            raise located(error, lowered) from None

    def program(self, *args: Any, **kwargs: Any) -> Program:
        """The program for arguments; a CompileError if there is none."""
        traced, compiled = self.compiled(*args, **kwargs)
        leaves, structure = self._jax.tree_util.tree_flatten(traced.out_info)
        results = tuple(leaves)

        def call(inputs: Sequence[Array]) -> list[Array]:
            outputs = [RESULTS.array(r.shape, np.dtype(r.dtype)) for r in results]
            compiled(*inputs, out=outputs)
            return outputs

        dtypes = tuple(spec.dtype for spec in compiled.inputs)
        executable = self._executable(traced, compiled)
        weak = any(r.weak_type for r in results)
        return Program(call, dtypes, results, structure, executable, weak)

    def _executable(self, traced: Any, compiled: Compiled) -> Callable[..., Any] | None:
        """The call of a program as a JAX function; None if calls from Python are better."""
        assert isinstance(compiled, StaticProgram), "JAX lowers for sizes"
        program = compiled.build_for(()).program
        kept = program.sizes.places.arena + sum(c.nbytes for c in program.constants.values())
        large = any(math.prod(s.static_shape) * s.dtype.itemsize >= FRESH for s in compiled.outputs)
        is_here = self._jax.default_backend() == "cpu"
        if kept > KEPT or large or not (is_here and program.fills_outputs):
            return None
        try:
            site = call_site_of(traced.out_info, program)
        except CompileError:  # the interface of XLA is unknown: Python makes the calls
            return None
        array: Any = self._jax.numpy.zeros(())
        self._dispatched = frozenset((array.__class__, bool, int, float))

        def call(*leaves: Any) -> Any:
            return site.call(leaves)

        return self._jax.jit(call)

    def _compiled(self, args: Any, kwargs: Any) -> Program | None:
        """The program, or None if JAX runs the function."""
        try:
            return self.program(*args, **kwargs)
        except CompileError as error:
            if self._fallback == "error":
                raise
            warnings.warn(f"{error}; JAX runs the function", RuntimeWarning, stacklevel=3)
            return None

    def _given(self, array: Array) -> Any:
        """A result as a JAX array, shared or copied."""
        if array.nbytes >= SHARED and array.dtype.kind in "fiu":
            return self._jax.dlpack.from_dlpack(array)
        return self._jax.numpy.asarray(array)


def _kind(leaf: Any) -> object:
    """What the program depends on: a leaf's shape and type, or the class of a Python number."""
    if hasattr(leaf, "dtype"):
        return leaf.shape, leaf.dtype, getattr(leaf, "weak_type", False)
    return leaf.__class__


def jit(
    function: Callable[..., Any] | None = None,
    *,
    fallback: str = "jax",
    static_argnames: str | Sequence[str] | None = None,
    **options: Any,
) -> Any:
    """A function of JAX, compiled at its first call for the shapes and types of its arguments.

    Args:
        function: any function that `jax.jit` takes; arguments and results are pytrees of arrays.
        fallback: `"jax"`: if the compiler cannot compile the function, JAX runs it, with one
            warning; `"error"`: a CompileError.
        static_argnames: names of arguments that are not arrays.
        **options: of `snippets_mlir.compile`, as `num_threads` or `math`.
    """
    if function is None:
        return partial(jit, fallback=fallback, static_argnames=static_argnames, **options)
    return JitFunction(function, fallback, static_argnames, options)
