"""Decompose arg_max and arg_min into reductions that kernels support.

    %1 = snippets.arg_max %0 {axis = 1 : i64} : (tensor<4x8xf32>) -> tensor<4xi64>

becomes

    %m = snippets.reduce_max %0 {axes = array<i64: 1>, keep_dims} : .. -> tensor<4x1xf32>
    %2 = snippets.equal %0, %m : .. -> tensor<4x8xi1>
    %3 = snippets.is_nan %0 : .. -> tensor<4x8xi1>
    %4 = snippets.logical_or %2, %3 : tensor<4x8xi1>
    %i = snippets.iota {dim = 1 : i64} : tensor<1x8xi32>
    %n = snippets.scalar 8 : i32
    %5 = snippets.select %4, %i, %n : .. -> tensor<4x8xi32>
    %6 = snippets.reduce_min %5 {axes = array<i64: 1>, keep_dims} : .. -> tensor<4x1xi32>
    %7 = snippets.convert_truncation %6 : .. -> tensor<4x1xi64>
    %1 = snippets.squeeze %7 {axes = array<i64: 1>} : .. -> tensor<4xi64>

which is one kernel with two loops over each row. Only floats are tested for NaN: the extreme of a
row with a NaN is NaN and equals nothing. Truth values are compared as i32.

Run it before `canonicalize`, which folds the iota to a constant, and before the tokenizer. Refuses
an axis of unknown size, or of a size too large for such a constant, with the reason on the op. Ops
on elements without kernels, ops in subgraphs, and ops marked `snippets.skipped` stay. Exact.
"""

from dataclasses import dataclass
from typing import Any

from typing_extensions import override
from xdsl.dialects.builtin import AnyFloat, i1, i32

from snippets_mlir.analysis.graph.eligibility import SUPPORTED_ELEMENTS
from snippets_mlir.dialects.builtin.dims import Size, format_size
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of, tensor_type
from snippets_mlir.dialects.builtin.size_estimates import assumed
from snippets_mlir.dialects.snippets.arg_reduction import ArgMaxOp, ArgReduceOp
from snippets_mlir.dialects.snippets.comparison import EqualOp, IsNanOp
from snippets_mlir.dialects.snippets.conversion import ConvertTruncationOp
from snippets_mlir.dialects.snippets.iota import MOST_FOLDED, IotaOp
from snippets_mlir.dialects.snippets.layout import SqueezeOp
from snippets_mlir.dialects.snippets.logic import LogicalOrOp
from snippets_mlir.dialects.snippets.reduction import ReduceMaxOp, ReduceMinOp
from snippets_mlir.dialects.snippets.selection import SelectOp
from snippets_mlir.dialects.snippets.shapes import DYNAMIC, format_shape
from snippets_mlir.passes.building.formulas import Formula, Refusal, Term
from snippets_mlir.passes.building.graph import OpBuilder, outside_of_subgraphs
from snippets_mlir.passes.graph.graph_passes import FormulaPass


def why_no_places(op: ArgReduceOp) -> str | None:
    """Why the places along the axis of `op` are no constant, or None if they are."""
    shape = shape_of(op.operand)
    size = shape[op.axis]
    if size == DYNAMIC or isinstance(size, Size):
        return (
            f"the size of axis {op.axis} of {format_shape(shape)} is not known; "
            "compile it for the shapes of a call"
        )
    if size > MOST_FOLDED:
        return f"axis {op.axis} of {format_size(size)} is longer than {MOST_FOLDED}"
    return None


def has_kernels(op: ArgReduceOp) -> bool:
    """Kernels have elements of this type: others stay one op."""
    return tensor_of(op.operand).element_type in SUPPORTED_ELEMENTS


def axis_is_counted(op: ArgReduceOp) -> bool:
    """The places along the axis are a constant."""
    return why_no_places(op) is None


class AxisNotCounted(Refusal[ArgReduceOp]):
    """The places along the axis have to be a constant."""

    name = "axis-not-counted"
    ops = (ArgReduceOp,)

    @override
    def match(self, op: ArgReduceOp) -> str | None:
        return why_no_places(op)


class Places(Formula[ArgReduceOp, Any]):
    """`min(x == max(x) or isnan(x) ? i : n)` with `i = 0, 1, ... n - 1` along the axis."""

    name = "places"
    ops = (ArgReduceOp,)
    conditions = (*Formula.conditions, outside_of_subgraphs, has_kernels, axis_is_counted)

    def formula(self, op: ArgReduceOp, match: Any, build: OpBuilder) -> Term:
        """The first place of the extreme."""
        x, axes = Term(op.operand, build), [op.axis]
        if x.type.element_type == i1:
            x = x.applied(lambda value: ConvertTruncationOp(value, i32))
        extreme = x.reduced(ReduceMaxOp if isinstance(op, ArgMaxOp) else ReduceMinOp, axes)
        found = x.applied(lambda value: EqualOp(value, extreme.value))
        if isinstance(x.type.element_type, AnyFloat):
            nan = x.applied(IsNanOp)
            found = found.applied(lambda value: LogicalOrOp(value, nan.value))
        count = assumed(x.shape[op.axis])
        sizes = [count if dim == op.axis else 1 for dim in range(len(x.shape))]
        places = Term(build.add(IotaOp(tensor_type(i32, sizes), op.axis)), build)
        others = places.number(count)
        candidates = found.applied(lambda value: SelectOp(value, places.value, others.value))
        first = candidates.reduced(ReduceMinOp, axes)
        if (element := op.result_element_type()) != i32:
            first = first.applied(lambda value: ConvertTruncationOp(value, element))
        return first if op.keeps_dims else first.applied(lambda value: SqueezeOp(value, axes))


@dataclass(frozen=True)
class SnippetsDecomposeArgReductionsPass(FormulaPass):
    """Decompose arg_max and arg_min into reductions that kernels support."""

    name = "snippets-decompose-arg-reductions"
    PATTERNS = (AxisNotCounted, Places)
