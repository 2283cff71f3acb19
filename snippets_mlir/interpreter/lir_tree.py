"""A kernel with markers as a tree of loops, and its parallel domain.

This code is separate from the lowering: the two have to agree, and tests check this.
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
    """A loop with its loops and ops, in order of execution."""

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

    The parts of a loop are one child; the nest ends with the first of them.
    """
    nest: list[Loop] = []
    item: Loop | Operation = loop
    while isinstance(item, Loop) and item.info.parallel:
        nest.append(item)
        if len(item.items) != 1 and not parts_in(item):
            break
        item = item.items[0]
    return nest


def parts_in(loop: Loop) -> list[Loop]:
    """The parts of one loop if `loop` contains nothing else; for dynamic work, main part and
    tail.
    """
    parts = [item for item in loop.items if isinstance(item, Loop)]
    origins = {part.info.origin for part in parts}
    if len(parts) < max(2, len(loop.items)) or len(origins) > 1:
        return []
    kinds = [part.info.iteration for part in parts]
    if "unified" in kinds or (parts[0].info.dynamic and kinds != ["main", "last"]):
        return []
    return parts


def steps_of(kernel: KernelOp, nest: list[Loop]) -> list[int]:
    """The elements of each loop of a nest in one unit: one iteration, of an unrolled part if it is
    one.
    """
    table = kernel.loop_table
    infos = [loop.info for loop in nest]
    return [
        info.increment if info.iteration == "unrolled" else table[info.unified_id].increment
        for info in infos
    ]


def shares_of(kernel: KernelOp) -> dict[int, tuple[int, Domain]]:
    """The beginning of each outermost parallel nest in the domain, and its own domain, by the id of
    the outermost loop before it was split.
    """
    table = kernel.loop_table
    nests: dict[int, Domain] = {}
    dynamic: set[int] = set()
    for item in tree_of(kernel):
        if isinstance(item, Loop) and (nest := parallel_nest(item)):
            whole = [table[loop.info.unified_id] for loop in nest]
            if whole[0].id in nests:
                continue
            works = [static_size(loop.work_amount) for loop in whole]
            steps = steps_of(kernel, nest)
            counts = [-(-work // step) for work, step in zip(works, steps, strict=True)]
            lone = Domain(works[0], steps[0])
            nests[whole[0].id] = lone if len(nest) == 1 else Domain(prod(counts), 1)
            if any(loop.dynamic for loop in whole):
                dynamic.add(whole[0].id)
    grain = _grain_of(kernel, nests)
    shares: dict[int, tuple[int, Domain]] = {}
    begins: dict[object, int] = {}
    start = 0
    for loop, domain in nests.items():
        if (own := begins.setdefault(_units_of(table[loop], domain), start)) == start:
            start += domain.size * grain if loop in dynamic else -(-domain.size // grain) * grain
        shares[loop] = own, domain
    return shares


def _units_of(loop: LoopInfo, domain: Domain) -> object:
    """What nests over the same units, each for other calls, have in common."""
    return loop.id if loop.calls is None else (loop.calls.size, loop.calls.bound, domain.size)


def _grain_of(kernel: KernelOp, nests: dict[int, Domain]) -> int:
    """The grain of the whole domain: the least one of nests over the same units."""
    grains: dict[object, int] = {}
    for loop, domain in nests.items():
        units = _units_of(kernel.loop_table[loop], domain)
        grains[units] = min(grains.get(units, domain.grain), domain.grain)
    return lcm(*grains.values())


def domain_of(kernel: KernelOp) -> Domain:
    """The parallel domain: all outermost parallel nests, one unit when there is none."""
    shares = shares_of(kernel)
    if not shares:
        return Domain(1, 1)
    start, last = [*shares.values()][-1]
    return Domain(
        start + last.size, _grain_of(kernel, {it: own for it, (_, own) in shares.items()})
    )
