"""Make batches of the heads that are among the rows of a product, in attentions that share keys.

    %0 = snippets.transpose %x [0, 2, 1, 3, 4]        2x9x2x3x4 to 2x2x9x3x4
    %1 = snippets.reshape %0                          2x2x9x3x4 to 2x2x27x4
    %s = snippets.matmul %1, %k {transpose_b}         2x2x27x7
    %2 = snippets.reshape %s                          2x2x27x7 to 2x2x9x3x7
    %3 = snippets.transpose %2 [3, 0, 1, 2, 4]        2x2x9x3x7 to 3x2x2x9x7

becomes

    %q = snippets.transpose %x [3, 0, 2, 1, 4]        2x9x2x3x4 to 3x2x2x9x4
    %t = snippets.reshape %k                          2x2x7x4 to 1x2x2x7x4
    %3 = snippets.matmul %q, %t {transpose_b}         3x2x2x9x7

and, for probabilities that come from a softmax,

    %4 = snippets.transpose %p [1, 2, 4, 0, 3]        3x2x2x9x7 to 2x2x7x3x9
    %5 = snippets.reshape %4                          2x2x7x3x9 to 2x2x7x27
    %o = snippets.matmul %v, %5 {transpose_a}         2x2x7x5 by 2x2x7x27

becomes

    %w = snippets.reshape %v                          2x2x7x5 to 1x2x2x7x5
    %r = snippets.matmul %p, %w                       3x2x2x9x5
    %6 = snippets.transpose %r [1, 2, 4, 0, 3]        3x2x2x9x5 to 2x2x5x3x9
    %o = snippets.reshape %6                          2x2x5x3x9 to 2x2x5x27

`jax.nn.dot_product_attention` multiplies the queries of all heads that share keys as rows of one
matrix, and transposes the scores before the softmax. After the rewrite a kernel reads queries and
keys in place, and nothing moves between the products (`snippets-tokenize-mha`).

Exact: each element is a sum of the same products in the same order.

Leaves transposes that break up rows, or that move the batch dims of the product among themselves;
scores that other ops also read, except for scales; products that no softmax reads along its rows;
shapes with unknown dims. Ours.
"""

# No annotations from __future__: xDSL reads the options of passes from these.

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.dialects.builtin.dims import Shape
from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.conversion import ReshapeOp
from snippets_mlir.dialects.snippets.layout import TransposeOp, permuted
from snippets_mlir.dialects.snippets.product import MatMulOp
from snippets_mlir.dialects.snippets.shapes import is_static
from snippets_mlir.dialects.snippets.whole_tensor import WholeTensorOp
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.building.graph import OpBuilder, not_skipped, outside_of_subgraphs
from snippets_mlir.passes.graph.canonicalize.snippets_turn_products import (
    are_matrices,
    has_a_softmax_of_rows,
    is_softmax_of_rows,
)
from snippets_mlir.passes.graph.canonicalize.turned_results import SplitResult, erase_unread
from snippets_mlir.passes.patterns import Pattern, PatternPass


def _viewed(build: OpBuilder, value: SSAValue, shape: Shape, order: Sequence[int]) -> SSAValue:
    """`value` under `shape`, transposed: a transpose before the reshape joins the new one."""
    before = value.owner
    if isinstance(before, ReshapeOp) and shape_of(before.operand) == shape:
        value = before.operand
        if isinstance(value.owner, TransposeOp):
            inner = value.owner
            return build.add(TransposeOp(inner.operand, [inner.permutation[dim] for dim in order]))
    return build.add(TransposeOp(build.reshape(value, shape), order))


class Rows(NamedTuple):
    """A product whose rows become batches.

    Attributes:
        product: with its rows before it.
        scales: the elementwise ops after it, in their order.
        shape: of the scores with the parts of their rows as dims.
    """

    product: MatMulOp
    scales: tuple[Operation, ...]
    shape: Shape


def keeps_the_last_dim(op: TransposeOp) -> bool:
    """The last dim stays, and all sizes are known."""
    return len(op.permutation) > 3 and op.keeps_last_dim and is_static(shape_of(op.operand))


def _is_scale(op: object) -> bool:
    """Whether it combines its first operand with numbers, element by element."""
    return (
        isinstance(op, ComputeOp)
        and not isinstance(op, WholeTensorOp)
        and not_skipped(op)
        and bool(op.operands)
        and op.results[0].type == op.operands[0].type
        and all(shape_of(value) == () for value in op.operands[1:])
    )


