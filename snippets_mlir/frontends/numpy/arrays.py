"""`TracedArray`: an array with NumPy's interface that has a type but no elements."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, NoReturn, cast

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from xdsl.ir import BlockArgument, SSAValue

from snippets_mlir.dialects.builtin.dtypes import Array, numpy_dtype
from snippets_mlir.dialects.builtin.shaped import tensor_of
from snippets_mlir.frontends.numpy.trace import Trace, leaves_of, refuse
from snippets_mlir.frontends.numpy.types import python_type

fn: Any = np
"""NumPy's functions on traced values, which its type stubs do not know."""


class TracedArray(NDArrayOperatorsMixin):
    """A value of a function that is traced.

    Attributes:
        within: the trace of the value.
        value: its value in the module.
        number: `int` or `float` for an argument that is a Python number.
    """

    __array_priority__ = 100

    def __init__(
        self, trace: Trace, value: SSAValue, number: type[int | float] | None = None
    ) -> None:
        self.within, self.value, self.number = trace, value, number

    @property
    def shape(self) -> tuple[int, ...]:
        """Its sizes.

        Raises:
            CompileError: they are not known; with the user's line.
        """
        if self.is_dynamic:
            refuse("the function asks for sizes that dynamic=True leaves open: compile without it")
        return tensor_of(self.value).get_shape()

    @property
    def is_dynamic(self) -> bool:
        """Whether a size is not known."""
        return not tensor_of(self.value).has_static_shape()

    @property
    def dtype(self) -> np.dtype[Any]:
        """The NumPy dtype of the elements."""
        return numpy_dtype(tensor_of(self.value).element_type)

    @property
    def ndim(self) -> int:
        """The number of dims, known while tracing."""
        return tensor_of(self.value).get_num_dims()

    @property
    def size(self) -> int:
        """The number of elements, an integer."""
        return int(np.prod(self.shape))

    @property
    def itemsize(self) -> int:
        """The bytes of an element."""
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """The bytes of its elements."""
        return self.size * self.itemsize

    @property
    def real(self) -> TracedArray:
        """The array itself: there are no complex numbers."""
        return self

    @property
    def T(self) -> TracedArray:
        """The dims in the other order."""
        return fn.transpose(self)

    @property
    def mT(self) -> TracedArray:
        """The last two dims in the other order."""
        return fn.swapaxes(self, -1, -2)

    def __repr__(self) -> str:
        sizes = ["?" if n < 0 else n for n in tensor_of(self.value).get_shape()]
        return f"TracedArray({self.dtype}[{', '.join(map(str, sizes))}])"

    def __array_namespace__(self, *, api_version: str | None = None) -> Any:
        """The Array API's functions on traced values: those of NumPy, by `snippets_mlir.xp`."""
        return import_module("snippets_mlir.xp")

    def __len__(self) -> int:
        if not self.ndim:
            raise TypeError("len() of an array without dims")
        return self.shape[0]

    def __iter__(self) -> Iterator[TracedArray]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, key: Any) -> TracedArray:
        from snippets_mlir.frontends.numpy.indexing import item

        return item(self, key)

    def __setitem__(self, key: Any, value: Any) -> NoReturn:
        refuse("a traced array cannot be written to: write np.where(condition, new, old)")

    def __pow__(self, other: Any) -> Any:
        """A power; like NumPy's operator, a square or a root for these exponents."""
        if type(other) in (int, float) and other in (2, 0.5) and self.ndim:
            x = self if self.dtype.kind not in "iub" or type(other) is int else self * 1.0
            if other == 2:
                return fn.square(x)
            return fn.sqrt(x)
        return fn.power(self, other)

    def __bool__(self) -> bool:
        refuse("a traced value has no truth value: write np.where(condition, a, b) in place of if")

    def _number(self, *_: Any) -> Any:
        refuse("a traced value is no number of Python: keep it an array")

    __int__ = __float__ = __complex__ = __index__ = item = tolist = _number

    def __array__(self, *_: Any, **__: Any) -> Array:
        refuse(
            "a traced value has no elements: this function of NumPy is not compiled; an array that "
            "traced places are taken of has to be an argument, or is taken of by "
            "snippets_mlir.xp.take(array, places, axis=0)"
        )

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        """A universal function, or its `reduce` or `accumulate`."""
        from snippets_mlir.frontends.numpy.formulas import SEVERAL
        from snippets_mlir.frontends.numpy.ufuncs import accumulate, apply

        if options.pop("out", None) is not None:
            refuse(
                f"np.{ufunc.__name__} with out= writes to an array: use its result, and write "
                "x = x + y in place of x += y"
            )
        dtype = options.pop("dtype", None)
        if method == "__call__" and not options:
            if ufunc in SEVERAL and dtype is None:
                return SEVERAL[ufunc](*inputs)
            if ufunc.signature is not None and ufunc is getattr(np, ufunc.__name__, None):
                from snippets_mlir.frontends.numpy.products import GENERALIZED

                if ufunc.__name__ in GENERALIZED:
                    return GENERALIZED[ufunc.__name__](*inputs, dtype=dtype)
            return apply(ufunc, inputs, dtype)
        if method == "reduce" and set(options) <= {"axis", "keepdims", "initial", "where"}:
            from snippets_mlir.frontends.numpy.functions import result_of
            from snippets_mlir.frontends.numpy.reductions import reduce_some

            axis, keepdims = options.get("axis", 0), bool(options.get("keepdims"))
            given = options.get("initial"), options.get("where", True)
            reduced = (ufunc, inputs[0], axis, keepdims, dtype, *given)
            return result_of(f"np.{ufunc.__name__}.reduce", reduce_some, reduced, {})
        if method == "accumulate" and set(options) <= {"axis"}:
            return accumulate(ufunc, inputs[0], options.get("axis", 0), dtype)
        if method == "__call__" and "where" in options:
            refuse(
                f"np.{ufunc.__name__} with where= leaves elements undefined: write "
                f"np.where(condition, np.{ufunc.__name__}(...), otherwise)"
            )
        refuse(f"np.{ufunc.__name__} with {', '.join(options) or method} is not compiled")

    def __array_function__(
        self, function: Any, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """A NumPy function that is not a ufunc."""
        from snippets_mlir.frontends.numpy.functions import call

        return call(function, args, kwargs)

    def __getattr__(self, name: str) -> Any:
        """A method of arrays is the function of NumPy of the same name."""
        from snippets_mlir.frontends.numpy.methods import METHODS

        if name not in METHODS:
            if hasattr(np.ndarray, name) and not name.startswith("__"):
                refuse(f"{name} of arrays is not compiled; docs/numpy.md lists what is")
            raise AttributeError(f"a traced array has no {name!r}")
        return METHODS[name].__get__(self)


@dataclass(frozen=True)
class Operand:
    """An operand of a function: traced, an array, or a number.

    Attributes:
        given: the user's operand.
        promoted: the argument for NumPy's promotion: a dtype, `int` or `float`.
    """

    given: Any
    promoted: Any

    @property
    def is_traced_integer(self) -> bool:
        """Whether it is an integer of Python that the call gives."""
        return self.promoted is int and isinstance(self.given, TracedArray)

    def value(self, trace: Trace, dtype: np.dtype[Any]) -> SSAValue:
        """Its value with elements of `dtype`."""
        if isinstance(self.given, TracedArray):
            if self.given.within is not trace:
                refuse("a traced value of another function is used")
            value = self.given.value
            if self.given.number is int and isinstance(value, BlockArgument) and dtype.kind in "iu":
                trace.integers.add((value.index, dtype))
            return trace.converted(value, dtype)
        return trace.constant(np.asarray(self.given, dtype))


def operand_of(given: Any) -> Operand:
    """An operand, with the facts that promotion needs."""
    if isinstance(given, TracedArray):
        return Operand(given, given.number or given.dtype)
    if isinstance(given, list | tuple):
        items = cast("Sequence[Any]", given)
        if any(isinstance(x, TracedArray) for x in items):
            return operand_of(fn.stack([*items]))
    array: Array = np.asarray(cast(Any, given))
    return Operand(cast(Any, given), python_type(cast(Any, given)) or array.dtype)


def trace_of(*given: Any) -> Trace:
    """The trace of the first traced array in `given`, at any depth."""
    return next(leaf for leaf in leaves_of(given) if isinstance(leaf, TracedArray)).within
