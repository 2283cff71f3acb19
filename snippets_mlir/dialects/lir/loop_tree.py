"""The loops of a kernel as a tree, and the parallel domain that its parallel loops make."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import lcm

from xdsl.ir import Operation

from snippets_mlir.dialects.builtin.dims import Dim, Size, product
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.dialects.lir.markers import MARKERS, LoopBeginOp, LoopEndOp
from snippets_mlir.dialects.lir.memory import MemoryAccessOp
from snippets_mlir.support.walking import ops_of

SHARED_ROWS = 32
"""The units of a loop whose step the call chooses that a thread takes together, at least."""


@dataclass(eq=False)
class Loop:
    """A loop of the kernel with its contents."""

    info: LoopInfo
    begin: LoopBeginOp
    end: LoopEndOp | None = None
    items: list[Loop | Operation] = field(default_factory=list["Loop | Operation"])

    def accesses(self) -> Iterator[MemoryAccessOp]:
        """The memory accesses in the loop, nested ones included."""
        for item in self.items:
            if isinstance(item, Loop):
                yield from item.accesses()
            elif isinstance(item, MemoryAccessOp):
                yield item


def loop_tree(kernel: KernelOp) -> list[Loop | Operation]:
    """The kernel's ops as a tree of loops."""
    table = kernel.loop_table
    root: list[Loop | Operation] = []
    path: list[Loop] = []
    for op in ops_of(kernel.block):
        if op.name not in MARKERS:
            (path[-1].items if path else root).append(op)
        elif isinstance(op, LoopBeginOp):
            loop = Loop(table[op.id], op)
            (path[-1].items if path else root).append(loop)
            path.append(loop)
        elif isinstance(op, LoopEndOp):
            path.pop().end = op
    return root


def parallel_chain(loop: Loop) -> list[Loop]:
    """`loop` and the parallel loops directly inside it, outermost first; none if it is sequential.

    The innermost loop may be in parts, as after `lir-jam-loops`, or after its tail has its own ops.
    The chain then ends with the first part; `parts_of` has the others.
    """
    chain: list[Loop] = []
    while loop.info.parallel:
        chain.append(loop)
        inside = [item for item in loop.items if isinstance(item, Loop)]
        if len(inside) != len(loop.items) or (len(inside) > 1 and not _is_split(inside)):
            break
        loop = inside[0]
    return chain


def _is_split(loops: Sequence[Loop]) -> bool:
    """Whether `loops` are the parts of one loop: of dynamic work, its main part and its tail."""
    first, *others = (loop.info for loop in loops)
    kinds = first.iteration, *(it.iteration for it in others)
    parts = kinds == ("main", "last") if first.dynamic else first.iteration != "unified"
    return parts and all(it.origin == first.origin for it in others)


def parts_of(chain: Sequence[Loop]) -> list[Loop]:
    """The parts of the innermost of several parallel loops, in order; the loop itself if it is
    whole.
    """
    beside = [item for item in chain[-2].items if isinstance(item, Loop)] if chain[1:] else []
    return beside if len(beside) > 1 else [chain[-1]]


def units_of(chain: Sequence[Loop], table: Mapping[int, LoopInfo]) -> list[tuple[Dim, int]]:
    """For each of several parallel loops, its number of units in their domain, and the length of a
    unit.

    A unit is an iteration of the loop, or of the unrolled part if the innermost loop has one.
    """
    found: list[tuple[Dim, int]] = []
    for loop in chain:
        unified = table[loop.info.unified_id]
        step = loop.info.increment if loop.info.iteration == "unrolled" else unified.increment
        work = unified.work_amount
        found.append((work if isinstance(work, Size) else -(-work // step), step))
    return found


def loop_name(chain: Sequence[Loop]) -> str:
    """The name in messages of a loop, or of parallel loops that form one domain: `loop 1 (main)`,
    `loops 0, 1`.
    """
    info = chain[0].info
    ids = ", ".join(str(loop.info.unified_id) for loop in chain)
    part = "" if info.iteration == "unified" else f" ({info.iteration})"
    return f"loop{'s' if len(chain) > 1 else ''} {ids}{part}"


@dataclass(frozen=True)
class Domain:
    """The parallel domain of a kernel: `size` units; ranges start at multiples of `grain`."""

    size: Dim
    grain: int


@dataclass(frozen=True)
class Share:
    """The part of the domain that belongs to an outermost nest of parallel loops.

    Attributes:
        loop: id of its outermost loop, before that was split into parts.
        domain: the nest's own domain.
        start: the unit of the kernel's domain at which it begins.
        rounded: whether ranges begin between its own grains, so that it takes the nearest ones.
    """

    loop: int
    domain: Domain
    start: Dim
    rounded: bool = False


def shares_of(kernel: KernelOp) -> list[Share]:
    """The outermost nests of parallel loops, one after the other.

    Each begins at a multiple of the kernel's grain. After a nest of dynamic size there may be units
    without work. Nests over the same units, each for other calls, share one part of the domain.
    """
    found: dict[int, Domain] = {}
    for item in loop_tree(kernel):
        if isinstance(item, Loop) and (chain := parallel_chain(item)):
            found.setdefault(chain[0].info.unified_id, _domain_of_nest(kernel, chain))
    groups: dict[object, list[int]] = {}
    for loop, domain in found.items():
        calls = kernel.loop_table[loop].calls
        key = loop if calls is None else (calls.size, calls.bound, domain.size)
        groups.setdefault(key, []).append(loop)
    grain = lcm(*(min(found[loop].grain for loop in group) for group in groups.values()))
    shares: list[Share] = []
    start: Dim = 0
    for group in groups.values():
        shares += [Share(it, found[it], start, grain % found[it].grain != 0) for it in group]
        size = found[group[0]].size
        start = start + (size * grain if isinstance(size, Size) else -(-size // grain) * grain)
    return shares


def _domain_of_nest(kernel: KernelOp, chain: Sequence[Loop]) -> Domain:
    """The units of a nest are iterations (`units_of`), the units of a single loop are units of its
    counter.

    Ranges of a loop with an unrolled part start at multiples of that part's increment. Blocks whose
    size the call chooses begin anew in each range, unless loops end at diagonals of blocks: what
    they leave out would depend on the threads.
    """
    table = kernel.loop_table
    unified = [table[loop.info.unified_id] for loop in chain]
    first = chain[0].info
    step = first if first.iteration == "unrolled" else unified[0]
    if len(chain) == 1:
        anew = step.step is not None and all(loop.diagonal is None for loop in table.values())
        grain = min(step.increment, SHARED_ROWS) if anew else step.increment
        return Domain(unified[0].work_amount, grain)
    return Domain(product(units for units, _ in units_of(chain, table)), 1)


def domain_of(kernel: KernelOp) -> Domain:
    """The parallel domain: the domain of the only outermost nest, or of several consecutive nests.

    A kernel without parallel loops has one unit.
    """
    shares = shares_of(kernel)
    if not shares:
        return Domain(1, 1)
    last = shares[-1]
    grain = lcm(*(share.domain.grain for share in shares if not share.rounded))
    return Domain(last.start + last.domain.size, grain)
