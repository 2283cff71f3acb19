"""Elementwise ops on narrow integers: computed in i32 or i64, where no value wraps wrongly.

    z = Add(x: ui8, y: ui8)        %0 = snippets.convert_truncation %x : ... tensor<4xi32>
                                   %1 = snippets.convert_truncation %y : ... tensor<4xi32>
                                   %2 = snippets.add %0, %1 : tensor<4xi32>
                                   %z = snippets.convert_truncation %2 : ... tensor<4xui8>

Unsigned integers of fewer than 64 bits are then signed ones with the same value, so quotients,
comparisons, extrema and shifts are those of unsigned numbers; the result wraps to its own type.
ui64 stays: no integer type of kernels has its range. `snippets-extend-to-supported-types` does the
same to ops of MLIR.
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects.builtin import AnyFloat, IntegerType, Signedness, i32, i64
from xdsl.ir import Attribute, SSAValue

from snippets_mlir.dialects.builtin.integers import integers_of
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of, tensor_type
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.conversion import ConvertTruncationOp
from snippets_mlir.dialects.snippets.registry import record_of

Insert = Callable[[ComputeOp], SSAValue]

NARROW: frozenset[Attribute] = frozenset(
    (
        *(IntegerType(width) for width in (8, 16)),
        *(IntegerType(width, Signedness.UNSIGNED) for width in (8, 16, 32)),
    )
)
"""The integers that kernels store, but do not compute in."""


def wide_type(element: Attribute) -> Attribute:
    """The integers in which a kernel computes with `element`; `element` if it is not narrow."""
    if element not in NARROW:
        return element
    integers = integers_of(element)
    assert integers is not None
    return i64 if integers.width == i32.bitwidth else i32


def inserted(insert: Insert, op: ComputeOp) -> SSAValue:
    """The result of `op`, inserted as it is or between conversions."""
    record = record_of(op.name)
    element = tensor_of(op.joined_operands[0]).element_type
    if element not in NARROW or (record is not None and record.moves):
        return insert(op)
    wide = wide_type(element)
    operands = [
        insert(ConvertTruncationOp(value, wide))
        if tensor_of(value).element_type == element
        else value
        for value in op.operands
    ]
    result = tensor_of(op.results[0])
    follows = result.element_type == element
    produced = wide if follows else result.element_type
    value = insert(
        type(op).create(
            operands=operands,
            result_types=[tensor_type(produced, shape_of(result))],
            properties=op.properties,
            attributes=op.attributes,
        )
    )
    op.drop_all_references()
    return insert(ConvertTruncationOp(value, element)) if follows else value


def converted(insert: Insert, value: SSAValue, target: Attribute) -> SSAValue:
    """`value` with elements of another type, as onnxruntime's Cast converts it.

    Floats outside of the range of narrow integers have the low bits of their value in i32 or i64.
    """
    source = tensor_of(value).element_type
    if isinstance(source, AnyFloat) and target in NARROW:
        value = insert(ConvertTruncationOp(value, wide_type(target)))
    return insert(ConvertTruncationOp(value, target))
