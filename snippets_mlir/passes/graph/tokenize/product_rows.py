"""The tokenizer's rules on ops before a product, and on norms after it: T9 to T15.

    %n = snippets.layer_norm %x ...                                   a group
    %m = snippets.matmul %n, %w : (2048x768, 768x2304) -> 2048x2304   a group: one kernel for both

A kernel for both computes the norm of a block of 128 rows, multiplies the block with the right
operand, and takes the next block (`lir-brgemm-row-blocks`). The norm of all rows is never in
memory. Two groups that T8 keeps apart become one if one has products, the other one computes their
left operand, or reduces whole rows of their result, and

* T9: the linear IR holds the ops together (P1 to P5 of `analysis/graph/products.py`), and T1, T3
  and T4 allow it;
* T10: all sizes are known;
* T11: the value between the two groups is larger than the second-level cache: two kernels find a
  smaller one there, too;
* T12: half of that cache holds a block of it of `ROWS` rows or more, or of all rows, and as many
  rows of the left operand: these are read for each panel of the right operands, which are read
  again for each block;
* T13: there are `SHARES` blocks for each thread, or equally many and `LEAST_SHARES`: otherwise
  threads would wait for each other, and they cannot share the columns instead;
* T14: the right operands are constants, which are packed into panels that the code prefetches, or
  all blocks together read fewer bytes of them than the value between the groups has;
* T15: nothing else reads the ops before a product: their results would be stored twice.

docs/kernel-measurements.md has the times.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.ir import Operation, SSAValue

from snippets_mlir.analysis.graph.products import why_not_together
from snippets_mlir.analysis.kernels.row_blocks import block_height, must_share
from snippets_mlir.dialects.builtin.dims import static_shape
from snippets_mlir.dialects.builtin.shaped import element_bytes, shape_of
from snippets_mlir.dialects.builtin.size_estimates import assumed
from snippets_mlir.dialects.builtin.size_facts import has_symbols
from snippets_mlir.dialects.snippets.constants import ConstantOp
from snippets_mlir.dialects.snippets.product import MatMulOp
from snippets_mlir.dialects.snippets.shapes import is_static
from snippets_mlir.passes.building.graph import op_text
from snippets_mlir.passes.graph.tokenize.machine_facts import Machine

ROWS = 64
"""The least rows of a block."""

SHARES = 4
"""The least blocks for a thread: an unequal share costs more than one kernel saves."""

LEAST_SHARES = 2
"""The least blocks for a thread if all threads get equally many."""


@dataclass(frozen=True)
class Apart:
    """Ops that are no part of the kernel of a product beside them, and why."""

    ops: tuple[Operation, ...]
    product: MatMulOp
    reason: str

    def __str__(self) -> str:
        ops = ", ".join(map(op_text, self.ops))
        return f"{ops} apart from {op_text(self.product)}: {self.reason}"


def why_apart(
    ops: Sequence[Operation], products: Sequence[MatMulOp], value: SSAValue, machine: Machine
) -> str | None:
    """Why two groups stay two kernels, by T9 to T14 without T1, T3 and T4; None if they do not.

    Args:
        ops: all ops, in order.
        products: those among them, which read one left operand.
        value: the value between the groups: the left operand, or the result of a product.
        machine: what the kernel runs on.
    """
    if (reason := why_not_together(ops)) is not None:
        return f"T9: {reason}"
    operands = (op.rhs for op in products)
    shapes = [shape_of(value), *map(shape_of, operands)]
    if not all(map(is_static, shapes)) or any(map(has_symbols, shapes)):
        return "T10: the call decides about the sizes"
    *batch, rows, columns = static_shape(shape_of(value))
    row, matrices = columns * element_bytes(value), prod(batch)
    size = matrices * rows * row
    if size <= machine.cache:
        return f"T11: {size} bytes between them, the second-level cache has {machine.cache}"
    shared = must_share(matrices, machine.threads)
    height = block_height(rows, row, machine.cache, shared=shared)
    if height < min(ROWS, rows):
        return f"T12: blocks have {height} rows of {row} bytes, fewer than {ROWS}"
    if (left := height * left_row_bytes(products[0])) > machine.cache // 2:
        return f"T12: blocks of {height} rows read {left} bytes of the left operand"
    blocks, threads = matrices * -(-rows // height), machine.threads
    shares = LEAST_SHARES if blocks % threads == 0 else SHARES
    if blocks < shares * threads:
        return f"T13: {blocks} blocks of {height} rows for {threads} threads"
    if all(isinstance(op.rhs.owner, ConstantOp) for op in products):
        return None
    again = blocks * sum(map(_matrix_bytes, products))
    if again >= size:
        return f"T14: blocks read {again} bytes of right operands for {size} bytes between them"
    return None


def left_row_bytes(product: MatMulOp) -> int:
    """The bytes of a row of the left operand."""
    terms = shape_of(product.lhs)[-1 if product.transpose_a is None else -2]
    return assumed(terms) * element_bytes(product.lhs)


def _matrix_bytes(product: MatMulOp) -> int:
    """The bytes of one matrix of the right operand."""
    return prod(static_shape(shape_of(product.rhs))[-2:]) * element_bytes(product.rhs)
