"""Computes in the memory order of tensors.

    %0 = snippets.transpose %x {permutation = array<i64: 0, 3, 1, 2>}    # channels last in memory
    %1 = snippets.multiply %0, %scale : (tensor<8x16x32x32xf32>, tensor<16x1x1xf32>)
    %2 = snippets.transpose %1 {permutation = array<i64: 0, 2, 3, 1>}
    func.return %2

becomes

    %0 = snippets.reshape %scale : (tensor<16x1x1xf32>) -> tensor<1x1x1x16xf32>
    %1 = snippets.multiply %x, %0 : (tensor<8x32x32x16xf32>, tensor<1x1x1x16xf32>)
    func.return %1

A transpose moves after an elementwise op if all operands are transposed in the same way, or have at
most one dim that is not 1. It moves after a reduction, which then reduces dims in memory order, if
the remaining dims keep their order. Two inverse transposes cancel. Other ops read transposed
values: operands in several orders, repeated values, softmax, views.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Block, Operation, SSAValue

from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of, tensor_type
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.conversion import BroadcastLikeOp, ReshapeOp
from snippets_mlir.dialects.snippets.layout import TransposeOp, permuted
from snippets_mlir.dialects.snippets.reduction import ReduceOp
from snippets_mlir.dialects.snippets.whole_tensor import WholeTensorOp


def inverse(permutation: Sequence[int]) -> tuple[int, ...]:
    """The permutation that undoes one."""
    return tuple(permutation.index(dim) for dim in range(len(permutation)))


def compute_in_memory_order(block: Block) -> None:
    """Change the ops of a block; its results stay the same."""
    for op in list(block.ops):
        if isinstance(op, TransposeOp):
            inner = op.operand.owner
            if isinstance(inner, TransposeOp) and op.permutation == inverse(inner.permutation):
                op.result.replace_all_uses_with(inner.operand)
        elif isinstance(op, ReduceOp):
            _reduce(block, op)
        elif isinstance(op, ComputeOp) and not isinstance(op, WholeTensorOp | BroadcastLikeOp):
            _compute(block, op)
    for op in reversed(list(block.ops)):
        if isinstance(op, TransposeOp | ReshapeOp) and not op.result.uses:
            op.detach()
            op.erase()


def _reduce(block: Block, op: ReduceOp) -> None:
    transpose = op.operand.owner
    if not isinstance(transpose, TransposeOp):
        return
    order = transpose.permutation
    left = [order[dim] for dim in range(len(order)) if dim not in op.axes]
    if not op.keeps_dims and left != sorted(left):
        return
    axes = [order[axis] for axis in op.axes]
    found = type(op)(transpose.operand, axes, op.keeps_dims)
    _replace(block, op, found, order if op.keeps_dims else None)


def _compute(block: Block, op: ComputeOp) -> None:
    (result,) = op.results
    makers = [operand.owner for operand in op.operands]
    orders = {maker.permutation for maker in makers if isinstance(maker, TransposeOp)}
    rank = len(shape_of(result))
    if len(orders) != 1 or len(order := next(iter(orders))) != rank:
        return
    operands: list[SSAValue] = []
    made: list[Operation] = []
    for operand, maker in zip(op.operands, makers, strict=True):
        shape = shape_of(operand)
        shape = (*[1] * (rank - len(shape)), *shape)
        if isinstance(maker, TransposeOp):
            operands.append(maker.operand)
        elif not shape_of(operand):
            operands.append(operand)
        elif sum(size != 1 for size in shape) <= 1:
            made.append(moved := ReshapeOp(operand, permuted(shape, inverse(order))))
            operands.append(moved.result)
        else:
            return
    type_ = tensor_of(result)
    type_ = tensor_type(type_.element_type, permuted(shape_of(type_), inverse(order)))
    block.insert_ops_before(made, op)
    found = type(op).create(
        operands=operands,
        result_types=[type_],
        properties=op.properties,
        attributes=op.attributes,
    )
    _replace(block, op, found, order)


def _replace(block: Block, op: Operation, found: Operation, order: Sequence[int] | None) -> None:
    """Replace `op` by `found`, and its result by the transposed result of `found`."""
    block.insert_op_before(found, op)
    value = found.results[0]
    if order is not None:
        block.insert_op_before(transposed := TransposeOp(value, order), op)
        value = transposed.result
    op.results[0].replace_all_uses_with(value)
    op.detach()
    op.erase()