class BatchedScores(Pattern[TransposeOp, Rows]):
    """The transpose of parts of the rows of a product is a product of batches."""

    name = "batched-scores"
    ops = (TransposeOp,)
    conditions = (
        outside_of_subgraphs,
        not_skipped,
        keeps_the_last_dim,
        has_a_softmax_of_rows,
    )

    def match(self, op: TransposeOp) -> Rows | None:
        """The product, if only scales and a reshape of its rows are between."""
        view, scales = op.operand.owner, list[Operation]()
        if not isinstance(view, ReshapeOp) or not op.operand.has_one_use():
            return None
        value = view.operand
        while value.has_one_use() and _is_scale(value.owner):
            assert isinstance(value.owner, Operation)
            scales.insert(0, value.owner)
            value = value.owner.operands[0]
        product = value.owner
        if not isinstance(product, MatMulOp) or not value.has_one_use() or product.transposes[0]:
            return None
        if not not_skipped(product) or not are_matrices(product):
            return None
        shape, order = shape_of(view.result), op.permutation
        *batch, _, columns = shape_of(value)
        rank = len(batch)
        in_order = [dim for dim in order if dim < rank]
        fits = (
            len(shape) > rank + 2
            and shape[:rank] == tuple(batch)
            and shape[-1] == columns
            and in_order == sorted(in_order)
            and order[-2] >= rank
            and shape_of(product.lhs)[:-2] == shape_of(product.rhs)[:-2]
            and all(is_static(shape_of(factor)) for factor in product.operands)
        )
        return Rows(product, tuple(scales), shape) if fits else None

    def rewrite(self, op: TransposeOp, match: Rows, rewriter: PatternRewriter) -> None:
        """Multiply the transposed rows, and scale them."""
        build, old, order = OpBuilder(op, rewriter), match.product, op.permutation
        rows = (*match.shape[:-1], shape_of(old.lhs)[-1])
        keys, rank = shape_of(old.rhs), len(shape_of(old.result))
        left = _viewed(build, old.lhs, rows, order)
        batch = tuple(keys[dim] if dim < rank - 2 else 1 for dim in order[:-2])
        right = build.reshape(old.rhs, (*batch, *keys[-2:]))
        new = build.add(MatMulOp(left, right, transpose_b=old.transposes[1]))
        for scale in match.scales:
            new = build.add(
                type(scale).create(
                    operands=[new, *scale.operands[1:]],
                    result_types=[new.type],
                    properties=scale.properties,
                    attributes=scale.attributes,
                )
            )
        before = op.operand
        build.replace(new)
        erase_unread(before, rewriter)


def merges_probabilities(op: MatMulOp) -> bool:
    """The right operand merges the dims of a transposed softmax of rows."""
    view = op.rhs.owner
    if op.transpose_b is not None or not isinstance(view, ReshapeOp) or not op.rhs.has_one_use():
        return False
    turned = view.operand.owner
    if not isinstance(turned, TransposeOp) or not view.operand.has_one_use():
        return False
    static = all(is_static(shape_of(factor)) for factor in op.operands)
    return static and is_softmax_of_rows(turned.operand)


class BatchedResult(Pattern[MatMulOp, TransposeOp]):
    """The product with merged batches of probabilities is their product, merged."""

    name = "batched-result"
    ops = (MatMulOp,)
    conditions = (outside_of_subgraphs, not_skipped, are_matrices, merges_probabilities)

    def match(self, op: MatMulOp) -> TransposeOp | None:
        """The transpose of the probabilities, if the rows and batches that it merges are whole."""
        view = op.rhs.owner
        assert isinstance(view, ReshapeOp)
        turned = view.operand.owner
        assert isinstance(turned, TransposeOp)
        shape, rank, last = shape_of(op.rhs), len(shape_of(op.rhs)), len(turned.permutation) - 1
        order = turned.permutation
        fits = (
            last >= rank
            and order[rank - 2] == last
            and last - 1 not in order[: rank - 2]
            and list(order[: rank - 2]) == sorted(order[: rank - 2])
            and permuted(shape_of(turned.operand), order)[: rank - 1] == shape[:-1]
            and shape_of(op.lhs)[:-2] == shape[:-2]
        )
        return turned if fits else None

    def rewrite(self, op: MatMulOp, match: TransposeOp, rewriter: PatternRewriter) -> None:
        """Multiply the probabilities; transpose and merge the result."""
        build, order, values = OpBuilder(op, rewriter), match.permutation, shape_of(op.lhs)
        rank, whole = len(values), shape_of(match.operand)
        batch = tuple(
            size if dim in order[: rank - 2] else 1 for dim, size in enumerate(whole[:-2])
        )
        right = build.reshape(op.lhs, (*batch, *values[-2:]))
        new = build.add(MatMulOp(match.operand, right, transpose_b=op.transpose_a is None))
        result, before = build.add(TransposeOp(new, order)), op.rhs
        build.replace(build.reshape(result, shape_of(op.result)))
        erase_unread(before, rewriter)


@dataclass(frozen=True)
class SnippetsBatchHeadsPass(PatternPass):
    """Make batches of heads that are rows of products of attentions."""

    name = "snippets-batch-heads"
    STAGES: ClassVar[Stages] = Stages(("graph",))
    MIXES_CLASSES: ClassVar[bool] = False
    PATTERNS = (BatchedScores, BatchedResult, SplitResult)
