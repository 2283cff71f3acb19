"""A kernel with markers as a tree of loops, and the parallel domain that it makes.

Written here on its own, not shared with the lowering: the two have to agree, which tests notice.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod

from xdsl.ir import Operation

from snippets_mlir.dialects.builtin.dims import static_size
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.dialects.lir.markers import LoopBeginOp, LoopEndOp
from snippets_mlir.interpreter.domain import Domain


@dataclass(eq=False)
class Loop:
    """A loop with what is in it, in order of execution."""

    info: LoopInfo
    begin: LoopBeginOp
    end: LoopEndOp
    items: list[Loop | Operation] = field(default_factory=list["Loop | Operation"])


def tree_of(kernel: KernelOp) -> list[Loop | Operation]:
    """The ops of a kernel whose markers the verifier has paired."""
    ends = {op.id: op for op in kernel.block.ops if isinstance(op, LoopEndOp)}
    levels: list[list[Loop | Operation]] = [[]]
    for op in kernel.block.ops:
        if isinstance(op, LoopBeginOp):
            loop = Loop(kernel.loop_table[op.id], op, ends[op.id])
            levels[-1].append(loop)
            levels.append(loop.items)
        elif isinstance(op, LoopEndOp):
            levels.pop()
        else:
            levels[-1].append(op)
    return levels[0]


def parallel_nest(loop: Loop) -> list[Loop]:
    """The loops that share the domain, outermost first: `loop` and each only child, if parallel."""
    nest: list[Loop] = []
    item: Loop | Operation = loop
    while isinstance(item, Loop) and item.info.parallel:
        nest.append(item)
        if len(item.items) != 1:
            break
        item = item.items[0]
    return nest


def domain_of(kernel: KernelOp) -> Domain:
    """The parallel domain: of the first parallel loop, one unit when there is none."""
    table = kernel.loop_table
    for item in tree_of(kernel):
        if isinstance(item, Loop) and (nest := parallel_nest(item)):
            whole = [table[loop.info.unified_id] for loop in nest]
            steps = nest[0].info if nest[0].info.iteration == "unrolled" else whole[0]
            if len(nest) == 1:
                return Domain(static_size(whole[0].work_amount), steps.increment)
            counts = (-(-static_size(loop.work_amount) // loop.increment) for loop in whole)
            return Domain(prod(counts), 1)
    return Domain(1, 1)
