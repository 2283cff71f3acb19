"""A kernel with markers as a tree of loops, and the parallel domain that it makes.

Written here on its own, not shared with the lowering: the two have to agree, which tests notice.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import lcm, prod

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
    """The loops that share the domain, outermost first: `loop` and each only child, if parallel.

    A main part and its tail are one child; the nest ends with the main part.
    """
    nest: list[Loop] = []
    item: Loop | Operation = loop
    while isinstance(item, Loop) and item.info.parallel:
        nest.append(item)
        if len(item.items) != 1 and tail_in(item) is None:
            break
        item = item.items[0]
    return nest


def tail_in(loop: Loop) -> Loop | None:
    """The tail of the loop that is all of `loop`, when that loop stands in two parts."""
    match loop.items:
        case [Loop(info=main), Loop(info=last) as tail]:
            is_tail = (main.iteration, last.iteration) == ("main", "last")
            return tail if is_tail and main.origin == last.origin else None
        case _:
            return None


def shares_of(kernel: KernelOp) -> dict[int, tuple[int, Domain]]:
    """Where each outermost parallel nest begins in the domain, and its own domain.

    By the id of the outermost loop before it was split.
    """
    table = kernel.loop_table
    nests: dict[int, Domain] = {}
    dynamic: set[int] = set()
    for item in tree_of(kernel):
        if isinstance(item, Loop) and (nest := parallel_nest(item)):
            whole = [table[loop.info.unified_id] for loop in nest]
            if whole[0].id in nests:
                continue
            steps = nest[0].info if nest[0].info.iteration == "unrolled" else whole[0]
            counts = [-(-static_size(loop.work_amount) // loop.increment) for loop in whole]
            lone = Domain(static_size(whole[0].work_amount), steps.increment)
            nests[whole[0].id] = lone if len(nest) == 1 else Domain(prod(counts), 1)
            if any(loop.dynamic for loop in whole):
                dynamic.add(whole[0].id)
    grain = lcm(*(domain.grain for domain in nests.values()))
    shares: dict[int, tuple[int, Domain]] = {}
    start = 0
    for loop, domain in nests.items():
        shares[loop] = start, domain
        start += domain.size * grain if loop in dynamic else -(-domain.size // grain) * grain
    return shares


def domain_of(kernel: KernelOp) -> Domain:
    """The parallel domain: all outermost parallel nests, one unit when there is none."""
    shares = shares_of(kernel)
    if not shares:
        return Domain(1, 1)
    start, last = [*shares.values()][-1]
    return Domain(start + last.size, lcm(*(domain.grain for _, domain in shares.values())))
