"""ATen ops that rename dims, move elements, repeat them or change their type.

    view, squeeze, unsqueeze, ...      snippets.reshape (squeeze and unsqueeze of dynamic shapes)
    permute, transpose, t              snippets.transpose
    expand                             snippets.broadcast
    _to_copy(x, dtype)                 snippets.convert_truncation
    cat                                snippets.concat
    constant_pad_nd                    snippets.pad
    full, full_like, scalar_tensor     snippets.broadcast of a scalar
    arange                             snippets.iota
    clone, detach, alias               nothing

A view whose result has several dynamic sizes, or repeats elements a dynamic number of times, stays
in eager torch. Slices are in `slices.py`. Source: the definitions of the ops in ATen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, cast

from xdsl.dialects.builtin import IntegerType, Signedness, i1, i64
from xdsl.ir import Attribute, SSAValue

from snippets_mlir.dialects.builtin.dims import static_shape
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_type
from snippets_mlir.dialects.snippets.arithmetic import AddOp, MultiplyOp, SubtractOp
from snippets_mlir.dialects.snippets.base import FLOAT, INTEGER, kind_of
from snippets_mlir.dialects.snippets.canonicalization.layouts import is_reshapable
from snippets_mlir.dialects.snippets.concatenation import ConcatOp
from snippets_mlir.dialects.snippets.conversion import BroadcastOp, ReshapeOp
from snippets_mlir.dialects.snippets.cumulative import CumSumOp
from snippets_mlir.dialects.snippets.iota import MOST_FOLDED, IotaOp
from snippets_mlir.dialects.snippets.layout import SqueezeOp, TransposeOp, UnsqueezeOp
from snippets_mlir.dialects.snippets.padding import PadOp
from snippets_mlir.dialects.snippets.shapes import DYNAMIC, is_static
from snippets_mlir.frontends.torch.node import NodeBuilder, Unheld

Rule = Callable[[NodeBuilder], SSAValue]


_MOST_COPIES = 16
"""Parts of a join that kernels write (docs/kernels.md)."""


def _same(b: NodeBuilder) -> SSAValue:
    return b.tensor()


def _view(b: NodeBuilder) -> SSAValue:
    x, shape = b.tensor(), shape_of(b.result_type())
    # Where torch has an expression over symbols, the call may have the number.
    given = b.arguments.get("size") or shape
    shape = tuple(
        new if isinstance(new, int) and new >= 0 else size
        for size, new in zip(shape, given, strict=True)
    )
    if not is_reshapable(shape):
        raise Unheld("several sizes of the view are known only when it is called")
    return x if shape == shape_of(x) and is_static(shape) else b.emit(ReshapeOp(x, shape))


def _squeeze(b: NodeBuilder) -> SSAValue:
    x = b.tensor()
    if is_static(shape_of(x)):
        return _view(b)
    axes = b.axes() if "dim" in b.arguments else range(len(shape_of(x)))
    return b.emit(SqueezeOp(x, [axis for axis in axes if shape_of(x)[axis] == 1]))


def _unsqueeze(b: NodeBuilder) -> SSAValue:
    x = b.tensor()
    if is_static(shape_of(x)):
        return _view(b)
    return b.emit(UnsqueezeOp(x, [b.arguments["dim"]]))


def _permuted(b: NodeBuilder, permutation: list[int]) -> SSAValue:
    rank = len(permutation)
    permutation = [dim % rank for dim in permutation]
    if permutation == list(range(rank)):
        return b.tensor()
    return b.emit(TransposeOp(b.tensor(), permutation))


def _permute(b: NodeBuilder) -> SSAValue:
    return _permuted(b, list(b.arguments["dims"]))


def _transpose(b: NodeBuilder) -> SSAValue:
    dims = list(range(len(shape_of(b.tensor()))))
    if not dims:
        return b.tensor()
    first, second = b.arguments.get("dim0", 0), b.arguments.get("dim1", -1)
    dims[first], dims[second] = dims[second], dims[first]
    return _permuted(b, dims)


def _expand(b: NodeBuilder) -> SSAValue:
    x, shape = b.tensor(), shape_of(b.result_type())
    given = (1,) * (len(shape) - len(shape_of(x))) + shape_of(x)
    if any(new == DYNAMIC != old for old, new in zip(given, shape, strict=True)):
        raise Unheld("how often it repeats elements is known only when it is called")
    return x if shape == shape_of(x) else b.emit(BroadcastOp(x, shape))


def _cat(b: NodeBuilder) -> SSAValue:
    tensors = [b.values_of(node) for node in b.arguments["tensors"]]
    parts = [b.convert(value, b.element) for value in tensors if isinstance(value, SSAValue)]
    # Tensors of shape (0,) may stand beside tensors of any rank.
    rank = len(shape_of(b.result_type()))
    parts = [part for part in parts if rank == 1 or shape_of(part) != (0,)]
    return b.emit(ConcatOp(parts, int(b.arguments["dim"]) % rank))


def _pad(b: NodeBuilder) -> SSAValue:
    x, amounts = b.tensor(), list(b.arguments["pad"])
    if not all(isinstance(amount, int) for amount in amounts):
        raise Unheld("how much it pads is known only when it is called")
    if any(amount < 0 for amount in amounts):
        raise Unheld("it cuts elements off")
    value = b.arguments["value"]
    if kind_of(b.element) != FLOAT and not _is_element(value, cast("IntegerType", b.element)):
        raise Unheld(f"it pads elements of type {b.element} with {value}")
    whole = [0] * (len(shape_of(x)) - len(amounts) // 2)
    low, high = ([*whole, *reversed(amounts[side::2])] for side in (0, 1))
    return b.emit(PadOp(x, b.operand("value", b.element), low, high))


def _is_element(value: Any, element: IntegerType) -> bool:
    """Whether a number is one of the type; torch has rules of its own for others."""
    is_signed = element.signedness.data != Signedness.UNSIGNED and element != i1
    least = -(1 << (element.width.data - 1)) if is_signed else 0
    return not isinstance(value, int | float) or (
        least <= value < least + (1 << element.width.data) and value == int(value)
    )


def _repeat(b: NodeBuilder) -> SSAValue:
    x, counts = b.tensor(), list(b.arguments["repeats"])
    if not all(isinstance(count, int) and 0 < count <= _MOST_COPIES for count in counts):
        raise Unheld(f"it has another number of copies than 1 to {_MOST_COPIES} along a dim")
    if new := len(counts) - len(shape_of(x)):
        x = b.emit(UnsqueezeOp(x, list(range(new))))
    for dim, count in reversed([*enumerate(counts)]):
        if count > 1:
            x = b.emit(ConcatOp([x] * count, dim))
    return x


def _convert(b: NodeBuilder) -> SSAValue:
    return b.convert(b.tensor("a" if "a" in b.arguments else "self"), b.element)


def _full(b: NodeBuilder) -> SSAValue:
    shape = shape_of(b.result_type())
    if not is_static(shape):
        raise Unheld("its sizes are known only when it is called")
    name = "s" if "s" in b.arguments else "fill_value"
    value = b.operand(name, b.element)
    return b.emit(BroadcastOp(value, shape)) if shape else value


def numbers_along(b: NodeBuilder, shape: Sequence[int], axis: int, element: Attribute) -> SSAValue:
    """0, 1, 2, ... along a dim; if there are too many for a constant, cumulative sums of ones."""
    if prod(shape) <= MOST_FOLDED:
        return b.emit(IotaOp(tensor_type(element, shape), axis))
    ones = b.emit(BroadcastOp(b.scalar(1, i64), shape))
    counted = b.emit(SubtractOp(b.emit(CumSumOp(ones, axis)), b.scalar(1, i64)))
    return b.convert(counted, element)


def _arange(b: NodeBuilder) -> SSAValue:
    """Numbers that count from `start` in steps: integers, or floats from 0 in steps of 1."""
    shape, element = shape_of(b.result_type()), b.element
    start, step = b.arguments["start"], b.arguments["step"]
    if not is_static(shape) or not isinstance(step, int | float):
        raise Unheld("its numbers are known only when it is called")
    counts = (start, step) == (0, 1)
    if not counts and kind_of(element) != INTEGER:
        raise Unheld("it counts floats in steps that are not 1")
    value = numbers_along(b, static_shape(shape), 0, element)
    if not counts:
        value = b.emit(MultiplyOp(value, b.scalar(step, element)))
        value = b.emit(AddOp(value, b.operand("start", element)))
    return value


SAME_MEMORY: dict[str, Rule] = {
    "_unsafe_view": _view,
    "alias": _same,
    "clone": _same,
    "detach": _same,
    "lift_fresh_copy": _same,
    "reshape": _view,
    "squeeze": _squeeze,
    "unsqueeze": _unsqueeze,
    "view": _view,
}
"""Views with the elements of the operand in the same order."""

WHOLE_VIEWS: dict[str, Rule] = {
    **SAME_MEMORY,
    "expand": _expand,
    "permute": _permute,
    "t": _transpose,
    "transpose": _transpose,
}
"""Views of all elements."""

COPIES = ("clone", "lift_fresh_copy")
"""Such ops whose results have their own memory."""

CONSTANTS: dict[str, Rule] = {
    "arange": _arange,
    "full": _full,
    "full_like": _full,
    "scalar_tensor": _full,
}
"""Ops without tensors to read."""

JOINS: dict[str, Rule] = {"cat": _cat, "constant_pad_nd": _pad, "repeat": _repeat}
"""Ops whose results hold elements of several tensors."""

CONVERSIONS: dict[str, Rule] = {"_to_copy": _convert, "convert_element_type": _convert}
"""Ops that change the element type."""
