"""Turn products around so that the scores of an attention are a left operand, and its keys columns.

    %p = snippets.softmax %t {axis = 2}                 %p = snippets.softmax %t {axis = 2}
    %o = snippets.matmul %v, %p           becomes       %r = snippets.matmul %p, %v
         {transpose_a, transpose_b}                     %o = snippets.transpose %r [0, 2, 1]

and, before a softmax along the last dim,

    %s = snippets.matmul %k, %q {transpose_b}
    %t = snippets.transpose %s [0, 2, 1]  becomes       %t = snippets.matmul %q, %k {transpose_b}

and, for three heads or more of one row that share keys (`heads_as_rows.py`),

    %s = snippets.matmul %q, %k {transpose_b}           %r = snippets.transpose %q [1, 0, 2]
         3x1x4 by 1x7x4 to 3x1x7          becomes       %s = snippets.matmul %r, %k {transpose_b}
                                                             1x3x4 by 1x7x4 to 1x3x7

The first two are the equation (A B)^T = B^T A^T. JAX writes the second product of an attention the
first way for heads before the last dim (`jax.nn.dot_product_attention`), Einsum of ONNX and Keras
write either. `snippets-tokenize-mha` looks for the softmax in the left operand. The transpose of
the result is combined with the next one (`turned_results`), or it is a view in the kernel.

Exact: each element is a sum of the same products in the same order, and a product of two numbers
does not depend on which is the first. Only rows of heads may be added in another order by kernels.

Leaves a product whose sum does not run along the softmax; whose softmax is not of a product; whose
scores or probabilities other ops also read, for these would need the memory anyway; whose left
operand is made by a softmax, too. Leaves heads of one row whose masks differ by head, or whose
scores other ops also read. Leaves transposed scores that other ops also read, that no softmax reads
along their last dim, or whose transpose moves other dims. Ours.
"""

# No annotations from __future__: xDSL reads the options of passes from these.

from dataclasses import dataclass
from typing import ClassVar

from typing_extensions import override
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.dialects.builtin.shaped import element_of, shape_of, tensor_type
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.canonicalization.products import plan
from snippets_mlir.dialects.snippets.layout import TransposeOp, permuted
from snippets_mlir.dialects.snippets.normalization import SoftmaxOp
from snippets_mlir.dialects.snippets.product import DIAGONAL, MatMulOp, transposing
from snippets_mlir.dialects.snippets.whole_tensor import WholeTensorOp
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.building.graph import OpBuilder, not_skipped, outside_of_subgraphs
from snippets_mlir.passes.graph.canonicalize.heads_as_rows import HeadsAsRows
from snippets_mlir.passes.graph.canonicalize.snippets_pull_scales import followers
from snippets_mlir.passes.graph.canonicalize.turned_results import ReshapedResult, TransposedResult
from snippets_mlir.passes.graph.paths import readers, sources
from snippets_mlir.passes.patterns import Pattern, PatternPass


def swap(rank: int) -> tuple[int, ...]:
    """The permutation that exchanges the last two dims."""
    return (*range(rank - 2), rank - 1, rank - 2)


def turned(op: MatMulOp, left: SSAValue, transposed: bool) -> MatMulOp:
    """The transpose of `op` as a product with `left`, which is its right operand, transposed."""
    shape = shape_of(op.result)
    return MatMulOp.create(
        operands=[left, op.lhs],
        result_types=[tensor_type(element_of(op.result.type), permuted(shape, swap(len(shape))))],
        properties=transposing(transposed, not op.transposes[0]),
        attributes={name: attr for name, attr in op.attributes.items() if name != DIAGONAL},
    )


def are_matrices(op: MatMulOp) -> bool:
    """Both operands have rows and columns."""
    return all(len(shape_of(value)) > 1 for value in op.operands)


def _made_before(value: SSAValue, op: MatMulOp) -> set[Operation]:
    """The ops that `value`, an operand of `op`, is computed with, up to products."""
    return set() if op.parent is None else sources(value, op.parent, MatMulOp)


def _right(op: MatMulOp) -> SSAValue | None:
    """The right operand as matrices of columns by terms; None where it would have to be moved."""
    if op.transpose_b is not None:
        return op.rhs
    found = plan(op.rhs)
    return None if found is None or found.permutation is not None else found.value


