"""Shared code of the scatter rules: when they hold, and how updates combine with the operand.

A region that returns the update sets; a region of a single op, such as `add`, combines. Refused:
dynamic dims, batching dims, regions of more than one op, and indices of unsigned 64 bits.
"""

from __future__ import annotations

from typing import NamedTuple

from xdsl.dialects.builtin import IntegerType, Signedness, i1, i64
from xdsl.ir import SSAValue

from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.conversion import ConvertTruncationOp
from snippets_mlir.dialects.snippets.selection import SelectOp
from snippets_mlir.dialects.snippets.shapes import is_static
from snippets_mlir.dialects.stablehlo.names import record_for
from snippets_mlir.dialects.stablehlo.reduction import combiner_of
from snippets_mlir.dialects.stablehlo.region_ops import ScatterOp
from snippets_mlir.passes.building.graph import OpBuilder
from snippets_mlir.passes.graph.stablehlo.builder import (
    Replacement,
    in_a_function,
    of_known_elements,
)
from snippets_mlir.passes.graph.stablehlo.movement_rules import has_elements


def of_one_static_input(op: ScatterOp) -> bool:
    """It changes one tensor; all sizes are known, and the updates have elements."""
    shapes = [shape_of(value) for value in op.operands]
    return len(op.inputs) == 3 and all(map(is_static, shapes)) and 0 not in shapes[2]


def of_signed_indices(op: ScatterOp) -> bool:
    """Indices are converted to i64."""
    unsigned = IntegerType(64, Signedness.UNSIGNED)
    return tensor_of(op.inputs[1]).element_type != unsigned


def without_batches(op: ScatterOp) -> bool:
    """No dim of the operand belongs to one of the indices."""
    return not op.scatter_dimension_numbers.dims("input_batching_dims")


HERE = (
    in_a_function,
    of_known_elements,
    of_one_static_input,
    has_elements,
    of_signed_indices,
    without_batches,
)


class Combination(NamedTuple):
    """How a region combines an element and an update; `op` is None if the result is the update."""

    op: type[ComputeOp] | None


def combination_of(op: ScatterOp) -> Combination | None:
    """The combination of the region; None if it has more than one op."""
    block = op.body.block
    last = block.last_op
    if len(block.args) == 2 and last is not None and tuple(last.operands) == (block.args[1],):
        return Combination(None) if block.first_op is last else None
    combiner = combiner_of(block)
    record = None if combiner is None else record_for(combiner)
    if record is None or tensor_of(op.inputs[0]).element_type == i1:
        return None
    return Combination(record.op)


def wide(build: OpBuilder, indices: SSAValue) -> SSAValue:
    """Indices as i64."""
    if tensor_of(indices).element_type == i64:
        return indices
    return build.add(ConvertTruncationOp(indices, i64))


def combined(
    build: Replacement,
    combination: Combination,
    chosen: SSAValue | None,
    value: SSAValue,
    x: SSAValue,
) -> SSAValue:
    """`x`, combined with `value` where `chosen` is true."""
    if combination.op is not None:
        value = build.apply(combination.op, x, value)
    return value if chosen is None else build.add(SelectOp(chosen, value, x))
