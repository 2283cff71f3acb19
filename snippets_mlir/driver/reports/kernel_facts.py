"""Facts for reports about the kernels of a program: ops, loops, buffers, scratchpad.

The numbers come from the linear IR after its loops and memory are final, but before the first and
last iterations of loops get copies of their own:

    kernel subgraph_0: snippets.reduce_max, snippets.subtract
      3 loops 8(64, 64), 0 buffers, 0 bytes of scratchpad a thread, domain 8

The nest `8(64, 64)` is a loop over 8 rows that contains two consecutive loops over 64 elements.
`5000 by 4096` is a loop over 5000 elements in blocks of at most 4096; blocks may be split again, as
in `?1 by 2^28 by 2^20 by 4096`. Dynamic dimensions are `?0`, `?1` and so on, and `?` for scratchpad
that depends on them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation

from snippets_mlir.dialects.builtin.dims import format_size
from snippets_mlir.dialects.builtin.size_text import size_data
from snippets_mlir.dialects.lir.buffer import BufferOp
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.dialects.lir.markers import LoopBeginOp, LoopEndOp
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.layout import is_view
from snippets_mlir.dialects.snippets.subgraph import SubgraphOp
from snippets_mlir.driver.reports.kernel_entry import KernelEntry, KernelFacts
from snippets_mlir.support.attribute_names import REASON

TAKES_APART = "snippets-decompose-softmax"
"""The first pass that decomposes ops of subgraphs, in the default pipelines."""

LOOPS_ARE_FINAL = frozenset({"lir-jam-loops", "lir-unroll", "lir-insert-specific-iterations"})
"""Before the first of these passes loops, buffers and scratchpad are counted: not yet in parts."""


def held_ops(subgraph: SubgraphOp) -> tuple[str, ...]:
    """The names of the computing ops of a subgraph: no constants, no views, no structure."""
    return tuple(op.name for op in subgraph.block.ops if is_computing(op))


def held_names(subgraph: SubgraphOp) -> tuple[str, ...]:
    """The names of a subgraph's computing ops: the names of their values, else their op names."""
    ops = (op for op in subgraph.block.ops if is_computing(op))
    return tuple(op.results[0].name_hint or op.name for op in ops)


def is_computing(op: Operation) -> bool:
    """Whether an op of a subgraph computes: no constant, no view, no structure."""
    return isinstance(op, ComputeOp) and not is_view(op)


def reason_of(op: Operation) -> str:
    """The text of `snippets.reason`, or nothing."""
    reason = op.attributes.get(REASON)
    return reason.data if isinstance(reason, StringAttr) else ""


def names_by_subgraph(module: ModuleOp) -> dict[Operation, tuple[str, ...]]:
    """The names of the ops of each subgraph, before passes decompose them."""
    return {op: held_names(op) for op in module.walk() if isinstance(op, SubgraphOp)}


def entries_of(
    module: ModuleOp, names: Mapping[Operation, tuple[str, ...]] | None = None
) -> list[KernelEntry]:
    """The facts about kernels that are still subgraphs, so their symbols are empty.

    `names` are the names of the ops before their decomposition; ops of other subgraphs have none.
    """
    subgraphs = [op for op in module.walk() if isinstance(op, SubgraphOp)]
    known = names or {}
    return [KernelEntry("", held_ops(s), known.get(s, ()), reason_of(s)) for s in subgraphs]


@dataclass
class _Loop:
    """A loop of a nest.

    Attributes:
        work: its work amount as text.
        block: whether it runs a block of the loop around it.
        inside: the loops in it, in order.
    """

    work: str
    block: bool
    inside: list[_Loop] = field(default_factory=list["_Loop"])

    def __str__(self) -> str:
        if len(self.inside) == 1 and self.inside[0].block:
            return f"{self.work} by {self.inside[0]}"
        return f"{self.work}({_listed(self.inside)})" if self.inside else self.work


def _listed(loops: Sequence[_Loop]) -> str:
    return ", ".join(map(str, loops))


def _loop(info: LoopInfo) -> _Loop:
    """A loop without its contents; for blocks, large powers of two are written as powers."""
    work, block = info.work_amount, info.inner_of is not None
    if block and isinstance(work, int) and work >= 1 << 16 and not work & (work - 1):
        return _Loop(f"2^{work.bit_length() - 1}", block)
    return _Loop(format_size(work), block)


def _nest(kernel: KernelOp) -> str:
    """The work amounts of the loops, in their nesting."""
    table = kernel.loop_table
    path: list[list[_Loop]] = [[]]
    for op in kernel.block.ops:
        if isinstance(op, LoopBeginOp):
            loop = _loop(table[op.id])
            path[-1].append(loop)
            path.append(loop.inside)
        elif isinstance(op, LoopEndOp):
            path.pop()
    return _listed(path[0])


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
                size_data(kernel.scratch),
            )
    return found
