"""Give the body of a subgraph with a matrix product the dims of its kernel's loops.

    %c = snippets.matmul %a, %b : (tensor<64x512xf32>, tensor<512x96xf32>) -> tensor<64x96xf32>
    %d = snippets.add %c, %bias : (tensor<64x96xf32>, tensor<96xf32>) -> tensor<64x96xf32>

becomes

    %l = snippets.reshape %a : (tensor<64x512xf32>) -> tensor<64x512x1xf32>
    %r = snippets.reshape %b : (tensor<512x96xf32>) -> tensor<1x512x96xf32>
    %c = lir.brgemm %l, %r : (tensor<64x512x1xf32>, tensor<1x512x96xf32>) -> tensor<64x1x96xf32>
    %s = snippets.add %c, %bias : (tensor<64x1x96xf32>, tensor<96xf32>) -> tensor<64x1x96xf32>
    %d = snippets.reshape %s : (tensor<64x1x96xf32>) -> tensor<64x96xf32>

The summed dim is before the last one, and has size 1 everywhere except in the operands. Transposes
and slices are views of the inputs. A second product also reads values computed from the first one
through a view, with the columns as its terms:

    %p = snippets.transpose %s {permutation = array<i64: 0, 2, 1>} : .. -> tensor<64x96x1xf32>
    %o = lir.brgemm %p, %v : (tensor<64x96x1xf32>, tensor<1x96x32xf32>) -> tensor<64x1x32xf32>

A product of one column, or of one row and a transposed operand, is a sum along the vectors instead,
over the last dim: `snippets.multiply` and `snippets.reduce_sum`. One row and a transposed matrix of
constants stay a `lir.brgemm`, because `lir-brgemm-pack-constants` packs the matrix into panels. If
a second product follows, as in an attention of one row, its dims are those of the kernel, and a
view turns the sums:

    %s = snippets.reduce_sum %m : .. -> tensor<1x96x1xf32>
    %c = snippets.transpose %s {permutation = array<i64: 0, 2, 1>} : .. -> tensor<1x1x96xf32>

A product over one term is a `snippets.multiply`, and over none a broadcast 0.
"""

from __future__ import annotations

from collections.abc import Collection

from xdsl.dialects.builtin import DenseArrayBase, i64
from xdsl.ir import Attribute, Block, Operation, OpResult, SSAValue
from xdsl.rewriter import Rewriter

from snippets_mlir.analysis.graph.product_paths import computed_from, prologue_of
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of, tensor_type
from snippets_mlir.dialects.builtin.size_facts import has_symbols
from snippets_mlir.dialects.lir.brgemm import BrgemmOp, terms_shape
from snippets_mlir.dialects.snippets.arithmetic import MultiplyOp
from snippets_mlir.dialects.snippets.constants import ScalarOp
from snippets_mlir.dialects.snippets.conversion import BroadcastOp, ReshapeOp
from snippets_mlir.dialects.snippets.layout import TransposeOp
from snippets_mlir.dialects.snippets.product import DIAGONAL, MatMulOp
from snippets_mlir.dialects.snippets.reduction import ReduceOp, ReduceSumOp
from snippets_mlir.dialects.snippets.slicing import SliceOp
from snippets_mlir.dialects.snippets.subgraph import YieldOp
from snippets_mlir.passes.building.graph import OpBuilder
from snippets_mlir.passes.program.views_of_inputs import seen

VIEWS = (ReshapeOp, SliceOp, TransposeOp)


