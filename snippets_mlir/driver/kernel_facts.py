"""What reports say about the kernels of a program: ops, loops, buffers, scratchpad.

The numbers are read from the linear IR when its loops and memory are final, before the first and
last iterations of loops get copies of their own:

    kernel subgraph_0: snippets.reduce_max, snippets.subtract
      3 loops 8(64, 64), 0 buffers, 0 bytes of scratchpad a thread, domain 8

The nest `8(64, 64)` is a loop over 8 rows that holds two loops over 64 elements, one after the
other. Sizes that a call brings are `?0`, `?1` and so on, and `?` for scratchpad that depends on
them.
"""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation
from xdsl.traits import ConstantLike

from snippets_mlir.dialects.lir.buffer import BufferOp
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.markers import LoopBeginOp, LoopEndOp
from snippets_mlir.dialects.sizes import format_size
from snippets_mlir.dialects.snippets.layout import is_view
from snippets_mlir.dialects.snippets.subgraph import SubgraphOp, YieldOp
from snippets_mlir.driver.kernel_entry import KernelEntry, KernelFacts

REASON = "snippets.reason"

LOOPS_ARE_FINAL = frozenset({"lir-jam-loops", "lir-unroll", "lir-insert-specific-iterations"})
"""Before the first of these passes loops, buffers and scratchpad are counted: not yet in parts."""


def held_ops(subgraph: SubgraphOp) -> tuple[str, ...]:
    """The names of the computing ops of a subgraph: no constants, no views, no structure."""
    return tuple(
        op.name
        for op in subgraph.block.ops
        if op.name.startswith("snippets.")
        and not op.has_trait(ConstantLike)
        and not is_view(op)
        and not isinstance(op, YieldOp)
    )


def reason_of(op: Operation) -> str:
    """The text of `snippets.reason`, or nothing."""
    reason = op.attributes.get(REASON)
    return reason.data if isinstance(reason, StringAttr) else ""


def entries_of(module: ModuleOp) -> list[KernelEntry]:
    """What is known of the kernels while they are subgraphs; their names are still empty."""
    subgraphs = [op for op in module.walk() if isinstance(op, SubgraphOp)]
    return [KernelEntry("", held_ops(s), reason_of(s)) for s in subgraphs]


def _nest(kernel: KernelOp) -> str:
    """The work amounts of the loops, in their nesting."""
    table, text = kernel.loop_table, ""
    for op in kernel.block.ops:
        if isinstance(op, LoopBeginOp):
            separator = ", " if text and text[-1] != "(" else ""
            text += f"{separator}{format_size(table[op.id].work_amount)}("
        elif isinstance(op, LoopEndOp):
            text = text[:-1] if text[-1] == "(" else f"{text})"
    return text


def facts_of(module: ModuleOp) -> dict[str, KernelFacts]:
    """The facts of each kernel by its symbol; loops and memory are final."""
    found: dict[str, KernelFacts] = {}
    for kernel in module.ops:
        if isinstance(kernel, KernelOp):
            ops = list(kernel.block.ops)
            found[kernel.sym_name.data] = KernelFacts(
                sum(isinstance(op, LoopBeginOp) for op in ops),
                _nest(kernel),
                sum(isinstance(op, BufferOp) for op in ops),
                kernel.scratch,
            )
    return found
