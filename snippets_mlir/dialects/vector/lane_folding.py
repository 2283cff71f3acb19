"""Folding of ops that only move elements: to an existing value with this order, or a constant.

    %t = vector.transpose %a, [1, 0] : vector<2x3xf32> to vector<3x2xf32>
    %b = vector.transpose %t, [1, 0] : vector<3x2xf32> to vector<2x3xf32>

The folder follows every element of `%b` back through the lanes of the moves to its source. Here the
source is the same position of `%a`, so `%b` is `%a`.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import cast

from xdsl.dialects.builtin import (
    AnyFloat,
    BytesAttr,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    PackableType,
    VectorType,
)
from xdsl.ir import Attribute, Operation, OpResult, SSAValue
from xdsl.traits import ConstantLike

from snippets_mlir.dialects.builtin.integers import integers_of
from snippets_mlir.dialects.builtin.shaped import element_of, extents_of
from snippets_mlir.dialects.vector.lanes import lanes_of, moves_elements

MAX_ELEMENTS = 4096
"""A larger result is not folded."""


MAX_DEPTH = 16
"""The largest number of moves that are followed back."""


def traced(value: SSAValue, index: int) -> tuple[SSAValue, int]:
    """The element where element `index` of `value` was before all moves."""
    for _ in range(MAX_DEPTH):
        owner = value.owner
        if not isinstance(owner, Operation) or not moves_elements(owner):
            break
        found = lanes_of(owner)
        assert isinstance(value, OpResult)
        lane = None if found is None else found[value.index][index]
        if lane is None:
            break
        value, index = owner.operands[lane[0]], lane[1]
    return value, index


def fold_lanes(op: Operation) -> Sequence[SSAValue | Attribute] | None:
    """Fold an op that moves elements: to a value that has them in place, or to a constant."""
    if prod(extents_of(op.results[0].type)) > MAX_ELEMENTS or len(op.results) != 1:
        return None
    found = lanes_of(op)
    if found is None or None in found[0] or not found[0]:
        return None
    type = op.results[0].type
    lanes = [(op.operands[lane[0]], lane[1]) for lane in found[0] if lane is not None]
    origins = [traced(*lane) for lane in lanes]
    for candidates in (origins, lanes):
        first = candidates[0][0]
        if first.type == type and all(
            value is first and index == k for k, (value, index) in enumerate(candidates)
        ):
            return (first,)
    return _constant(type, origins)


def _constant(type: Attribute, lanes: Sequence[tuple[SSAValue, int]]) -> Sequence[Attribute] | None:
    elements: dict[SSAValue, Sequence[bytes]] = {}
    for value, _ in lanes:
        if value in elements:
            continue
        constant = _bytes_of(value)
        if constant is None:
            return None
        elements[value] = constant
    return (_attribute(type, b"".join(elements[value][index] for value, index in lanes)),)


def _bytes_of(value: SSAValue) -> Sequence[bytes] | None:
    """The elements of a constant as bytes, None for other values."""
    constant = ConstantLike.get_constant_value(value)
    if isinstance(constant, IntegerAttr):
        integers = cast(IntegerType | IndexType, value.type)
        return [integers.pack([constant.value.data])]
    if isinstance(constant, FloatAttr):
        return [cast(AnyFloat, value.type).pack([constant.value.data])]
    if not isinstance(constant, DenseIntOrFPElementsAttr):
        return None
    data = constant.data.data
    size = cast(PackableType[object], element_of(value.type)).compile_time_size
    return [data[k : k + size] for k in range(0, len(data), size)]


def _attribute(type: Attribute, data: bytes) -> Attribute:
    """A constant of `type`, dense or scalar, from the bytes of its elements."""
    if isinstance(type, VectorType):
        return DenseIntOrFPElementsAttr(cast(VectorType[IntegerType], type), BytesAttr(data))
    if isinstance(type, IndexType) or integers_of(type) is not None:
        integers = cast(IndexType, type)
        return IntegerAttr(integers.unpack(data, 1)[0], integers)
    floats = cast(AnyFloat, type)
    return FloatAttr(floats.unpack(data, 1)[0], floats)
