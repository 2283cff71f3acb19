"""Views beside matrix products and concats: layouts of operands and results, parts of operands."""

from __future__ import annotations

from collections.abc import Container

from xdsl.ir import BlockArgument, Operation, OpResult, SSAValue

from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.concatenation import ConcatOp
from snippets_mlir.dialects.snippets.conversion import ReshapeOp
from snippets_mlir.dialects.snippets.layout import TransposeOp
from snippets_mlir.dialects.snippets.product import MatMulOp
from snippets_mlir.dialects.snippets.slicing import SliceOp
from snippets_mlir.dialects.snippets.subgraph import SubgraphOp, YieldOp
from snippets_mlir.dialects.snippets.whole_tensor import WholeTensorOp


def transposes_result(op: Operation) -> bool:
    """Whether `op` only sets the memory layout of a result beside a product; rows stay whole."""
    around = op.parent_op()
    if not isinstance(op, TransposeOp) or not isinstance(around, SubgraphOp):
        return False
    if not op.keeps_last_dim or is_input_view(op.operand):
        return False
    is_yielded = all(isinstance(use.operation, YieldOp) for use in op.result.uses)
    return is_yielded and any(isinstance(other, MatMulOp) for other in around.block.ops)


def _has_whole_parts(op: SliceOp) -> bool:
    """Whether the elements of a slice are adjacent along the last dim, as those of its operand."""
    return set(op.steps) == {1} and len(op.starts) - 1 not in op.drops


def is_slice_of_a_product(op: SliceOp) -> bool:
    """Whether only products, directly or through transposes, read a slice of whole parts."""
    if not _has_whole_parts(op):
        return False
    readers = {use.operation for use in op.result.uses}
    turned = {reader for reader in readers if isinstance(reader, TransposeOp)}
    readers = readers - turned | {use.operation for it in turned for use in it.result.uses}
    return bool(readers) and all(isinstance(reader, MatMulOp) for reader in readers)


def is_part_of_a_concat(op: TransposeOp) -> bool:
    """Whether a transpose is a layout of parts of concats, which nothing else reads."""
    readers = [use.operation for use in op.result.uses]
    concats = bool(readers) and all(isinstance(reader, ConcatOp) for reader in readers)
    return concats and op.keeps_last_dim


def is_slice_of_a_part(op: SliceOp) -> bool:
    """Whether only such transposes read a slice, and its parts are whole."""
    if not _has_whole_parts(op):
        return False
    readers = [use.operation for use in op.result.uses]
    return bool(readers) and all(
        isinstance(reader, TransposeOp) and is_part_of_a_concat(reader) for reader in readers
    )


def is_slice_of_a_mask(op: SliceOp, inside: Container[Operation]) -> bool:
    """Whether elementwise ops of `inside` alone read a slice of whole parts, such as a bias."""
    if not _has_whole_parts(op):
        return False
    readers = [use.operation for use in op.result.uses]
    return bool(readers) and all(
        it in inside and isinstance(it, ComputeOp) and not isinstance(it, WholeTensorOp)
        for it in readers
    )


def is_input_view(value: SSAValue) -> bool:
    """Whether `value` is an input of the subgraph, reshaped or not (K4, K5)."""
    if isinstance(value, OpResult) and isinstance(value.op, ReshapeOp):
        value = value.op.operand
    return isinstance(value, BlockArgument)
