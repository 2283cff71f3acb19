"""Decompose reversed and exclusive cumulative ops into a plain one with slices and concats.

    %1 = snippets.cum_sum %0 {axis = 0 : i64, exclusive, reverse} : tensor<8xf32>

becomes

    %2 = snippets.slice %0 {starts = array<i64: 7>, steps = array<i64: -1>} : .. -> tensor<7xf32>
    %3 = snippets.cum_sum %2 {axis = 0 : i64} : tensor<7xf32>
    %4 = snippets.scalar 0.0 : f32
    %5 = snippets.broadcast %4 : (tensor<f32>) -> tensor<1xf32>
    %6 = snippets.concat %5, %3 {axis = 0 : i64} : .. -> tensor<8xf32>
    %1 = snippets.slice %6 {starts = array<i64: 7>, steps = array<i64: -1>} : .. -> tensor<8xf32>

Kernels walk the axis forward and include each element (`lir.scan`). The kernel reads the first
slice in place; the concat and the last slice go into the kernel of their reader, or are a copy. An
exclusive op along an axis of one element becomes just its first result, a number.

Refuses an axis of unknown size, with the reason on the op: slices begin at numbers. Ops on elements
without kernels, ops in subgraphs, and ops marked `snippets.skipped` stay. Exact.
"""

from dataclasses import dataclass
from typing import Any

from xdsl.ir import SSAValue

from snippets_mlir.analysis.graph.eligibility import SUPPORTED_ELEMENTS
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.lir.reduction import neutral
from snippets_mlir.dialects.snippets.concatenation import ConcatOp
from snippets_mlir.dialects.snippets.constants import ScalarOp
from snippets_mlir.dialects.snippets.conversion import BroadcastOp
from snippets_mlir.dialects.snippets.cumulative import CumulativeOp
from snippets_mlir.dialects.snippets.shapes import DYNAMIC, format_shape
from snippets_mlir.dialects.snippets.slicing import SliceOp
from snippets_mlir.passes.building.formulas import Formula, Refusal, Term
from snippets_mlir.passes.building.graph import OpBuilder, outside_of_subgraphs
from snippets_mlir.passes.graph.graph_passes import FormulaPass


def has_kernels(op: CumulativeOp) -> bool:
    """Kernels have elements of this type: others stay one op."""
    return tensor_of(op.operand).element_type in SUPPORTED_ELEMENTS


def has_other_order(op: CumulativeOp) -> bool:
    """It is reversed or exclusive."""
    return op.exclusive is not None or op.reverse is not None


def why_no_slices(op: CumulativeOp) -> str | None:
    """Why the parts of `op` are no slices, or None if they are."""
    shape = shape_of(op.operand)
    if isinstance(size := shape[op.axis], int) and size != DYNAMIC:
        return None
    return (
        f"the size of axis {op.axis} of {format_shape(shape)} is not known; "
        "compile it for the shapes of a call"
    )


def axis_is_counted(op: CumulativeOp) -> bool:
    """The size of the axis is a number."""
    return why_no_slices(op) is None


def _part(value: SSAValue, axis: int, count: int, *, backwards: bool) -> SliceOp:
    """The first `count` elements along `axis`, or the last ones in reverse."""
    shape = shape_of(value)
    starts, steps, sizes = [0] * len(shape), [1] * len(shape), [*shape]
    size, sizes[axis] = shape[axis], count
    assert isinstance(size, int)
    if backwards:
        starts[axis], steps[axis] = size - 1, -1
    return SliceOp(value, starts, sizes, steps)


class AxisNotCounted(Refusal[CumulativeOp]):
    """The size of the axis has to be a number."""

    name = "axis-not-counted"
    ops = (CumulativeOp,)
    conditions = (*Refusal.conditions, has_kernels, has_other_order)

    def match(self, op: CumulativeOp) -> str | None:
        """Why the size is not a number."""
        return why_no_slices(op)


class ForwardInclusive(Formula[CumulativeOp, Any]):
    """The op on a part of the operand, after the neutral element."""

    name = "forward-inclusive"
    ops = (CumulativeOp,)
    conditions = (
        *Formula.conditions,
        outside_of_subgraphs,
        has_kernels,
        has_other_order,
        axis_is_counted,
    )

    def formula(self, op: CumulativeOp, match: Any, build: OpBuilder) -> Term:
        """Slice, combine, join, slice."""
        value, axis = op.operand, op.axis
        shape, backwards = shape_of(value), op.reverse is not None
        size = shape[axis]
        assert isinstance(size, int)
        left_out = int(op.exclusive is not None and size > 0)
        if backwards or left_out:
            value = build.add(_part(value, axis, size - left_out, backwards=backwards))
        value = build.add(type(op)(value, axis))
        if left_out:
            element = tensor_of(op.operand).element_type
            first = build.add(ScalarOp(neutral(op.COMBINES, element)))
            ones = build.add(BroadcastOp(first, (*shape[:axis], 1, *shape[axis + 1 :])))
            value = build.add(ConcatOp([ones, value], axis)) if size > 1 else ones
        if backwards and size:
            value = build.add(_part(value, axis, size, backwards=True))
        return Term(value, build)


@dataclass(frozen=True)
class SnippetsDecomposeCumulativePass(FormulaPass):
    """Decompose exclusive and reverse cumulative ops."""

    name = "snippets-decompose-cumulative"
    PATTERNS = (AxisNotCounted, ForwardInclusive)
