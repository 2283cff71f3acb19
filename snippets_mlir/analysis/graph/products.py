"""The matrix products that kernels support, for both partitioners and the lowering.

* P1: elements are f32 or f64;
* P2: in a subgraph, both operands are its inputs, possibly reshaped, transposed, or parts that a
  slice takes of the rows; the left operand may be computed from another product (P4) or from inputs
  (P5);
* P3: ops beside a product are elementwise or reductions of its whole rows that keep their dim (a
  softmax and a norm consist of such ops), and no value is larger than its result. They read inputs,
  and parts that a slice takes of these with steps of 1, if nothing else reads the parts. Beside the
  first of two products a reduction may also be of the rows of a mask, which are fewer rows
  (`snippets-repeat-rows`);
* P4: a subgraph holds one product, or two. The left operand of the second is then computed from the
  first by ops that P3 allows, and both products share the blocks of rows that a thread takes. Only
  values with one number for each row are also read by results and by ops after the second product.
  With a reduction or a second product, each product has two or more rows, columns and terms; with a
  reduction between two products, as in an attention, there may be one row. In
  place of the first product, up to `SIDE_BY_SIDE` products with the same left operand may stand
  side by side, if their right operands have the same type: the gate of a gated MLP and its factor;
  queries, keys and values;
* P5: the left operand of one product, or of products side by side, may be computed from inputs by
  ops that P3 allows, with the left operand in place of the result. It is neither transposed nor
  broadcast to more matrices. Only the products, results and other ops before them read these ops,
  except those with one number for each row. P4 holds for the sizes of the product.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import f32, f64
from xdsl.ir import Operation, OpResult, SSAValue

from snippets_mlir.analysis.graph.product_paths import (
    computed_from,
    computing,
    is_input,
    is_view_beside,
    prologue_of,
)
from snippets_mlir.dialects.builtin.dims import Shape, known_less
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.snippets.constants import ScalarOp
from snippets_mlir.dialects.snippets.conversion import ReshapeOp
from snippets_mlir.dialects.snippets.layout import TransposeOp
from snippets_mlir.dialects.snippets.normalization import (
    LayerNormOp,
    LogSoftmaxOp,
    RmsNormOp,
    SoftmaxOp,
)
from snippets_mlir.dialects.snippets.product import MatMulOp
from snippets_mlir.dialects.snippets.reduction import ReduceOp
from snippets_mlir.dialects.snippets.shapes import broadcast_shapes, format_shape
from snippets_mlir.dialects.snippets.subgraph import SubgraphOp, YieldOp
from snippets_mlir.dialects.snippets.whole_tensor import WholeTensorOp

SIDE_BY_SIDE = 3
"""The most products of one left operand in a kernel; `TargetMachine.side_by_side` may be fewer."""

LEAST_ROWS = 3
"""The least heads with one row that become rows of a matrix: keys are copied for several rows."""

HELD = True
"""Whether kernels may hold matrix products of ONNX models; tests of nodes between them say no."""


def are_held() -> bool:
    """The current `HELD`."""
    return HELD


def why_no_kernel(op: MatMulOp) -> str | None:
    """Why the linear IR does not support the product `op`, or None if it does."""
    element = tensor_of(op.result).element_type
    if element not in (f32, f64):
        return f"P1: no kernel holds a matrix product of {element}"
    around = op.parent_op()
    return why_not_beside(around) if isinstance(around, SubgraphOp) else None


def why_not_beside(subgraph: SubgraphOp) -> str | None:
    """Why a subgraph with a product is not a kernel, or None if it is."""
    return why_not_together([op for op in subgraph.block.ops if not isinstance(op, YieldOp)])


def why_not_together(ops: Sequence[Operation]) -> str | None:
    """Why `ops`, with one or more products, in their order, are not a kernel; None if they are."""
    inside = set(ops)
    first, *rest = [op for op in ops if isinstance(op, MatMulOp)]
    firsts = [first, *(op for op in rest if are_side_by_side(first, op))]
    others = [op for op in rest if op not in firsts]
    if len(firsts) > SIDE_BY_SIDE:
        return f"P4: more than {SIDE_BY_SIDE} matrix products of one left operand"
    if len(others) > 1:
        return "P4: a third matrix product stands beside two"
    if not all(is_input(op.rhs, inside) for op in (*firsts, *others)):
        return "P2: the right operand of the matrix product is computed in its subgraph"
    prologue = prologue_of(first, inside)
    if prologue and (reason := _why_no_prologue(firsts, others, prologue, inside)) is not None:
        return reason
    before = computing(others[0].lhs, inside, firsts) if others else set[Operation]()
    if others and not before.issuperset(firsts):
        return "P4: the left operand of the second matrix product does not follow from the first"
    beside, after, masks = inside, set[Operation](), set[Operation]()
    if others:
        following = set[Operation]().union(*(computed_from(op, inside) for op in firsts))
        after = computed_from(others[0], inside)
        masks = _of_masks(inside - following - {*firsts, *others})
        beside = before | masks | following - {*others, *after}
    for op in ops:
        if op in prologue or isinstance(op, ScalarOp | MatMulOp) or is_view_beside(op, inside):
            continue
        product = first if op in beside else others[0]
        if (reason := _why_not_with(op, product.result, is_of_mask=op in masks)) is not None:
            return reason
    for op in beside if others else ():
        readers = {use.operation for value in op.results for use in value.uses}
        if _is_a_number_a_row(op, first, is_of_mask=op in masks):
            readers = readers & inside - after
        if not readers <= {*beside, *others}:
            return f"P4: more than the second matrix product reads {op.name}"
    if others or prologue or any(reduces_rows(op) for op in ops):
        between = len(firsts) == 1 and any(reduces_rows(op) for op in before)
        reasons = (_why_not_in_blocks(op, 1 if between else 2) for op in (*firsts, *others))
        return next(filter(None, reasons), None)
    return None


def are_side_by_side(one: MatMulOp, other: MatMulOp) -> bool:
    """Whether two products read one left operand, and have the same loops (P4)."""
    alike = one.rhs.type == other.rhs.type and one.transposes == other.transposes
    return alike and one.lhs == other.lhs


def _of_masks(apart: set[Operation]) -> set[Operation]:
    """Reductions of rows among the ops that no product is needed for, and all ops around them."""
    waiting: list[Operation] = [op for op in apart if isinstance(op, ReduceOp) and reduces_rows(op)]
    found = set(waiting)
    while waiting:
        op = waiting.pop()
        more = {value.op for value in op.operands if isinstance(value, OpResult)}
        if _is_number(op):
            more |= {use.operation for value in op.results for use in value.uses}
        more = more & apart - found
        found |= more
        waiting += more
    return {op for op in found if not isinstance(op, ScalarOp | ReshapeOp | TransposeOp)}


def _why_no_prologue(
    firsts: Sequence[MatMulOp],
    others: Sequence[MatMulOp],
    prologue: set[Operation],
    inside: set[Operation],
) -> str | None:
    """P5, and P3 for the ops before the first product."""
    first = firsts[0]
    if others:
        return "P5: the left operand of the first of two matrix products is computed"
    if first.transpose_a is not None or isinstance(first.lhs.owner, ReshapeOp | TransposeOp):
        return "P5: a left operand is computed, and then transposed or reshaped"
    if shape_of(first.lhs)[:-1] != shape_of(first.result)[:-1]:
        return "P5: a left operand that several matrices share is computed"
    for op in prologue:
        if (reason := _why_not_with(op, first.lhs, is_of_mask=False)) is not None:
            return reason
        readers = {use.operation for value in op.results for use in value.uses} & inside
        if not _is_a_number_a_row(op, first, is_of_mask=False) and not readers <= {
            *prologue,
            *firsts,
        }:
            return f"P5: more than the matrix product reads {op.name}"
    return None


def _is_number(op: Operation) -> bool:
    """Whether the result of `op` has rows of one element."""
    return shape_of(op.results[0])[-1:] == (1,)


def _is_a_number_a_row(op: Operation, product: MatMulOp, *, is_of_mask: bool) -> bool:
    """Whether the result of `op` has one element for each row of `product`, or of a mask."""
    shape, rows = shape_of(op.results[0]), (*shape_of(product.result)[:-1], 1)
    return shape == rows or (
        is_of_mask and _is_number(op) and broadcast_shapes(shape, rows) == rows
    )


def reduces_rows(op: Operation) -> bool:
    """Whether `op` is a supported reduction along the last dim, or consists of such."""
    if isinstance(op, SoftmaxOp | LogSoftmaxOp | LayerNormOp | RmsNormOp):
        return op.normalized_dims() == (len(shape_of(op.x)) - 1,)
    if not isinstance(op, ReduceOp) or not op.ACCUMULATOR or not op.keeps_dims:
        return False
    return op.axes == (len(shape_of(op.operand)) - 1,)


def has_rows_of(shape: Shape, whole: Shape) -> bool:
    """Whether `shape` is that of `whole` with fewer rows, of the same length."""
    return shape[-1:] == whole[-1:] and broadcast_shapes(shape, whole) == whole


def _why_not_with(op: Operation, value: SSAValue, *, is_of_mask: bool) -> str | None:
    """P3 for one op beside a product with the result, or the left operand, `value`."""
    whole = shape_of(value)
    if isinstance(op, WholeTensorOp):
        shape = shape_of(op.operands[0])
        fits = shape == whole or (is_of_mask and has_rows_of(shape, whole))
        if not reduces_rows(op) or not fits:
            return f"P3: {op.name} stands beside a matrix product"
        return None
    for result in op.results:
        shape = shape_of(result)
        if broadcast_shapes(shape, whole) != whole:
            found = f"{format_shape(shape)} beside a matrix product of {format_shape(whole)}"
            return f"P3: {op.name} computes {found}"
    return None


def _why_not_in_blocks(product: MatMulOp, fewest: int) -> str | None:
    """P4 for the sizes of one product, which has at least the `fewest` rows."""
    left, right = map(shape_of, product.operands)
    if min(len(left), len(right)) < 2:
        return "P4: an operand of a matrix product has no rows or no columns"
    rows, columns = shape_of(product.result)[-2:]
    terms = left[-2 if product.transpose_a is not None else -1]
    if known_less(rows, fewest) or any(known_less(size, 2) for size in (columns, terms)):
        return "P4: a matrix product has fewer than two rows, columns or terms"
    return None
