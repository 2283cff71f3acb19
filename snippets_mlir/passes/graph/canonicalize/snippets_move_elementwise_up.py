"""Move elementwise ops before the reshapes that separate them from a matrix product.

    %0 = snippets.matmul %x, %w                           : tensor<128x96xf32>
    %1 = snippets.reshape %0                              : tensor<1x128x96xf32>
    %2 = snippets.tanh %1                                 : tensor<1x128x96xf32>

becomes

    %0 = snippets.matmul %x, %w                           : tensor<128x96xf32>
    %1 = snippets.tanh %0                                 : tensor<128x96xf32>
    %2 = snippets.reshape %1                              : tensor<1x128x96xf32>

`snippets-tokenize` then computes the two in one kernel, the second one on a register tile. Exported
layers on matrices (Gemm between two Reshapes) have their activations and residuals after the
reshape.

A softmax along the last dim moves in the same way if the reshape keeps that dim. Then the reshapes
before and after the softmax of an attention meet, and vanish (`view-of-view`): JAX adds a dim of 1
for heads that share keys, others make one row of all heads.

Legal if each operand can be read in the shape before the reshape: it has the shape after it (and
gets a reshape of its own, unless it is a broadcast of what can be read), or the reshape only adds
and drops dims of 1 (then the operand does, too), or it merges dims (and the operand has all of them
or none), or it has only the last dim and the reshape keeps that, or it is a single number. Each
element is computed as before. Leaves ops that broadcast the reshaped value, ops marked
`snippets.skipped`, and reshapes of values that do not come from a product. Of shapes with unknown
dims, leaves those where the reshape does more than add and drop dims of 1, or that have two such
dims. Source: OpenVINO's MoveEltwiseUpThroughDataMov; moving the softmax is ours.
"""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.dialects.builtin.dims import Shape
from snippets_mlir.dialects.builtin.shaped import is_tensor, shape_of, tensor_of, tensor_type
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.conversion import BroadcastLikeOp, BroadcastOp, ReshapeOp
from snippets_mlir.dialects.snippets.layout import SqueezeOp, UnsqueezeOp
from snippets_mlir.dialects.snippets.normalization import SoftmaxOp
from snippets_mlir.dialects.snippets.product import MatMulOp
from snippets_mlir.dialects.snippets.shapes import DYNAMIC
from snippets_mlir.dialects.snippets.subgraph import SubgraphOp
from snippets_mlir.dialects.snippets.whole_tensor import WholeTensorOp
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.building.graph import OpBuilder, is_skipped
from snippets_mlir.passes.graph.canonicalize.shapes_before_reshapes import (
    at_parts_of,
    at_places_of,
    differ_by_ones,
)
from snippets_mlir.passes.patterns import Pattern, PatternPass

VIEWS = (ReshapeOp, SqueezeOp, UnsqueezeOp)


class Reading(NamedTuple):
    """An operand of the moved op: `value` with the shape `shape`."""

    value: SSAValue
    shape: Shape


class Move(NamedTuple):
    """An op that is computed on `shape`, and its operands of that shape."""

    shape: Shape
    readings: tuple[Reading, ...]


def works_element_by_element(op: Operation) -> bool:
    """Each element of its result depends on one element of each operand."""
    return isinstance(op, ComputeOp) and not isinstance(op, WholeTensorOp | BroadcastLikeOp)


def keeps_rows(op: Operation) -> bool:
    """It works element by element, or is a softmax."""
    return works_element_by_element(op) or isinstance(op, SoftmaxOp)


def is_on_graph(op: Operation) -> bool:
    """It is in no kernel yet, and is not marked `snippets.skipped`."""
    return not is_skipped(op) and not isinstance(op.parent_op(), SubgraphOp)


def follows_product(value: SSAValue) -> bool:
    """Whether `value` is a matrix product, or computed from one by ops that keep its shape."""
    shape, seen, waiting = shape_of(value), set[Operation](), [value.owner]
    while waiting:
        op = waiting.pop()
        if isinstance(op, MatMulOp):
            return True
        if isinstance(op, Operation) and op not in seen and keeps_rows(op):
            seen.add(op)
            waiting += [v.owner for v in op.operands if shape_of(v) == shape]
    return False


def _source(value: SSAValue) -> SSAValue | None:
    """The source of the view `value`; None if it is no view."""
    op = value.owner
    return op.operands[0] if isinstance(op, VIEWS) and not is_skipped(op) else None


def _as_read(value: SSAValue, shape: Shape) -> Reading:
    """How an op reads `value` under `shape`: itself, or the operand of its broadcast or view."""
    source = _source(value)
    if source is not None and shape_of(source) == shape:
        value = source
    if shape_of(value) != shape:
        return Reading(value, shape)
    while isinstance(value.owner, BroadcastOp):
        value = value.owner.operand
    return Reading(value, shape_of(value))


