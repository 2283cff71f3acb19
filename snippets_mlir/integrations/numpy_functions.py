"""`snippets_mlir.jit`: functions of NumPy arrays, traced, compiled and called through kernels.

    @snippets_mlir.jit
    def gelu(x):
        return x * 0.5 * (1 + np.tanh(0.7978845608 * (x + 0.044715 * x**3)))

The function runs once for the shapes and dtypes of its arguments, on traced values
(`frontends/numpy/trace.py`). The resulting module is compiled, or found in the cache on disk, and
called from then on. Values that the function reads besides its arguments are read at tracing time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial, update_wrapper
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from snippets_mlir.dialects.builtin.dtypes import Array
from snippets_mlir.driver import Compiled
from snippets_mlir.frontends.numpy.arrays import TracedArray
from snippets_mlir.frontends.numpy.trace import Trace, leaves_of, rebuilt, refuse
from snippets_mlir.integrations.byte_order import native
from snippets_mlir.integrations.numpy_kinds import (
    kind,
    kind_of_any_size,
    short_key,
    short_key_of_any_size,
)
from snippets_mlir.integrations.numpy_lowered import Lowered, result_value
from snippets_mlir.integrations.signatures import (
    bound_arguments,
    is_named,
    name_of,
    signature_of,
    static_key,
)
from snippets_mlir.support.errors import CompileError

if TYPE_CHECKING:
    from snippets_mlir.driver.programs.tensors import TensorProgram


def _again(
    function: Callable[..., Any], static: tuple[str, ...], options: Mapping[str, Any], dynamic: bool
) -> JitFunction:
    """Unpickle a compiled function that is pickled with its Python function."""
    return JitFunction(function, static, options, dynamic=dynamic)


class JitFunction:
    """A function of NumPy arrays that is called through kernels; see `jit`."""

    def __init__(
        self,
        function: Callable[..., Any],
        static: tuple[str, ...],
        options: Mapping[str, Any],
        *,
        dynamic: bool = False,
    ) -> None:
        self._function, self._static, self._options = function, static, options
        self._dynamic = dynamic
        self._short_key = short_key_of_any_size if dynamic else short_key
        self._signature = signature_of(function)
        unknown = [name for name in static if name not in self._signature.parameters]
        if unknown:
            raise ValueError(f"static_argnames: the function has no argument '{unknown[0]}'")
        self._plain: dict[Any, TensorProgram] = {}
        self._before: TensorProgram | None = None  # ran the last call
        self._latest: TensorProgram | None = None  # ran the last two calls
        self._programs: dict[Any, tuple[Compiled, Lowered]] = {}
        update_wrapper(self, function)

    def __reduce__(self) -> str | tuple[Any, ...]:
        """Pickled by name, as functions are, if it has one; else with its Python function."""
        if is_named(self):
            return name_of(self)
        return _again, (self._function, self._static, self._options, self._dynamic)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        """As a method, the instance is the first argument: it has to be static or a tree."""
        return self if instance is None else partial(self, instance)

    def __call__(self, *args: Any, out: Any = None, **kwargs: Any) -> Any:
        """The results of the function: arrays, NumPy numbers, and tuples, lists, dicts of them.

        Args:
            *args: arrays, numbers, and tuples, lists, dicts of them.
            out: arrays for the results, in the order of the leaves.
            **kwargs: the same, by name.
        """
        if not kwargs:
            if (latest := self._latest) is not None:
                if (found := latest.call_again(args, out)) is not None:
                    return found
                self._latest = self._before = None
            try:
                program = self._plain[self._short_key(args)]
            except (KeyError, AttributeError, TypeError, CompileError):
                pass
            else:
                if program is self._before:
                    self._latest = program
                self._before = program
                return program(*args) if out is None else program(*args, out=out)
        return self._called(args, kwargs, out)

    def lower(self, *args: Any, dynamic: bool | None = None, **kwargs: Any) -> Lowered:
        """The module for these arguments; only shapes and dtypes of arrays are read.

        Args:
            *args: of the function.
            dynamic: whether the sizes of arrays are dynamic; None: as in the arguments of `jit`.
            **kwargs: of the function.

        Raises:
            CompileError: the function cannot be traced; with the user's file and line.
        """
        dynamic = self._dynamic if dynamic is None else dynamic
        return self._traced(*self._split(args, kwargs), dynamic)

    def explain(self, *args: Any, **kwargs: Any) -> str:
        """The kernels for these arguments, the ops beside them, and the reasons.

        Without arguments, for each compiled program, in the order of the first calls.
        """
        if args or kwargs or not self._programs:
            return self.lower(*args, **kwargs).explain()
        return "\n".join(lowered.explain() for _, lowered in self._programs.values())

    def _split(self, args: Any, kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """The arguments by name: traced ones and static ones."""
        given = bound_arguments(self._signature, self._static, args, kwargs)
        static = {n: v for n, v in given.items() if n in self._static}
        return {n: v for n, v in given.items() if n not in static}, static

    def _called(self, args: Any, kwargs: Any, out: Any) -> Any:
        traced, static = self._split(args, kwargs)
        leaves = [*leaves_of(traced)]
        if any(isinstance(leaf, TracedArray) for leaf in leaves):  # called by another function
            if out is not None:
                refuse(
                    "out= of a function that another one calls writes to an array: use its result"
                )
            return self._function(*args, **kwargs)
        dynamic = self._dynamic and all(np.size(leaf) for leaf in leaves)
        structure = rebuilt(traced, kind_of_any_size if dynamic else kind)
        key = repr(structure), static_key(static)
        if key not in self._programs:
            lowered = self._traced(traced, static, dynamic)
            self._programs[key] = lowered.compile(), lowered
            if dynamic == self._dynamic:
                self._remember(args, kwargs, *self._programs[key])
        program, lowered = self._programs[key]
        lowered.check(leaves)
        inputs = [native(leaf) for leaf in leaves]
        found: Any = program(*inputs) if out is None else program(*inputs, out=out)
        results = cast("Sequence[Array]", found if isinstance(found, tuple) else (found,))

        def result(place: int) -> Any:
            array = results[place]
            return array if array.ndim else array[()]

        return rebuilt(lowered.results, result)

    def _remember(self, args: Any, kwargs: Any, program: Compiled, lowered: Lowered) -> None:
        """Use the fast path from now on, for calls with only arrays and one array as result."""
        from snippets_mlir.driver.programs.tensors import TensorProgram

        simple = lowered.results == 0 and program.outputs[0].shape
        plain = all(type(a) is np.ndarray and a.dtype.isnative for a in args)
        if simple and plain and not kwargs and not self._static:
            if len(args) == len(program.inputs) and isinstance(program, TensorProgram):
                self._plain[self._short_key(args)] = program

    def _traced(self, traced: dict[str, Any], static: dict[str, Any], dynamic: bool) -> Lowered:
        """Run the function on traced values."""
        trace = Trace()
        names: list[str] = []
        given: dict[str, Any] = {}
        for name, tree in traced.items():
            count = sum(1 for _ in leaves_of(tree))

            def argument(leaf: Any, name: str = name, count: int = count) -> TracedArray:
                number = sum(n.partition(".")[0] == name for n in names)
                names.append(name if count == 1 else f"{name}.{number}")
                return trace.argument(leaf, names[-1], dynamic=dynamic)

            given[name] = rebuilt(tree, argument)
        bound = self._signature.bind_partial()
        bound.arguments.update({**given, **static})
        ordered = {
            n: bound.arguments[n] for n in self._signature.parameters if n in bound.arguments
        }
        bound.arguments.clear()
        bound.arguments.update(ordered)
        try:
            returned = self._function(*bound.args, **bound.kwargs)
            values = [result_value(trace, leaf, self._function) for leaf in leaves_of(returned)]
        finally:
            trace.open = False
        places = iter(range(len(values)))
        results = rebuilt(returned, lambda _: next(places))
        if not values:
            raise CompileError(f"{name_of(self._function)} returns no array")
        text = trace.finish(values, names)
        integers = frozenset(trace.integers)
        return Lowered(text, tuple(names), results, self._options, integers)


def jit(
    function: Callable[..., Any] | None = None,
    *,
    static_argnames: str | Sequence[str] = (),
    dynamic: bool = False,
    **options: Any,
) -> Any:
    """A function of NumPy arrays, compiled at its first call for the shapes and dtypes given.

    Args:
        function: it applies NumPy, Python's operators and other such functions to its arguments.
        static_argnames: arguments that are not arrays; the function is compiled for each value.
        dynamic: trace once for arrays of any sizes, of the same ranks and dtypes; arguments
            without elements are compiled for their shapes.
        **options: of `snippets_mlir.compile`, as `num_threads` or `math`.

    Raises:
        CompileError: at the call, if the function cannot be compiled; with the user's file and
            line.
    """
    static = (static_argnames,) if isinstance(static_argnames, str) else tuple(static_argnames)
    if function is None:
        return partial(jit, static_argnames=static, dynamic=dynamic, **options)
    return JitFunction(function, static, options, dynamic=dynamic)
