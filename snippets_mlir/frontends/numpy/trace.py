"""Traced values, on which a function of NumPy arrays runs, and the resulting module.

    def f(x, y):                        func.func @main(%x: tensor<4x8xf32>, %y: tensor<8xf32>)
        return np.tanh(x * 2) + y         %0 = snippets.scalar 2.0 : f32
                                          %1 = snippets.multiply %x, %0
    trace(f, [x, y])                      %2 = snippets.tanh %1
                                          %3 = snippets.add %2, %y

A traced value has a shape and a dtype, but no elements. NumPy's functions are dispatched here by
`__array_ufunc__` and `__array_function__` (NEP 13, NEP 18). Types are promoted by NumPy's rules
(NEP 50): a Python number takes the type of the array beside it, also as an argument. Operations
that need elements are refused with the line of the user's file: a truth value, a Python number, an
index that is a traced value, `np.asarray`, and the use of a value after its trace.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, NoReturn, cast

import numpy as np
from xdsl.dialects.builtin import DYNAMIC_INDEX, AnyFloat, FloatAttr, IntegerAttr, IntegerType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from snippets_mlir.dialects.builtin.dtypes import Array
from snippets_mlir.dialects.builtin.shaped import tensor_of, tensor_type
from snippets_mlir.dialects.snippets.constants import ConstantOp, ScalarOp
from snippets_mlir.dialects.snippets.conversion import ConvertTruncationOp
from snippets_mlir.dialects.snippets.values.constant import dense_attr
from snippets_mlir.frontends.numpy.text import function_text
from snippets_mlir.frontends.numpy.types import element_of, python_type
from snippets_mlir.support.errors import CompileError

if TYPE_CHECKING:
    from snippets_mlir.frontends.numpy.arrays import TracedArray

_PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
_NUMPY = os.path.dirname(os.path.abspath(np.__file__))

Leaf = Array | bool | int | float
"""An argument: an array, or a number of Python."""


def refuse(message: str) -> NoReturn:
    """Raise a CompileError at the traced line of the user's file."""
    frame = inspect.currentframe()
    while frame is not None:
        file = frame.f_code.co_filename
        if not file.startswith((_PACKAGE + os.sep, _NUMPY + os.sep)):
            place = next(islice(frame.f_code.co_positions(), frame.f_lasti // 2, None))
            column = None if place[2] is None else place[2] + 1
            raise CompileError(message, file=file, line=frame.f_lineno, column=column)
        frame = frame.f_back
    raise CompileError(message)


class Trace:
    """The block that a function of arrays becomes.

    Attributes:
        block: has its ops.
        open: whether more can be traced.
        integers: the types of integers that arguments which are Python's are converted to, with the
            places of the arguments.
    """

    def __init__(self) -> None:
        self.block = Block()
        self.open = True
        self.integers: set[tuple[int, np.dtype[Any]]] = set()

    def argument(self, leaf: Leaf, name: str, *, dynamic: bool = False) -> TracedArray:
        """A new argument of the shape and dtype of `leaf`; a number of Python stays one.

        With `dynamic`, its sizes are not known: it has the rank of `leaf`.
        """
        from snippets_mlir.frontends.numpy.arrays import TracedArray

        array = np.asarray(leaf)
        shape = [DYNAMIC_INDEX] * array.ndim if dynamic else array.shape
        type_ = tensor_type(element_of(array.dtype), shape)
        value = self.block.insert_arg(type_, len(self.block.args))
        value.name_hint = name if name.isascii() and name.isidentifier() else None
        return TracedArray(self, value, python_type(leaf))

    def add(self, op: Operation) -> SSAValue:
        """Append an op; its first result."""
        if not self.open:
            refuse("a traced value is used after its function has been traced; return it instead")
        self.block.add_op(op)
        return op.results[0]

    def constant(self, array: Array) -> SSAValue:
        """The value of a constant: a scalar if it is one number."""
        element = _element(array.dtype)
        if not array.ndim and isinstance(element, AnyFloat):
            return self.add(ScalarOp(FloatAttr(float(array), element)))
        dense = dense_attr(np.asarray(array), tensor_type(element, array.shape))
        if array.ndim:
            return self.add(ConstantOp(dense))
        (number,) = dense.get_attrs()
        return self.add(ScalarOp(cast("FloatAttr | IntegerAttr[IntegerType]", number)))

    def converted(self, value: SSAValue, dtype: np.dtype[Any]) -> SSAValue:
        """`value` with elements of `dtype`."""
        element = _element(dtype)
        if tensor_of(value).element_type == element:
            return value
        return self.add(ConvertTruncationOp(value, element))

    def finish(self, results: Sequence[SSAValue], names: Sequence[str]) -> str:
        """The module of the function `main`, as text; nothing can be traced any more."""
        self.open = False
        return function_text(self.block, results, names)


def _element(dtype: np.dtype[Any]) -> Attribute:
    """The element type, or a CompileError at the user's line."""
    try:
        return element_of(dtype)
    except CompileError as error:
        refuse(error.message)


Tree = Any
"""Tuples, lists and dicts of leaves; a leaf alone; None, which has no leaves."""


def leaves_of(tree: Tree) -> Iterator[Any]:
    """The leaves of tuples, lists and dicts, in order."""
    if isinstance(tree, Mapping):
        yield from leaves_of([*cast("Mapping[Any, Tree]", tree).values()])
    elif isinstance(tree, tuple | list):
        for item in cast("Sequence[Tree]", tree):
            yield from leaves_of(item)
    elif tree is not None:
        yield tree


def rebuilt(tree: Tree, leaf: Callable[[Any], Any]) -> Tree:
    """The same tuples, lists and dicts with new leaves, which `leaf` returns in order."""
    if isinstance(tree, Mapping):
        return {k: rebuilt(v, leaf) for k, v in cast("Mapping[Any, Tree]", tree).items()}
    if not isinstance(tree, tuple | list):
        return None if tree is None else leaf(tree)
    items = [rebuilt(item, leaf) for item in cast("Sequence[Tree]", tree)]
    if isinstance(tree, list):
        return items
    given: Any = cast(Any, tree)
    return given.__class__(*items) if hasattr(given, "_fields") else tuple(items)
