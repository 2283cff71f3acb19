"""What a mask is at the keys beyond a diagonal, whatever its inputs are.

    %c = snippets.less_equal %key, %row          false for j > i + 0
    %a = snippets.logical_and %c, %padding       false for j > i + 0
    %b = snippets.select %a, %bias, -inf         -inf for j > i + 0
    %h = snippets.equal %b, -inf                 true for j > i + 0
    %n = snippets.select %h, 0.0, 1.0            0.0 for j > i + 0

A causal mask may be combined with others, which are inputs: padding, a bias, a window. A sum with a
term of -2^100 or less counts as this term, and a product with 0 as 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf, prod
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from xdsl.dialects.builtin import IntegerAttr, i1
from xdsl.ir import SSAValue

from snippets_mlir.analysis.graph.counted_places import diagonal_of_places
from snippets_mlir.analysis.graph.diagonals import LOW, diagonal_of
from snippets_mlir.dialects.builtin.dims import Dim, Shape, known_less, static_shape
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.builtin.size_facts import has_symbols
from snippets_mlir.dialects.snippets.arithmetic import AddOp, MultiplyOp
from snippets_mlir.dialects.snippets.attributes import ResourceAttr
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.constants import ConstantOp, ScalarOp
from snippets_mlir.dialects.snippets.conversion import BroadcastOp, ReshapeOp
from snippets_mlir.dialects.snippets.logic import LogicalAndOp, LogicalOrOp
from snippets_mlir.dialects.snippets.product import DIAGONAL
from snippets_mlir.dialects.snippets.selection import SelectOp
from snippets_mlir.dialects.snippets.shapes import is_static
from snippets_mlir.dialects.snippets.whole_tensor import WholeTensorOp
from snippets_mlir.support.outside import OPS

if TYPE_CHECKING:
    from snippets_mlir.dialects.builtin.dtypes import Array

LARGEST = 2**28
"""The most elements of a mask that is computed here."""

MOST = 64
"""The most values of a mask: more are part of the model, and may be any number."""


NOTHING: Mapping[SSAValue, Far] = MappingProxyType({})


class Far(NamedTuple):
    """The elements (i, j) with j > i + `diagonal`; of all, if it is None, are `number`."""

    number: float
    diagonal: Dim | None = None


def _is_mask(value: SSAValue, given: Mapping[SSAValue, Far] = NOTHING) -> bool:
    """Whether a few elementwise ops compute a value, from `given` ones and others."""
    seen, waiting = {value, *given}, [value]
    most = len(given) + MOST
    while waiting and len(seen) <= most:
        op = waiting.pop().owner
        moves = isinstance(op, BroadcastOp | ReshapeOp)
        if moves or (isinstance(op, ComputeOp) and not isinstance(op, WholeTensorOp)):
            new = [it for it in dict.fromkeys(op.operands) if it not in seen]
            seen.update(new)
            waiting += new
    return len(seen) <= most


def elements_of_mask(value: SSAValue) -> Array | None:
    """The elements of `value`, if they follow from a few constants in the text."""
    return _elements(value, {}) if _is_mask(value) else None


def _elements(value: SSAValue, known: dict[SSAValue, Array | None]) -> Array | None:
    """The same; `known` has the elements of other values."""
    if value not in known:
        known[value] = _evaluated(value, known)
    return known[value]


def _evaluated(value: SSAValue, known: dict[SSAValue, Array | None]) -> Array | None:
    op = value.owner
    if isinstance(op, ConstantOp | ScalarOp):
        from snippets_mlir.dialects.snippets.constant_arrays import array_of

        return None if isinstance(op.value, ResourceAttr) else array_of(op)
    if not isinstance(op, ComputeOp) or isinstance(op, WholeTensorOp):
        return None
    shape = shape_of(value)
    if has_symbols(shape) or not is_static(shape) or prod(static_shape(shape)) > LARGEST:
        return None
    arrays: list[Array] = []
    for operand in op.operands:
        if (array := _elements(operand, known)) is None:
            return None
        arrays.append(array)
    from snippets_mlir.dialects.snippets.values.evaluate import evaluate

    return evaluate(op, arrays)


def far_keys(value: SSAValue, shape: Shape, given: Mapping[SSAValue, Far] = NOTHING) -> Far | None:
    """The number of a value for rows and keys `shape` beyond a diagonal; None if it is not known.

    Args:
        value: a mask, or what is computed from those in `given`.
        shape: the last two sizes; other values are known only if all their elements are equal.
        given: values of which the number is known.
    """
    return _far_keys(value, shape, dict(given)) if _is_mask(value, given) else None


def _far_keys(value: SSAValue, shape: Shape, known: dict[SSAValue, Far | None]) -> Far | None:
    """The same; `known` has the numbers of other values."""
    if value not in known:
        known[value] = _found(value, shape, known)
    return known[value]


def _found(value: SSAValue, shape: Shape, known: dict[SSAValue, Far | None]) -> Far | None:
    if (truth := _of_truth(value)) is not None:
        return truth if shape_of(value)[-2:] == shape else None
    op = value.owner
    found = None
    if isinstance(op, BroadcastOp | ReshapeOp):
        found = _far_keys(op.operand, shape, known)
        same = shape_of(op.operand)[-2:] == shape_of(value)[-2:] == shape
        if found is not None and found.diagonal is not None and not same:
            found = None
    elif isinstance(op, ComputeOp) and not isinstance(op, WholeTensorOp):
        found = _computed(op, [_far_keys(operand, shape, known) for operand in op.operands])
    if found is None and (array := elements_of_mask(value)) is not None:
        return _of_elements(array, shape)
    return found


def _computed(op: ComputeOp, parts: Sequence[Far | None]) -> Far | None:
    """The number of an elementwise op, from those of its operands that are known."""
    known = [part for part in parts if part is not None]
    if isinstance(op, SelectOp):
        kept, *cases = parts
        if kept is not None:
            case = cases[0 if kept.number else 1]
            return None if case is None else _all_of([kept, case], case.number)
        numbers = {part.number for part in known}
        low = max(numbers, default=0) <= LOW
        return (
            _all_of(known, max(numbers)) if len(known) == 2 and (low or len(numbers) == 1) else None
        )
    if len(known) == len(parts):
        number = _number(op, [part.number for part in known])
        return None if number is None else _all_of(known, number)
    return next((part for part in known if _decides(op, part.number)), None)


def _decides(op: ComputeOp, number: float) -> bool:
    """Whether one operand that is `number` makes the result this number."""
    if isinstance(op, LogicalAndOp | LogicalOrOp):
        return number == isinstance(op, LogicalOrOp)
    return number <= LOW if isinstance(op, AddOp) else number == 0 and isinstance(op, MultiplyOp)


def _number(op: ComputeOp, numbers: Sequence[float]) -> float | None:
    """The result of `op` on numbers; None for an op of a plug-in."""
    import numpy as np

    from snippets_mlir.dialects.builtin.dtypes import numpy_dtype
    from snippets_mlir.dialects.snippets.values.evaluate import VALUES

    function = None if op.name in OPS else VALUES.get(op.name)
    if function is None:
        return None
    dtypes = (numpy_dtype(tensor_of(operand).element_type) for operand in op.operands)
    arrays = [np.asarray(it, dtype) for it, dtype in zip(numbers, dtypes, strict=True)]
    with np.errstate(all="ignore"):
        result = function(op, numpy_dtype(tensor_of(op.results[0]).element_type), *arrays)
    return np.asarray(result).item()


def _all_of(parts: Sequence[Far], number: float) -> Far | None:
    """`number` where all parts are known: beyond the largest diagonal."""
    greatest: Dim | None = None
    for diagonal in (part.diagonal for part in parts):
        if greatest is None or diagonal is None or greatest == diagonal:
            greatest = diagonal if greatest is None else greatest
        elif (less := known_less(greatest, diagonal)) is None:
            return None
        elif less:
            greatest = diagonal
    return Far(number, greatest)


def _of_truth(mask: SSAValue) -> Far | None:
    """What a mask in a file, or one that compares places, is beyond a diagonal."""
    op = mask.owner
    if isinstance(op, ConstantOp) and tensor_of(op.result).element_type == i1:
        found = op.attributes.get(DIAGONAL)
        return Far(False, found.value.data) if isinstance(found, IntegerAttr) else None
    return None if (found := diagonal_of_places(mask)) is None else Far(*found)


def _of_elements(array: Array, shape: Shape) -> Far | None:
    if array.size and (array == array.flat[0]).all():
        return Far(array.flat[0].item())
    if array.ndim < 2 or array.shape[-2:] != shape:
        return None
    ways = [(False, array), (True, ~array)] if array.dtype == bool else [(-inf, array != -inf)]
    found = ((number, diagonal_of(kept)) for number, kept in ways)
    return next((Far(number, it) for number, it in found if it is not None), None)