class _Space:
    """Rewrites one block.

    Attributes:
        values: the replacement of each value of the block.
        left: the views of left operands; products side by side share one.
        first: the product, if the left operand of another one is computed from it.
        along: whether the sum is along the vectors: the summed dim is the last one.
        least: the least rank of a value with a dim of the product's rows or columns that is not
            last.
    """

    def __init__(
        self, block: Block, product: MatMulOp, unfused: bool, constants: Collection[SSAValue]
    ) -> None:
        """`product` is one of the block's; if there are several, all have rows and columns."""
        self.block = block
        self.product = product
        self.unfused = unfused
        self.values: dict[SSAValue, SSAValue] = {}
        self.left: dict[SSAValue, SSAValue] = {}
        self.constants = constants
        after = computed_from(product, {*block.ops})
        self.first = product if any(isinstance(op, MatMulOp) for op in after) else None
        self.along = self.first is None and _is_along(product, constants)
        ranks = [len(shape_of(value)) for value in product.operands]
        self.least = 1 if self.along else min(2, *ranks)

    def run(self) -> None:
        """Rewrite the ops in order; views are rebuilt, and the old ones vanish."""
        old = list(self.block.ops)
        for op in old:
            self.builder = OpBuilder(op)
            if isinstance(op, MatMulOp):
                self.values[op.result] = self._product(op)
            elif isinstance(op, YieldOp):
                self._yield(op)
            elif not isinstance(op, ScalarOp) and not isinstance(op, VIEWS):
                self._element_by_element(op)
        for op in reversed(old):
            if not isinstance(op, YieldOp) and all(r.first_use is None for r in op.results):
                self.block.erase_op(op)

    def _product(self, op: MatMulOp) -> SSAValue:
        """The product in the new dims."""
        left, right = op.operands
        rows, columns = len(shape_of(left)), len(shape_of(right))
        batch = list(range(rows - 2))
        i, k = (rows - 2, rows - 1) if op.transpose_a is None else (rows - 1, rows - 2)
        row = None if rows == 1 else i
        inner = 0 if rows == 1 else k
        k, j = (columns - 2, columns - 1) if op.transpose_b is None else (columns - 1, columns - 2)
        column = None if columns == 1 else j
        below = 0 if columns == 1 else k
        others = list(range(columns - 2))
        terms = shape_of(left)[inner]
        if self.along or (op is self.first and _is_along(op, self.constants)):
            a = seen(self.builder, left, [*batch, row, None, inner])
            b = seen(self.builder, right, [*others, None, column, below])
            products = self.builder.add(MultiplyOp(a, b))
            axis = len(shape_of(products)) - 1
            sums = self.builder.add(ReduceSumOp(products, [axis], keep_dims=True))
            if self.along:
                return sums
            turned = [*range(axis - 1), axis, axis - 1]  # [.., 1, n, 1] becomes [.., 1, 1, n]
            return self.builder.add(TransposeOp(sums, turned))
        if left in self.values:
            value = self.values[left]  # [.., 1, n] becomes [.., n, 1]: columns are the next terms
            rank = len(shape_of(value))
            a = self.builder.add(TransposeOp(value, [*range(rank - 2), rank - 1, rank - 2]))
        else:
            if left not in self.left:
                self.left[left] = seen(self.builder, left, [*batch, row, inner, None])
            a = self.left[left]
        b = seen(self.builder, right, [*others, None, below, column])
        if terms == 1:
            return self.builder.add(MultiplyOp(a, b))
        if terms == 0:
            whole = terms_shape(shape_of(a), shape_of(b))
            assert whole is not None
            zero = self.builder.scalar(0.0, left)
            return self.builder.add(BroadcastOp(zero, (*whole[:-2], 1, whole[-1])))
        brgemm = BrgemmOp(a, b, unfused=self.unfused)
        if (diagonal := op.attributes.get(DIAGONAL)) is not None and self._all_end(op, diagonal):
            brgemm.attributes[DIAGONAL] = diagonal
        return self.builder.add(brgemm)

    def _all_end(self, op: MatMulOp, diagonal: Attribute) -> bool:
        """Whether the reductions of masks, which share the loop over keys, need no more keys."""
        ops = {*self.block.ops}
        apart = ops - computed_from(op, ops) - prologue_of(op, ops)
        sums = (it for it in apart if isinstance(it, ReduceOp))
        return all(it.attributes.get(DIAGONAL) == diagonal for it in sums)

    def _element_by_element(self, op: Operation) -> None:
        """Compute the op in the new dims."""
        operands = [self._operand(value) for value in op.operands]
        widened = any(value in self.values for value in op.operands)
        copy = op.clone(dict(zip(op.operands, operands, strict=True)))
        if isinstance(op, ReduceOp):
            order = self._order(len(shape_of(op.operand)))
            axes = [place for place, dim in enumerate(order) if dim in op.axes]
            copy.properties["axes"] = DenseArrayBase.from_list(i64, axes)
        for old, result in zip(op.results, copy.results, strict=True):
            shape = shape_of(old)
            order = self._order(max(len(shape), self.least if widened else 0))
            if order != list(range(len(shape))):
                shape = (*(1,) * (self.least - len(shape)), *shape)
                shape = tuple(1 if dim is None else shape[dim] for dim in order)
                element = tensor_of(old).element_type
                result = Rewriter.replace_value_with_new_type(result, tensor_type(element, shape))
            self.values[old] = result
        self.builder.add(copy)

    def _operand(self, value: SSAValue) -> SSAValue:
        """The new operand of an op for `value`."""
        if value in self.values:
            return self.values[value]
        order = self._order(len(shape_of(value)))
        return value if None not in order else seen(self.builder, value, order)

    def _order(self, rank: int) -> list[int | None]:
        """For each new dim the dim of a value of `rank`; None for one of size 1.

        The dims of the result are those of the batch, the rows and the columns; an operand of rank
        1 has no rows or columns.
        """
        rows, columns = (len(shape_of(value)) > 1 for value in self.product.operands)
        if rank < self.least:
            return list(range(rank))
        if not columns:
            return [*range(rank), None, None]
        if self.along:
            return [*range(rank), None] if rows else [*range(rank - 1), None, rank - 1, None]
        inner = [None] if rows else [None, None]
        return [*range(rank - 1), *inner, rank - 1]

    def _yield(self, op: YieldOp) -> None:
        """Restore the shapes of the results."""
        for index, value in enumerate(op.values):
            computed, order = value, None
            if isinstance(value, OpResult) and isinstance(value.op, ReshapeOp | TransposeOp):
                computed = value.op.operands[0]
                order = value.op.permutation if isinstance(value.op, TransposeOp) else None
            if computed in self.values:
                shape = shape_of(value if order is None else computed)
                new = self.builder.reshape(self.values[computed], shape)
                op.operands[index] = (
                    new if order is None else self.builder.add(TransposeOp(new, order))
                )


def _is_along(product: MatMulOp, constants: Collection[SSAValue]) -> bool:
    """Whether the sum of a product is along the vectors.

    It is for one column, and for one row of terms that are adjacent in both operands, unless the
    right one is a matrix that becomes panels.
    """
    left, right = map(shape_of, product.operands)
    terms = left[-2 if product.transpose_a is not None else -1]
    if terms in (0, 1):
        return False
    if len(right) == 1 or right[-2 if product.transpose_b is not None else -1] == 1:
        return True
    if product.transpose_b is None or (len(left) > 1 and left[-2] != 1):
        return False
    is_matrix = product.rhs in constants and len(right) == 2 and not has_symbols((*left, *right))
    return not is_matrix or any(size != 1 for size in left[:-1])


def to_product_space(block: Block, *, unfused: bool, constants: Collection[SSAValue]) -> None:
    """Give a block the dims of its product, if it has one.

    Args:
        block: the body of a subgraph in the forms of `analysis/graph/products.py`.
        constants: its constant arguments without other readers.
        unfused: whether the target has no fused multiply-add.
    """
    for op in block.ops:
        if isinstance(op, MatMulOp):
            _Space(block, op, unfused, constants).run()
            return
