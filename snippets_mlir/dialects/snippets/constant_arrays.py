"""The elements of `snippets.constant` and `snippets.scalar` as arrays, whatever their form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from xdsl.ir import Attribute

from snippets_mlir.dialects.builtin.dtypes import Array
from snippets_mlir.dialects.builtin.shaped import tensor_of
from snippets_mlir.dialects.snippets.attributes import PanelsAttr, ResourceAttr
from snippets_mlir.dialects.snippets.constants import ConstantOp, ScalarOp
from snippets_mlir.dialects.snippets.folding import dense_of_scalar
from snippets_mlir.dialects.snippets.panels import pack
from snippets_mlir.dialects.snippets.resources import load_resource
from snippets_mlir.dialects.snippets.values.constant import constant_array


def array_of(
    op: ConstantOp | ScalarOp, named: Callable[[ResourceAttr], Array] = load_resource
) -> Array:
    """The elements of a constant, in the shape of its result.

    Args:
        op: the constant, whose sizes are all static.
        named: returns the elements that an attribute names.

    Raises:
        CompileError: the elements are in a file that is missing or has changed.
    """
    if isinstance(op, ScalarOp):
        return constant_array(dense_of_scalar(op.value, tensor_of(op.result)))
    return elements_of(op.value, named)


def elements_of(data: Attribute, named: Callable[[ResourceAttr], Array] = load_resource) -> Array:
    """The elements of a dense attribute, a resource or panels; see `array_of`."""
    packed = data if isinstance(data, PanelsAttr) else None
    value = data if packed is None else packed.source
    if isinstance(value, ResourceAttr):
        array = named(value)
    else:
        array = constant_array(cast(Any, value))
    return array if packed is None else pack(packed, array)