def is_softmax_of_rows(value: SSAValue) -> bool:
    """Whether a softmax along the last dim makes `value`, or elementwise ops after one do."""
    seen, waiting = set[Operation](), [value.owner]
    while waiting:
        op = waiting.pop()
        if isinstance(op, SoftmaxOp) and op.axis == len(shape_of(op.x)) - 1:
            return True
        if not isinstance(op, ComputeOp) or isinstance(op, WholeTensorOp) or op in seen:
            continue
        seen.add(op)
        shape = shape_of(op.results[0])
        waiting += [v.owner for v in op.operands if shape_of(v) == shape]
    return False


def sums_along_a_softmax(op: MatMulOp) -> bool:
    """The right operand follows from a softmax along the dim that the product sums over."""
    value = _right(op)
    return value is not None and is_softmax_of_rows(value)


def has_no_softmax_on_the_left(op: MatMulOp) -> bool:
    """The product is not the second one of an attention already."""
    return not any(isinstance(it, SoftmaxOp) for it in _made_before(op.lhs, op))


def _scores(op: MatMulOp) -> set[Operation]:
    """The products that the right operand is computed from, and the ops from them to it."""
    before = _made_before(op.rhs, op)
    products = {it for it in before if isinstance(it, MatMulOp)}
    return products.union(*(readers(it.results[0], before) for it in products))


def is_after_a_product(op: MatMulOp) -> bool:
    """The softmax is computed from another product."""
    return any(isinstance(it, SoftmaxOp) for it in _scores(op))


def alone_reads_the_scores(op: MatMulOp) -> bool:
    """No other op reads the scores, or values between them and this product."""
    inside = _scores(op)
    used = (use.operation for it in inside for value in it.results for use in value.uses)
    return inside.union([op]).issuperset(used)


class ProductWithScores(Pattern[MatMulOp, SSAValue]):
    """`V P^T` is `(P V^T)^T`."""

    name = "product-with-scores"
    ops = (MatMulOp,)
    conditions = (
        outside_of_subgraphs,
        not_skipped,
        are_matrices,
        sums_along_a_softmax,
        has_no_softmax_on_the_left,
        is_after_a_product,
        alone_reads_the_scores,
    )

    @override
    def match(self, op: MatMulOp) -> SSAValue | None:
        return _right(op)

    @override
    def rewrite(self, op: MatMulOp, match: SSAValue, rewriter: PatternRewriter) -> None:
        build, before = OpBuilder(op, rewriter), op.rhs.owner
        product = build.add(turned(op, match, transposed=False))
        build.replace(build.add(TransposeOp(product, swap(len(shape_of(product))))))
        if isinstance(before, TransposeOp) and before.result.first_use is None:
            rewriter.erase(before)


def exchanges_rows_and_columns(op: TransposeOp) -> bool:
    """It exchanges the last two dims, and nothing else."""
    rank = len(op.permutation)
    return rank > 1 and op.permutation == swap(rank)


def alone_reads_a_product(op: TransposeOp) -> bool:
    """Its operand is a product of matrices without other readers."""
    product = op.operand.owner
    if not isinstance(product, MatMulOp) or not op.operand.has_one_use():
        return False
    return not_skipped(product) and are_matrices(product)


def has_a_softmax_of_rows(op: TransposeOp) -> bool:
    """A softmax along the last dim reads it, directly or through elementwise ops."""
    last = len(op.permutation) - 1
    return any(isinstance(it, SoftmaxOp) and it.axis == last for it in followers(op))


class TransposedScores(Pattern[TransposeOp, MatMulOp]):
    """`(K Q^T)^T` is `Q K^T`."""

    name = "transposed-scores"
    ops = (TransposeOp,)
    conditions = (
        outside_of_subgraphs,
        not_skipped,
        exchanges_rows_and_columns,
        alone_reads_a_product,
        has_a_softmax_of_rows,
    )

    @override
    def match(self, op: TransposeOp) -> MatMulOp | None:
        product = op.operand.owner
        return product if isinstance(product, MatMulOp) else None

    @override
    def rewrite(self, op: TransposeOp, match: MatMulOp, rewriter: PatternRewriter) -> None:
        build = OpBuilder(op, rewriter)
        build.replace(build.add(turned(match, match.rhs, not match.transposes[1])))
        rewriter.erase(match)


@dataclass(frozen=True)
class SnippetsTurnProductsPass(PatternPass):
    """Turn the products of attentions around that have the scores on the right or transposed."""

    name = "snippets-turn-products"
    STAGES: ClassVar[Stages] = Stages(("graph",))
    MIXES_CLASSES: ClassVar[bool] = False
    PATTERNS = (
        ProductWithScores,
        HeadsAsRows,
        TransposedResult,
        TransposedScores,
        ReshapedResult,
    )
