"""Put the two matrix products of an MLP into one `snippets.subgraph` if one kernel is faster.

    %0 = snippets.matmul %x, %w           %y = snippets.subgraph (%a = %x, ...) {
    %1 = snippets.add %0, %b                %0 = snippets.matmul %a, %p
    %2 = snippets.gelu %1                   %1 = snippets.add %0, %q
    %3 = snippets.matmul %2, %v   becomes   %2 = snippets.gelu %1
    %y = snippets.add %3, %x                %3 = snippets.matmul %2, %s
                                            %y = snippets.add %3, %a
                                            snippets.yield %y
                                          }

The kernel works on blocks of rows (`lir-brgemm-row-blocks`): the hidden values of a block stay in
the second-level cache, and two kernels would write them to memory and read them again. An MLP is
two products with elementwise ops between them: a bias, an activation. A gated one has two products
of one input instead of the first, `down(swish(x @ gate) * (x @ up))`. Elementwise ops after the
last product that read only its result and inputs go inside, too: a bias, a residual. Otherwise
`snippets-tokenize` makes two kernels, each with the ops after its products (T8: gate and up are in
one if their weights are constants). A `layer_norm` or `rms_norm` of the rows of the result is in
the kernel of the second product if blocks hold whole rows, even if the first product is not.

Refuses, and prints why:

* W1: an op has no kernel (E1 to E9 of `analysis/graph/eligibility.py`);
* W2: the linear IR does not hold the ops together (P1 to P4 of `analysis/graph/products.py`);
* W3: the number of hidden values depends on sizes that only the call knows;
* W4: all hidden values fit the second-level cache, so two kernels find them there, too;
* W5: a block of hidden values in half of that cache has fewer than `ROWS` rows: both weights are
  read again for each block, and remainder rows are a larger part of its tiles;
* W6: there are too few blocks for the threads;
* W7: half of that cache does not hold `LEAST` rows of the normalized value, or a block of rows of
  the left operand of its product, if that is in memory: each panel of columns reads the block.

Source: the guide's TokenizeMLPSeqSnippets and TokenizeGatedMLPSnippets, which ask for constant
weights and registers alone. The numbers are measured: docs/kernel-measurements.md.
"""

from dataclasses import dataclass
from math import prod

from typing_extensions import override
from xdsl.ir import Block, Operation

from snippets_mlir.analysis.graph.eligibility import why_not
from snippets_mlir.analysis.graph.products import why_not_together
from snippets_mlir.analysis.kernels.row_blocks import LEAST, block_height, must_share
from snippets_mlir.dialects.builtin.dims import static_shape
from snippets_mlir.dialects.builtin.shaped import element_bytes, shape_of
from snippets_mlir.dialects.builtin.size_facts import has_symbols
from snippets_mlir.dialects.snippets.product import MatMulOp
from snippets_mlir.dialects.snippets.shapes import is_static
from snippets_mlir.passes.building.graph import op_text
from snippets_mlir.passes.graph.graph_passes import GraphPlanPass
from snippets_mlir.passes.graph.tokenize.machine_facts import Machine, machine_facts
from snippets_mlir.passes.graph.tokenize.mlp_chains import after, mlp_before, norm_after
from snippets_mlir.passes.graph.tokenize.product_rows import ROWS, SHARES, left_row_bytes
from snippets_mlir.passes.graph.tokenize.subgraphs import make_subgraph
from snippets_mlir.support.walking import module_of


@dataclass(frozen=True)
class Mlp:
    """Two or three products, and the ops between and after them.

    Attributes:
        ops: in order, without a norm.
        norm: the norm of the result's rows and the ops after it, if there is one.
        reason: why `ops` get no subgraph; None if they do.
        norm_reason: why the norm is a separate kernel; None if it is in the last product's.
    """

    ops: tuple[Operation, ...]
    norm: tuple[Operation, ...]
    reason: str | None
    norm_reason: str | None

    @property
    def together(self) -> tuple[Operation, ...]:
        """The ops of one subgraph; none if `snippets-tokenize` decides about all."""
        norm = self.norm if self.norm_reason is None else ()
        if self.reason is None:
            return (*self.ops, *norm)
        products = [place for place, op in enumerate(self.ops) if isinstance(op, MatMulOp)]
        return (*self.ops[products[-1] :], *norm) if norm else ()

    def __str__(self) -> str:
        text = ", ".join(map(op_text, self.together))
        if self.reason is None:
            found = f"one kernel for {text}"
        else:
            found = f"kernels apart: {self.reason}" + (f"\none kernel for {text}" if text else "")
        if self.norm_reason is None:
            return found
        return f"{found}\n{op_text(self.norm[0])} apart: {self.norm_reason}"


