"""Put an attention into one `snippets.subgraph`: two matrix products with a softmax between.

    %s = snippets.matmul %q, %k {transpose_b}    %o = snippets.subgraph (%a = %q, ...) {
    %t = snippets.add %s, %mask                    %s = snippets.matmul %a, %b {transpose_b}
    %p = snippets.softmax %t {axis = 2}  becomes   %t = snippets.add %s, %c
    %o = snippets.matmul %p, %v                    %p = snippets.softmax %t {axis = 2}
                                                   %o = snippets.matmul %p, %d
                                                   snippets.yield %o
                                                 }

The kernel keeps the scores of a block of rows in its scratchpad (`lir-brgemm-row-blocks`). An
attention is the set of ops on all paths from one product to the left operand of another:
elementwise ops (a scale, a mask, a select) and at least one softmax. Selects, comparisons, sums and
slices that make a mask are inside if nothing else reads them. So are elementwise ops that alone
read the result and keep its type, and reductions of the mask's rows that only they read (ONNX: 0 in
the rows that a mask hides completely). Other ops for the mask stay outside. If the scores are a sum
of several products, as with relative positions, one of them is inside: the last one with which this
is an attention. The same holds if nodes that no kernel holds bring the mask to the shape of a
product. A transpose of an operand goes inside as a view if only the product reads it and the rows
of its operand stay in one piece, and so does a slice of whole rows, or of whole parts of them. So
does a transpose that alone reads the result and keeps its rows.

Refuses, and prints why:

* M1: an op on the path has no kernel (E1 to E7 of `analysis/graph/eligibility.py`);
* M2: the linear IR does not hold the ops together (P1 to P4 of `analysis/graph/products.py`);
* M3: the scores of a block of rows exceed the second-level cache of the target; dynamic keys count
  as `row_blocks.SOME_COLUMNS`;
* M4: there is one row of fewer than `ENOUGH` matrices. Threads share the keys in kernels for the
  three steps, but not in one kernel. The real number of threads does not count, because one kernel
  adds in another order than three do.

Source: the guide's TokenizeMHASnippets.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

from typing_extensions import override
from xdsl.ir import Block, Operation

from snippets_mlir.analysis.graph.eligibility import why_not
from snippets_mlir.analysis.graph.products import why_not_together
from snippets_mlir.analysis.kernels.row_blocks import LEAST, assumed_columns
from snippets_mlir.dialects.builtin.shaped import element_bytes, shape_of
from snippets_mlir.dialects.builtin.size_estimates import assumed
from snippets_mlir.dialects.onnx.ops import NodeOp
from snippets_mlir.dialects.snippets.normalization import SoftmaxOp
from snippets_mlir.dialects.snippets.product import MatMulOp
from snippets_mlir.passes.building.graph import op_text
from snippets_mlir.passes.graph.graph_passes import GraphPlanPass
from snippets_mlir.passes.graph.paths import readers, sources
from snippets_mlir.passes.graph.tokenize.attention_surroundings import (
    masks_of,
    operand_views,
    ops_after,
    result_view,
)
from snippets_mlir.passes.graph.tokenize.subgraphs import make_subgraph
from snippets_mlir.support.walking import module_of, ops_of
from snippets_mlir.targets.attributes import machine_of

ENOUGH = 4
"""Matrices that threads share well, even if there are more threads: one row is bound by memory."""

NONE_FOUND = "no softmax stands between a product and the left operand of another"


@dataclass(frozen=True)
class Attention:
    """Two products and the ops between them.

    Attributes:
        ops: in order: views of operands, computing ops, a view of the result.
        reason: why they get no subgraph; None if they do.
    """

    ops: tuple[Operation, ...]
    reason: str | None

    def __str__(self) -> str:
        text = ", ".join(map(op_text, self.ops))
        return f"attention of {text}" if self.reason is None else f"no attention: {self.reason}"


@dataclass(frozen=True)
class Attentions:
    """The attentions of a block."""

    found: tuple[Attention, ...]

    def __str__(self) -> str:
        return "\n".join(map(str, self.found)) or NONE_FOUND


def attentions_before(second: MatMulOp, order: dict[Operation, int]) -> Iterator[list[Operation]]:
    """The ops from a product to the left operand of `second` by a softmax, the last product first.

    Results of nodes that no kernel holds come from outside, and so do results of other products: a
    mask may depend on the shape of an earlier result, and scores may be sums of products. They are
    computed before the attention, so none of them may need its product.

    Args:
        second: the second product of the attention.
        order: the place of each op in the block.
    """
    block = second.parent
    assert block is not None
    before = sources(second.lhs, block, MatMulOp)
    if not any(isinstance(op, SoftmaxOp) for op in before):
        return
    near = sources(second.lhs, block, MatMulOp, NodeOp)
    products = sorted((op for op in before if isinstance(op, MatMulOp)), key=order.__getitem__)
    needed: set[Operation] = set()
    while products:
        first = products.pop()
        between = readers(first.result, before)
        softmax = any(isinstance(op, SoftmaxOp) for op in between)
        if softmax and first in near and first not in needed:
            yield sorted({first, second, *between}, key=order.__getitem__)
        if products:
            needed |= sources(first.result, block)


def plan_attention(ops: Sequence[Operation], cache: int) -> Attention:
    """The plan for the ops of an attention, for a target with `cache` bytes a core.

    It takes as many of the ops around them as go together.
    """
    end = ops_after(ops)
    masks = masks_of([*ops, *end])
    ways = dict.fromkeys([(*masks, *ops, *end), (*ops, *end), tuple(ops)])
    planned = [_planned(ops, way, cache) for way in ways]
    return next((it for it in planned if it.reason is None), planned[-1])


def _planned(ops: Sequence[Operation], way: Sequence[Operation], cache: int) -> Attention:
    """The plan for some ops around `ops`, which go from the first product to the second one."""
    together = tuple(dict.fromkeys([*operand_views(ops), *way, *result_view(way[-1])]))
    for op in together:
        if (reason := why_not(op)) is not None:
            return Attention(together, f"M1: {op_text(op)}: {reason}")
    if (reason := why_not_together(together)) is not None:
        return Attention(together, f"M2: {reason}")
    scores = ops[0].results[0]
    *matrices, height, columns = shape_of(scores)
    rows = 1 if height == 1 else LEAST
    block = rows * assumed_columns(columns) * element_bytes(scores)
    if block > cache:
        return Attention(
            together,
            f"M3: {block} bytes of scores for {rows} rows, the second-level cache has {cache}",
        )
    number = prod(map(assumed, matrices))
    if rows == 1 and number < ENOUGH:
        return Attention(together, f"M4: one row of {number} matrices, fewer than {ENOUGH}")
    return Attention(together, None)


def plan_attentions(block: Block, cache: int) -> Attentions:
    """The attentions of a block, in order, for a target with `cache` bytes a core.

    No two share an op.
    """
    ops_here = ops_of(block)
    seconds = [op for op in ops_here if isinstance(op, MatMulOp)]
    if len(seconds) < 2 or not any(isinstance(op, SoftmaxOp) for op in ops_here):
        return Attentions(())
    order = {op: place for place, op in enumerate(ops_here)}
    found: list[Attention] = []
    taken: set[Operation] = set()
    for second in seconds:
        ways = [ops for ops in attentions_before(second, order) if taken.isdisjoint(ops)]
        planned = [plan_attention(ops, cache) for ops in ways]
        if not planned:
            continue
        attention = next((one for one in planned if one.reason is None), planned[0])
        found.append(attention)
        if attention.reason is None:
            taken.update(attention.ops)
    return Attentions(tuple(found))


@dataclass(frozen=True)
class SnippetsTokenizeMhaPass(GraphPlanPass[Attentions]):
    """Gather each attention into a subgraph."""

    name = "snippets-tokenize-mha"

    @override
    def plan(self, unit: Block) -> Attentions:
        function = unit.parent_op()
        assert function is not None
        return plan_attentions(unit, machine_of(module_of(function)).second_cache)

    def carry_out(self, unit: Block, plan: Attentions) -> None:
        """Put a subgraph at the place of the last op of each attention."""
        for attention in plan.found:
            if attention.reason is None:
                after = attention.ops[-1].next_op
                assert after is not None
                unit.insert_op_before(make_subgraph(attention.ops), after)
