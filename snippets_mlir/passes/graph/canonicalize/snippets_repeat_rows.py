"""Repeat the rows of a mask that a kernel of two products reduces, to the rows of the products.

    %s = snippets.matmul %q, %k {transpose_b}                      : 2x4x9x7
    %n = snippets.reduce_sum %m {axes = array<i64: 1>, keep_dims}  : 9x7 to 9x1
    %h = snippets.equal %n, 0.0                                    : 9x1

becomes

    %w = snippets.broadcast %m                                     : 9x7 to 2x4x9x7
    %n = snippets.reduce_sum %w {axes = array<i64: 3>, keep_dims}  : 2x4x9x7 to 2x4x9x1
    %h = snippets.equal %n, 0.0                                    : 2x4x9x1

A reduction of fewer rows has loops of its own, before those that threads share, and a buffer for
its results. With the rows of the products it is computed in their blocks of rows, and costs a load
and an operation for each vector of a row. The broadcast moves nothing: it repeats addresses. The
elementwise ops on the numbers of the rows are repeated too.

Exact. Leaves reductions along other dims, reductions beside one product, masks that do not
broadcast to the scores, and unknown dims. Ours.
"""

# No annotations from __future__: xDSL reads the options of passes from these.

from dataclasses import dataclass

from typing_extensions import override
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.analysis.graph.products import has_rows_of, reduces_rows
from snippets_mlir.dialects.builtin.dims import Shape
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of, tensor_type
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.conversion import BroadcastLikeOp, BroadcastOp
from snippets_mlir.dialects.snippets.product import MatMulOp
from snippets_mlir.dialects.snippets.reduction import ReduceOp
from snippets_mlir.dialects.snippets.shapes import DYNAMIC, broadcast_shapes
from snippets_mlir.dialects.snippets.subgraph import SubgraphOp
from snippets_mlir.dialects.snippets.whole_tensor import WholeTensorOp
from snippets_mlir.passes.building.graph import OpBuilder, not_skipped
from snippets_mlir.passes.graph.graph_passes import SubgraphPatternPass
from snippets_mlir.passes.patterns import Pattern


def _products_beside(op: Operation) -> list[MatMulOp]:
    around = op.parent_op()
    ops = around.block.ops if isinstance(around, SubgraphOp) else ()
    return [it for it in ops if isinstance(it, MatMulOp)]


def is_beside_two_products(op: ReduceOp) -> bool:
    """Its subgraph holds two products or more."""
    return len(_products_beside(op)) > 1


def _repeated(op: Operation, operands: dict[SSAValue, SSAValue]) -> ComputeOp | None:
    """`op` on other operands, if the shape of its result changes with them."""
    if not isinstance(op, ComputeOp) or isinstance(op, WholeTensorOp | BroadcastLikeOp):
        return None
    shape = broadcast_shapes(*(shape_of(operands.get(value, value)) for value in op.operands))
    (result,) = op.results
    if shape is None or shape == shape_of(result):
        return None
    return type(op).create(
        operands=[operands.get(value, value) for value in op.operands],
        result_types=[tensor_type(tensor_of(result).element_type, shape)],
        properties=dict(op.properties),
        attributes=dict(op.attributes),
    )


class RepeatRows(Pattern[ReduceOp, Shape]):
    """The reduction of a mask has the rows of the scores."""

    name = "repeat-rows"
    ops = (ReduceOp,)
    conditions = (not_skipped, reduces_rows, is_beside_two_products)

    def match(self, op: ReduceOp) -> Shape | None:
        """The shape of the scores, if the operand has fewer rows."""
        shape, whole = shape_of(op.operand), shape_of(_products_beside(op)[0].result)
        if DYNAMIC in (*shape, *whole) or shape == whole or not has_rows_of(shape, whole):
            return None
        return whole

    @override
    def rewrite(self, op: ReduceOp, match: Shape, rewriter: PatternRewriter) -> None:
        build = OpBuilder(op, rewriter)
        rows = build.add(BroadcastOp(op.operand, match))
        self._replace(op, type(op)(rows, [len(match) - 1], keep_dims=True), rewriter)

    def _replace(self, old: Operation, new: ComputeOp, rewriter: PatternRewriter) -> None:
        """Replace `old`, and the ops on its result that have more rows now."""
        new.location = old.location
        new.attributes.update(old.attributes)
        value = OpBuilder(old, rewriter).add(new)
        value.name_hint = old.results[0].name_hint
        for reader in [use.operation for use in old.results[0].uses]:
            more = _repeated(reader, {old.results[0]: value})
            if more is None:
                for index, operand in enumerate(reader.operands):
                    if operand is old.results[0]:
                        reader.operands[index] = value
            else:
                self._replace(reader, more, rewriter)
        rewriter.erase(old)


@dataclass(frozen=True)
class SnippetsRepeatRowsPass(SubgraphPatternPass):
    """Repeat the rows of masks that kernels of two products reduce."""

    name = "snippets-repeat-rows"
    PATTERNS = (RepeatRows,)
