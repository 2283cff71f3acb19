"""Convert `dot_general` to a matrix product.

    %1 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [2]
         : (tensor<7x4x8xf32>, tensor<7x5x8xf32>) -> tensor<7x4x5xf32>

becomes a transpose of `%b`, which folds into `snippets.matmul %a, %b {transpose_b}`. The operands
get the order batching, free, contracting (left) and batching, contracting, free (right). Several
free or contracting dims become one, and no dims become a dim of size 1. Operands of another element
type than the result's are converted first. Refused: dynamic dims, and i1.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import i1
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.snippets.conversion import ConvertTruncationOp
from snippets_mlir.dialects.snippets.layout import TransposeOp
from snippets_mlir.dialects.snippets.product import MatMulOp
from snippets_mlir.dialects.snippets.shapes import is_static
from snippets_mlir.dialects.stablehlo.products import DotGeneralOp
from snippets_mlir.passes.graph.stablehlo.builder import (
    Replacement,
    in_a_function,
    of_known_elements,
)
from snippets_mlir.passes.patterns import Pattern

Dims = tuple[int, ...]
Orders = tuple[tuple[Dims, Dims, Dims], tuple[Dims, Dims, Dims]]


def of_static_operands(op: DotGeneralOp) -> bool:
    """No operand has dynamic dims."""
    return all(is_static(shape_of(value)) for value in op.operands)


class DotGeneral(Pattern[DotGeneralOp, Orders]):
    """`dot_general` is a product of matrices of its free and contracting dims."""

    name = "dot-general"
    ops = (DotGeneralOp,)
    conditions = (in_a_function, of_known_elements, of_static_operands)

    def match(self, op: DotGeneralOp) -> Orders | None:
        """The dims of both operands, in the order of a matrix product."""
        if tensor_of(op.result).element_type == i1:
            return None
        (lb, rb), (lf, rf), (lc, rc) = op.batching, op.free, op.contracting
        return (lb, lf, lc), (rb, rc, rf)

    def rewrite(self, op: DotGeneralOp, match: Orders, rewriter: PatternRewriter) -> None:
        """Reorder both operands, multiply, and split the dims again."""
        build = Replacement(op, rewriter)
        left, right = (
            _as_matrices(build, value, groups)
            for value, groups in zip(op.operands, match, strict=True)
        )
        product = build.add(MatMulOp(left, right))
        build.replace(build.reshape(product, shape_of(op.result)))


def _as_matrices(build: Replacement, value: SSAValue, groups: Sequence[Dims]) -> SSAValue:
    """The operand with the dims of the first group unchanged, and each other group merged."""
    element = tensor_of(build.anchor.results[0]).element_type
    if tensor_of(value).element_type != element:
        value = build.add(ConvertTruncationOp(value, element))
    shape = [int(size) for size in tensor_of(value).get_shape()]
    order = [dim for group in groups for dim in group]
    if order != sorted(order):
        value = build.add(TransposeOp(value, order))
    batch, *matrix = ([shape[dim] for dim in group] for group in groups)
    return build.reshape(value, (*batch, *(prod(sizes) for sizes in matrix)))


RULES = (DotGeneral,)
