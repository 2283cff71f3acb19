"""The tokenizer's rules on the loops of two groups that could become one: T2 and T5 to T8.

    %m = snippets.reduce_max %x {axes = array<i64: 1>, keep_dims} : (8x64) -> 8x1
    %d = snippets.subtract %x, %m : (8x64, 8x1) -> 8x64         one group: T2 and T5 hold
    %t = snippets.transpose %d {permutation = array<i64: 1, 0>} a new one: T6

The rules are documented in `plan.py`. Each is a pure function of two groups and their broadcast
shape. The rules that look at values take time in the size of the smaller group.
"""

from math import prod

from xdsl.ir import Operation

from snippets_mlir.analysis.graph.loop_space import is_small, parallel_units, without_ones_in_front
from snippets_mlir.analysis.graph.products import SIDE_BY_SIDE, are_side_by_side
from snippets_mlir.dialects.builtin.dims import Shape
from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.builtin.size_estimates import assumed
from snippets_mlir.dialects.snippets.constants import ConstantOp
from snippets_mlir.dialects.snippets.layout import TransposeOp
from snippets_mlir.dialects.snippets.shapes import broadcast_shapes
from snippets_mlir.passes.graph.tokenize.groups import Group

MANY_ROWS = 32
"""The least rows of products for which a register tile is worth a launch of its own."""


def common_loops(a: Group, b: Group) -> Shape | None:
    """T2: the shape that all loops broadcast to, if an op of `a` or `b` has it; else None."""
    shape = broadcast_shapes(a.shape, b.shape)
    if shape is None or (shape not in a.shapes and shape not in b.shapes):
        return None
    return shape


def reduce_alike(a: Group, b: Group, shape: Shape) -> bool:
    """T5: the reductions of both combine the same dims of `shape`, each of its elements once."""
    if a.summed is not None and b.summed is not None and a.reduced != b.reduced:
        return False
    wanted = without_ones_in_front(shape)
    summed = (g.summed for g in (a, b) if g.summed is not None)
    return all(without_ones_in_front(s) == wanted for s in summed)


def come_from_outside(large: Group, small: Group) -> bool:
    """T6: neither group computes a value that the other one can only read as an input."""
    return not (
        any(value in large.writes for value in small.outside)
        or any(value in large.outside for value in small.writes)
    )


def keep_threads_busy(large: Group, small: Group, shape: Shape, threads: int) -> bool:
    """T7: ops after a reduction do not lose their threads by joining it."""
    if threads <= 1 or is_small(shape):
        return True
    for first, second in ((large, small), (small, large)):
        if first.summed is None or not first.feeds(second, smaller=small):
            continue
        units = parallel_units(first.summed, first.reduced)
        results = parallel_units(second.shape, frozenset())
        if units is not None and assumed(units) < threads and results != units:
            return False
    return True


def surround_products(a: Group, b: Group, shape: Shape, side_by_side: int) -> bool:
    """T8: beside a matrix product only elementwise ops that are no larger than the product.

    Products are side by side if they read one left operand and constants of one type. From
    `MANY_ROWS` rows on there are at most `side_by_side`: fewer rows gain from one pass over them.
    """
    products = (*a.products, *b.products)
    if not products:
        return True
    first, *others = products
    rows = prod(map(assumed, shape_of(first.result)[:-1]))
    most = SIDE_BY_SIDE if rows < MANY_ROWS else side_by_side
    if others and not (
        len(products) <= most
        and all(are_side_by_side(first, op) for op in others)
        and all(isinstance(op.rhs.owner, ConstantOp) for op in products)
    ):
        return False
    return a.is_plain and b.is_plain and shape == shape_of(first.result)


def transposed_operand(product: Group, other: Group, op: Operation) -> bool:
    """Whether `other` is `op` alone, a transpose that only products of `product` read.

    Its rows have to be contiguous: the last dim of its operand is one of its last two.
    """
    if not product.products or len(other.ops) > 1 or not isinstance(op, TransposeOp):
        return False
    readers = {use.operation for use in op.result.uses}
    rank = len(op.permutation)
    together = rank - 1 in op.permutation[-2:]
    return readers <= {*product.products} and together and op.operand not in product.writes
