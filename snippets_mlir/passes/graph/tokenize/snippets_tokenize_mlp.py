"""Put the two matrix products of an MLP into one `snippets.subgraph` where one kernel is faster.

    %0 = snippets.matmul %x, %w           %y = snippets.subgraph (%a = %x, ...) {
    %1 = snippets.add %0, %b                %0 = snippets.matmul %a, %p
    %2 = snippets.gelu %1                   %1 = snippets.add %0, %q
    %3 = snippets.matmul %2, %v   becomes   %2 = snippets.gelu %1
    %y = snippets.add %3, %x                %3 = snippets.matmul %2, %s
                                            %y = snippets.add %3, %a
                                            snippets.yield %y
                                          }

The kernel goes by blocks of rows (`lir-brgemm-row-blocks`): the hidden values of a block stay in
the second-level cache, where those of two kernels are written to memory and read again. An MLP is
two products with elementwise ops between them: a bias, an activation. What is elementwise after the
second one and reads nothing but it and inputs goes inside, too: a bias, a residual. Otherwise
`snippets-tokenize` makes two kernels, each with the ops after its product.

Refuses, and prints why:

* W1: an op has no kernel (E1 to E9 of `analysis/eligibility.py`);
* W2: ops that the linear IR does not hold together (P1 to P4 of `analysis/products.py`): a gated
  MLP has a third product, which reads the same input;
* W3: sizes of the call decide how many hidden values there are;
* W4: all hidden values together fit the second-level cache: two kernels find them there, too;
* W5: a block of rows of hidden values that fits half of that cache has fewer than `ROWS` rows: both
  weights are read again for each block, and its tiles have a larger part of rows that are left;
* W6: there are too few blocks for the threads.

Source: the guide's TokenizeMLPSeqSnippets and TokenizeGatedMLPSnippets, which ask for constant
weights and registers alone. The numbers are measured: docs/kernel-measurements.md.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

from xdsl.dialects.builtin import FixedBitwidthType
from xdsl.ir import Block, Operation, OpResult

from snippets_mlir.analysis.eligibility import why_not
from snippets_mlir.analysis.products import why_not_together
from snippets_mlir.analysis.row_blocks import block_height
from snippets_mlir.dialects.builtin.dims import has_symbols, static_shape
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.product import MatMulOp
from snippets_mlir.dialects.snippets.shapes import is_static
from snippets_mlir.dialects.snippets.whole_tensor import WholeTensorOp
from snippets_mlir.passes.building.graph import op_text
from snippets_mlir.passes.graph.graph_passes import GraphPlanPass
from snippets_mlir.passes.graph.tokenize.snippets_tokenize_mha import readers, sources
from snippets_mlir.passes.graph.tokenize.subgraphs import make_subgraph
from snippets_mlir.support.walking import module_of
from snippets_mlir.targets.attributes import machine_of, threads_of

ROWS = 64
"""Rows of a block, at least."""


SHARES = 4
"""Blocks for a thread, at least: an unequal share costs more than one kernel saves."""


@dataclass(frozen=True)
class Mlp:
    """Two products, or three, and what is between and after them.

    Attributes:
        ops: in their order.
        reason: why they get no subgraph; None when they do.
    """

    ops: tuple[Operation, ...]
    reason: str | None

    def __str__(self) -> str:
        text = ", ".join(map(op_text, self.ops))
        return f"one kernel for {text}" if self.reason is None else f"kernels apart: {self.reason}"


@dataclass(frozen=True)
class Mlps:
    """The MLPs of a block."""

    found: tuple[Mlp, ...]

    def __str__(self) -> str:
        return "\n".join(map(str, self.found)) or "no elementwise ops lead from product to product"


def _is_elementwise(op: Operation) -> bool:
    return isinstance(op, ComputeOp) and not isinstance(op, WholeTensorOp)


def mlp_before(last: MatMulOp, order: dict[Operation, int]) -> list[Operation] | None:
    """The ops from one product, or two of one operand, to the left operand of `last`."""
    block = last.parent
    assert block is not None
    if last.transpose_a is not None:
        return None
    before = sources(last.lhs, block)
    products = [op for op in before if isinstance(op, MatMulOp)]
    if not 1 <= len(products) <= 2 or len({op.lhs for op in products}) != 1:
        return None
    between = {op for first in products for op in readers(first.result, before)}
    if not between or not all(map(_is_elementwise, between - {*products})):
        return None
    return sorted({*products, *between, last}, key=order.__getitem__)


def after(last: Operation, inside: set[Operation]) -> Iterator[Operation]:
    """The elementwise ops that follow the last product, one after the other."""
    shape = shape_of(last.results[0])
    while isinstance(op := last.results[0].get_user_of_unique_use(), ComputeOp):
        others = [v for v in op.operands if v.owner is not last]
        if not _is_elementwise(op) or shape_of(op.results[0]) != shape or why_not(op) is not None:
            return
        if any(isinstance(v, OpResult) and v.op in inside for v in others):
            return
        yield op
        inside.add(op)
        last = op


def plan_mlp(ops: list[Operation], cache: int, threads: int) -> Mlp:
    """What becomes of the ops of an MLP, for a target with `cache` bytes a core."""
    reason = _why_not_held(ops) or _why_not_faster(ops, cache, threads)
    return Mlp(tuple(ops), reason)


def _why_not_held(ops: list[Operation]) -> str | None:
    """W1 and W2."""
    for op in ops:
        if (reason := why_not(op)) is not None:
            return f"W1: {op_text(op)}: {reason}"
    if sum(isinstance(op, MatMulOp) for op in ops) > 2:
        return "W2: a gated MLP has three products, a kernel holds two"
    reason = why_not_together(ops)
    return None if reason is None else f"W2: {reason}"


def _why_not_faster(ops: list[Operation], cache: int, threads: int) -> str | None:
    """W3 to W6."""
    first = next(op for op in ops if isinstance(op, MatMulOp))
    shape, type_ = shape_of(first.result), tensor_of(first.result).element_type
    if not is_static(shape) or has_symbols(shape):
        return "W3: the call decides how many hidden values there are"
    assert isinstance(type_, FixedBitwidthType)
    *batch, rows, columns = static_shape(shape)
    count = prod((*batch, rows))
    row = columns * type_.size
    if count * row <= cache:
        return f"W4: {count * row} bytes of hidden values, the second-level cache has {cache}"
    height = block_height(rows, row, cache, shared=False)
    if height < ROWS:
        return f"W5: blocks have {height} rows of {row} bytes, fewer than {ROWS}"
    blocks = count // rows * -(-rows // height)
    if blocks < SHARES * threads:
        return f"W6: {blocks} blocks of {height} rows for {threads} threads"
    return None


def plan_mlps(block: Block, cache: int, threads: int) -> Mlps:
    """The MLPs of a block, in their order; none shares an op with another one."""
    lasts = [op for op in block.ops if isinstance(op, MatMulOp)]
    if len(lasts) < 2:
        return Mlps(())
    order = {op: place for place, op in enumerate(block.ops)}
    found: list[Mlp] = []
    taken: set[Operation] = set()
    for last in lasts:
        ops = mlp_before(last, order)
        if ops is None or not taken.isdisjoint(ops):
            continue
        ops += after(last, set(ops))
        mlp = plan_mlp(ops, cache, threads)
        found.append(mlp)
        if mlp.reason is None:
            taken.update(mlp.ops)
    return Mlps(tuple(found))


@dataclass(frozen=True)
class SnippetsTokenizeMlpPass(GraphPlanPass[Mlps]):
    """Gather each MLP into a subgraph, or say why it is several kernels."""

    name = "snippets-tokenize-mlp"

    def plan(self, unit: Block) -> Mlps:
        """The MLPs, in their order."""
        function = unit.parent_op()
        assert function is not None
        module = module_of(function)
        return plan_mlps(unit, machine_of(module).second_cache, threads_of(module))

    def carry_out(self, unit: Block, plan: Mlps) -> None:
        """Put a subgraph in the place of the last op of each."""
        for mlp in plan.found:
            if mlp.reason is None:
                after_last = mlp.ops[-1].next_op
                assert after_last is not None
                unit.insert_op_before(make_subgraph(mlp.ops), after_last)