def reading_of(value: SSAValue, before: Shape, after: Shape) -> Reading | None:
    """How an op reads `value` if its shape is `before` instead of `after`; None if it cannot."""
    shape = shape_of(value)
    if shape == after:
        return _as_read(value, before)
    if all(size == 1 for size in shape):
        return Reading(value, ())
    if differ_by_ones(before, after):
        found = at_places_of(shape, before, after)
        return None if found is None else _as_read(value, found)
    if (found := at_parts_of(shape, before, after)) is not None:
        return _as_read(value, found)
    row = shape[-1:]
    is_row = all(size == 1 for size in shape[:-1]) and row == before[-1:] == after[-1:]
    return Reading(value, row) if is_row else None


class ElementwiseAfterView(Pattern[ComputeOp, Move]):
    """`f(reshape(x))` is `reshape(f(x))` for a function of single elements."""

    name = "elementwise-after-view"
    ops = (ComputeOp,)
    conditions = (works_element_by_element, is_on_graph)

    def match(self, op: ComputeOp) -> Move | None:
        """The operands in the shape before the view of the first product among them."""
        if not all(is_tensor(value.type) for value in (*op.operands, *op.results)):
            return None
        after = shape_of(op.results[0])
        found = (_source(value) for value in op.operands if shape_of(value) == after)
        products = (value for value in found if value is not None and follows_product(value))
        if (product := next(products, None)) is None:
            return None
        before = shape_of(product)
        if DYNAMIC in (*before, *after) and not differ_by_ones(before, after):
            return None
        readings = [reading_of(value, before, after) for value in op.operands]
        known = tuple(reading for reading in readings if reading is not None)
        return Move(before, known) if len(known) == len(readings) else None

    def rewrite(self, op: ComputeOp, match: Move, rewriter: PatternRewriter) -> None:
        """Compute on the shape before the view, and view the result; dead views are erased."""
        build, result = OpBuilder(op, rewriter), op.results[0]
        views = dict.fromkeys(v.owner for v in op.operands if isinstance(v.owner, VIEWS))
        moved = type(op).create(
            operands=[build.reshape(*reading) for reading in match.readings],
            result_types=[tensor_type(tensor_of(result).element_type, match.shape)],
            properties=op.properties,
            attributes=op.attributes,
        )
        build.replace(build.reshape(build.add(moved), shape_of(result)))
        for view in views:
            if view.results[0].first_use is None:
                rewriter.erase(view)


def is_along_rows(op: SoftmaxOp) -> bool:
    """It is along the last dim."""
    return op.axis == len(shape_of(op.x)) - 1


def is_after_a_view_of_a_product(op: SoftmaxOp) -> bool:
    """Its operand is a view that keeps the rows of a value from a product."""
    source = _source(op.x)
    if source is None or not follows_product(source):
        return False
    before, after = shape_of(source), shape_of(op.x)
    known = DYNAMIC not in (*before, *after) and before[-1:] == after[-1:]
    return known or (differ_by_ones(before, after) and before[-1:] == after[-1:])


class SoftmaxAfterView(Pattern[SoftmaxOp, SSAValue]):
    """`softmax(reshape(x))` is `reshape(softmax(x))` where the reshape keeps the last dim."""

    name = "softmax-after-view"
    ops = (SoftmaxOp,)
    conditions = (is_on_graph, is_along_rows, is_after_a_view_of_a_product)

    def match(self, op: SoftmaxOp) -> SSAValue | None:
        """The operand of the reshape."""
        return _source(op.x)

    def rewrite(self, op: SoftmaxOp, match: SSAValue, rewriter: PatternRewriter) -> None:
        """The softmax before the view; a view without readers goes."""
        build, view = OpBuilder(op, rewriter), op.x.owner
        moved = SoftmaxOp(match, -1)
        moved.attributes.update(op.attributes)
        build.replace(build.reshape(build.add(moved), shape_of(op.result)))
        if isinstance(view, Operation) and view.results[0].first_use is None:
            rewriter.erase(view)


class ViewOfView(Pattern[ReshapeOp, SSAValue]):
    """`reshape(reshape(x))` is one reshape, or `x`."""

    name = "view-of-view"
    ops = (ReshapeOp,)
    conditions = (is_on_graph,)

    def match(self, op: ReshapeOp) -> SSAValue | None:
        """`x`, where the sizes say its shape."""
        source = _source(op.operand)
        if source is None or not follows_product(source):
            return None
        known = DYNAMIC not in (*shape_of(source), *shape_of(op.result))
        return source if known or differ_by_ones(shape_of(source), shape_of(op.result)) else None

    def rewrite(self, op: ReshapeOp, match: SSAValue, rewriter: PatternRewriter) -> None:
        """Reshape once, or not at all; a view without readers goes."""
        build, view = OpBuilder(op, rewriter), op.operand.owner
        build.replace(build.reshape(match, shape_of(op.result)))
        if isinstance(view, Operation) and view.results[0].first_use is None:
            rewriter.erase(view)


@dataclass(frozen=True)
class SnippetsMoveElementwiseUpPass(PatternPass):
    """Move elementwise ops before the reshapes of matrix products."""

    name = "snippets-move-elementwise-up"
    STAGES: ClassVar[Stages] = Stages(("graph",))
    MIXES_CLASSES: ClassVar[bool] = False
    PATTERNS = (ElementwiseAfterView, SoftmaxAfterView, ViewOfView)