@dataclass(frozen=True)
class Mlps:
    """The MLPs of a block."""

    found: tuple[Mlp, ...]

    def __str__(self) -> str:
        return "\n".join(map(str, self.found)) or "no elementwise ops lead from product to product"


def plan_mlp(ops: list[Operation], norm: list[Operation], machine: Machine) -> Mlp:
    """The plan for the ops of an MLP, and for a norm after it."""
    products = [op for op in ops if isinstance(op, MatMulOp)]
    last = ops[ops.index(products[-1]) :]
    reason = _why_not_held(ops) or _why_not_faster(products[0], machine)
    together = [*(ops if reason is None else last), *norm]
    apart = None
    if norm:
        left = 0 if reason is None else left_row_bytes(products[-1])
        apart = _why_not_held(together) or _why_no_norm(products[-1], left, machine)
    return Mlp(tuple(ops), tuple(norm), reason, apart)


def _why_not_held(ops: list[Operation]) -> str | None:
    """W1 and W2."""
    for op in ops:
        if (reason := why_not(op)) is not None:
            return f"W1: {op_text(op)}: {reason}"
    reason = why_not_together(ops)
    return None if reason is None else f"W2: {reason}"


def _rows_of(product: MatMulOp) -> tuple[int, int, int] | None:
    """Matrices, rows of each, and bytes of a result row; None if only the call knows."""
    shape = shape_of(product.result)
    if not is_static(shape) or has_symbols(shape):
        return None
    *batch, rows, columns = static_shape(shape)
    return prod(batch), rows, columns * element_bytes(product.result)


def _why_too_few(matrices: int, rows: int, height: int, threads: int) -> str | None:
    """W6."""
    blocks = matrices * -(-rows // height)
    if blocks >= SHARES * threads:
        return None
    return f"W6: {blocks} blocks of {height} rows for {threads} threads"


def _why_not_faster(first: MatMulOp, machine: Machine) -> str | None:
    """W3 to W6."""
    if (found := _rows_of(first)) is None:
        return "W3: the call decides how many hidden values there are"
    matrices, rows, row = found
    size, cache = matrices * rows * row, machine.cache
    if size <= cache:
        return f"W4: {size} bytes of hidden values, the second-level cache has {cache}"
    shared = must_share(matrices, machine.threads)
    height = block_height(rows, row, cache, shared=shared)
    if height < ROWS:
        return f"W5: blocks have {height} rows of {row} bytes, fewer than {ROWS}"
    return _why_too_few(matrices, rows, height, machine.threads)


def _why_no_norm(last: MatMulOp, left: int, machine: Machine) -> str | None:
    """W3, W6 and W7 for a norm of the rows of a product.

    `left`: bytes of a row of its left operand if that is in memory.
    """
    if (found := _rows_of(last)) is None:
        return "W3: the call decides how many rows there are"
    matrices, rows, row = found
    if LEAST * row > machine.cache // 2:
        return f"W7: {LEAST} rows of {row} bytes, half of the second-level cache has fewer"
    shared = must_share(matrices, machine.threads)
    height = block_height(rows, row, machine.cache, shared=shared)
    if (reason := _why_too_few(matrices, rows, height, machine.threads)) is not None:
        return reason
    if height * left > machine.cache // 2:
        return f"W7: blocks of {height} rows read {height * left} bytes of the left operand"
    return None


def plan_mlps(block: Block, machine: Machine) -> Mlps:
    """The MLPs of a block, in order; no two share an op."""
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
        inside = set(ops)
        ops += after(last, inside)
        mlp = plan_mlp(ops, norm_after(ops[-1], inside), machine)
        found.append(mlp)
        taken.update(mlp.together)
    return Mlps(tuple(found))


@dataclass(frozen=True)
class SnippetsTokenizeMlpPass(GraphPlanPass[Mlps]):
    """Gather each MLP into a subgraph, or write why it is several kernels."""

    name = "snippets-tokenize-mlp"

    @override
    def plan(self, unit: Block) -> Mlps:
        function = unit.parent_op()
        assert function is not None
        return plan_mlps(unit, machine_facts(module_of(function)))

    def carry_out(self, unit: Block, plan: Mlps) -> None:
        """Put a subgraph at the place of the last op of each MLP."""
        for mlp in plan.found:
            if ops := mlp.together:
                following = ops[-1].next_op
                assert following is not None
                unit.insert_op_before(make_subgraph(ops), following)
