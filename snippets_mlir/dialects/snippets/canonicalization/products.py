"""Canonical form of matrix products: rows of their operands are contiguous in memory.

    %0 = snippets.transpose %k {permutation = array<i64: 0, 2, 3, 1>}    2x20x4x16 to 2x4x16x20
    %1 = snippets.matmul %q, %0

becomes

    %0 = snippets.transpose %k {permutation = array<i64: 0, 2, 1, 3>}    2x20x4x16 to 2x4x20x16
    %1 = snippets.matmul %q, %0 {transpose_b}

A transpose that makes its operand's last dim the last but one becomes `transpose_a` or
`transpose_b`, and a transpose of the leading dims. The latter vanishes if it moves nothing.
Elements are only moved, so the rewrite is exact. A transpose that breaks up rows stays.
"""

from __future__ import annotations

from typing import NamedTuple

from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from snippets_mlir.dialects.snippets.layout import TransposeOp
from snippets_mlir.dialects.snippets.product import MatMulOp, transposing
from snippets_mlir.dialects.snippets.rules.match import in_linear_ir


class _Operand(NamedTuple):
    """An operand of a product: `value`, transposed by `permutation` if there is one."""

    value: SSAValue
    permutation: tuple[int, ...] | None


def plan(value: SSAValue) -> _Operand | None:
    """The new operand, with the inverted flag; None if the operand stays."""
    op = value.owner
    if not isinstance(op, TransposeOp) or len(op.permutation) < 2:
        return None
    *before, last_but_one, last = op.permutation
    if last_but_one != len(op.permutation) - 1:
        return None
    order = (*before, last, last_but_one)
    return _Operand(op.operand, None if order == (*range(len(order)),) else order)


class TransposedOperand(RewritePattern):
    """matmul(transpose(x), y) = matmul(x, y) {transpose_a} where the last two dims are swapped."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        """Replace a product that has such a transpose as an operand."""
        if not isinstance(op, MatMulOp) or in_linear_ir(op):
            return
        plans = [plan(value) for value in op.operands]
        if not any(plans):
            return
        flags = [on != (p is not None) for on, p in zip(op.transposes, plans, strict=True)]
        operands: list[SSAValue] = []
        new_ops: list[Operation] = []
        for value, found in zip(op.operands, plans, strict=True):
            if found is not None:
                value = found.value
                if found.permutation is not None:
                    new_ops.append(transpose := TransposeOp(value, found.permutation))
                    transpose.location = op.location
                    value = transpose.result
            operands.append(value)
        new = MatMulOp.create(
            operands=operands,
            result_types=[op.result.type],
            properties=transposing(*flags),
            attributes=dict(op.attributes),
        )
        new.location = op.location
        rewriter.replace(op, [*new_ops, new])
