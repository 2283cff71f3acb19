"""Put buffers in one place of memory if one may overwrite another.

    loop 2 { %l = lir.load %b    %e = exp %l    %s = lir.store %e }    %c = lir.buffer %s

gives `%b` and `%c` the same `cluster` if nothing reads `%b` later:

* C1: both live in the same loops;
* C2: `%b` is dead afterwards: the loop nest that fills `%c` reads it before the store, in the
  store's loops or in loops beside them, and nothing reads or fills it after that nest;
* C3: a proof shows that no store overwrites elements that a later iteration loads (`in_place.py`).
  Equal shapes, layouts and shifts pass; so do elements that shrink (f32 into i8), but not elements
  that grow, or values that are broadcast in a loop;
* C4: no other member of the cluster is alive while `%c` is;
* C5: it is known which of the two is larger, and no larger buffer than `%c` may be written over
  `%b`;
* C6: no row of several ends with a partial vector, or half of the second-level cache does not hold
  both buffers. The next row begins right after that part, and a processor cannot load across the
  lanes that such a store leaves alone before the store is done. Attentions of 7 to 100 tokens take
  0.6 to 0.9 of the time with separate buffers.

A buffer is overwritten once. The guide's version misses C2; its sliding windows are not done.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import ClassVar

from typing_extensions import override
from xdsl.ir import Operation

from snippets_mlir.dialects.builtin.dims import MAX_SYMBOLS, known_less
from snippets_mlir.dialects.builtin.shaped import element_bytes
from snippets_mlir.dialects.builtin.size_estimates import ASSUMED, assumed, evaluate
from snippets_mlir.dialects.builtin.size_facts import has_symbols
from snippets_mlir.dialects.lir.access import loop_ids
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.dialects.lir.memory import StoreOp
from snippets_mlir.dialects.lir.ports import PortDescriptor
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.lir.buffer_facts import (
    BufferFacts,
    Decided,
    Loading,
    buffer_bytes,
    byte_motions,
    decided,
    loop_spans,
    scratch_facts,
)
from snippets_mlir.passes.lir.in_place import Walk, proven
from snippets_mlir.passes.lir.kernel_passes import KernelPlanPass
from snippets_mlir.support.walking import module_of
from snippets_mlir.targets.attributes import TARGET, machine_of

TRIED = (ASSUMED, (2,) * MAX_SYMBOLS, (67,) * MAX_SYMBOLS)
"""Values of all symbols that C3 has to hold for."""


def _shared(load: Operation, store: Operation) -> int:
    """The number of common outer loops, outermost first."""
    pairs = zip(loop_ids(load), loop_ids(store), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


@dataclass(frozen=True)
class Order:
    """The order of execution of a kernel.

    Attributes:
        table: its loops.
        spans: the places of each loop's markers.
        places: the place of each op.
        ports: the future ports in memory of accesses that will be moved.
    """

    table: dict[int, LoopInfo]
    spans: dict[int, tuple[int, int]]
    places: dict[object, int]
    ports: Mapping[Operation, PortDescriptor]

    def precedes(self, load: Operation, store: Operation) -> bool:
        """Whether `load`, with the loops that `store` is not in, ends before `store` begins."""
        reading, writing = loop_ids(load), loop_ids(store)
        same = _shared(load, store)
        end = self.spans[reading[same]][1] if same < len(reading) else self.places[load]
        begin = self.spans[writing[same]][0] if same < len(writing) else self.places[store]
        return end < begin

    def nest_of(self, store: StoreOp, own: int) -> tuple[int, int] | None:
        """The outermost loop around `store` that is not in `own`; None if there is none."""
        around = loop_ids(store)
        return self.spans.get(around[own]) if len(around) > own else None


def order_of(kernel: KernelOp, ports: Mapping[Operation, PortDescriptor] | None = None) -> Order:
    """The order of execution of a kernel; some accesses will have other `ports`."""
    ops = list(kernel.block.ops)
    places: dict[object, int] = {op: place for place, op in enumerate(ops)}
    return Order(kernel.loop_table, loop_spans(ops), places, ports or {})


def _dead_loads(kernel: Order, old: BufferFacts, store: StoreOp) -> list[Loading] | None:
    """The loads of `old` in the nest of `store`, or None if C2 does not hold."""
    own = len(loop_ids(old.buffer))
    nest = kernel.nest_of(store, own)
    if nest is None:
        return None
    first, last = nest
    if old.end > last or any(first <= kernel.places[s] for s in old.stores):
        return None
    loads = [load for load in old.loads if first <= kernel.places[load]]
    matched = all(_shared(load, store) > own and kernel.precedes(load, store) for load in loads)
    return loads if loads and matched else None


def _proven(kernel: Order, load: Loading, store: StoreOp, own: int) -> bool:
    """C3 for one load and one store; the buffers live in their loops `own`.

    Dynamic dimensions are tried short, with tails, and long: all moves are products of dimensions,
    so a result for these holds for the sizes between.
    """
    loops = [kernel.table[id_] for id_ in loop_ids(store)[own:]]
    dynamic = any(loop.dynamic for loop in loops) or any(
        has_symbols(move)
        for access in (load, store)
        for move in byte_motions(access, kernel.ports.get(access)).values()
    )
    return all(
        _proven_for(kernel, load, store, own, values)
        for values in (TRIED if dynamic else TRIED[:1])
    )


def _proven_for(
    kernel: Order, load: Loading, store: StoreOp, own: int, values: Sequence[int]
) -> bool:
    """C3 if the symbols have `values`.

    The loops of the store without the load count as one write of all their bytes; the load reads no
    bytes before those of its first iteration.
    """
    reads, writes = (byte_motions(access, kernel.ports.get(access)) for access in (load, store))
    ids, shared = loop_ids(store), _shared(load, store)

    def walk(id_: int) -> Walk:
        """How a loop moves the two pointers."""
        loop = kernel.table[id_]
        return Walk(
            -(-evaluate(loop.work_amount, values) // loop.increment),
            evaluate(reads.get(id_, (0, 0))[0], values) * loop.increment,
            evaluate(writes.get(id_, (0, 0))[0], values) * loop.increment,
        )

    written = [walk(id_) for id_ in ids[shared:]]
    if any(walk(id_).read < 0 for id_ in loop_ids(load)[shared:]):
        return False
    if any(inner.write < 0 for inner in written):
        return False
    size, innermost = element_bytes(store.value), kernel.table[ids[-1]]
    tail = evaluate(innermost.work_amount, values) % innermost.increment if not innermost.dim else 0
    last = min(store.elements, tail) if tail else store.elements
    inside = sum(inner.write * (inner.trips - 1) for inner in written)
    whole = last if written else store.elements
    walks = [walk(id_) for id_ in ids[own:shared]]
    return proven(walks, inside + whole * size, inside + last * size)


def dies_in_place(kernel: Order, old: BufferFacts, store: StoreOp) -> bool:
    """Whether `store` may overwrite `old`, whose last reads are in its nest (C2, C3)."""
    loads, own = _dead_loads(kernel, old, store), len(loop_ids(old.buffer))
    return loads is not None and all(_proven(kernel, load, store, own) for load in loads)


def may_overwrite(kernel: Order, old: BufferFacts, new: BufferFacts) -> bool:
    """Whether `new` may be at the place of `old` (C1 to C3)."""
    own = loop_ids(old.buffer)
    if own != loop_ids(new.buffer) or len(new.stores) != 1:
        return False
    (store,) = new.stores
    nest = kernel.nest_of(store, len(own))
    if nest is None or new.start != nest[0]:
        return False
    if any(kernel.places[load] <= nest[1] for load in new.loads):
        return False
    return dies_in_place(kernel, old, store)


def _waits(kernel: Order, old: BufferFacts, new: BufferFacts, room: int) -> bool:
    """The negation of C6: whether rows of buffers that fit `room` bytes wait for stores."""
    around = [kernel.table[id_] for id_ in loop_ids(new.stores[0])[len(loop_ids(old.buffer)) :]]
    *rows, last = [(assumed(loop.work_amount), loop.increment) for loop in around]
    parted = around[-1].dim == 0 and last[0] % last[1] != 0
    several = any(work > increment for work, increment in rows)
    held = known_less(buffer_bytes(old.buffer) + buffer_bytes(new.buffer), room + 1)
    return parted and several and held is True


def _is_largest(
    kernel: Order, old: BufferFacts, new: BufferFacts, facts: Sequence[BufferFacts]
) -> bool:
    """Whether no larger buffer after `new` may be at the place of `old` (C5)."""
    size, room = buffer_bytes(new.buffer), buffer_bytes(old.buffer)
    if known_less(size, room) is not False and known_less(room, size) is not False:
        return False
    later = facts[facts.index(new) + 1 :]
    larger = (it for it in later if assumed(buffer_bytes(it.buffer)) > assumed(size))
    return not any(may_overwrite(kernel, old, it) for it in larger)


def plan_clusters(kernel: KernelOp, facts: Sequence[BufferFacts]) -> Decided:
    """Decide which buffers share memory: each buffer joins a cluster or starts one."""
    known, module = order_of(kernel), module_of(kernel)
    room = machine_of(module).second_cache // 2 if TARGET in module.attributes else 0
    clusters: list[list[BufferFacts]] = []
    chosen: list[int] = []
    overwritten: set[int] = set()
    for new in facts:
        for index, old in enumerate(facts[: len(chosen)]):
            others = [m for m in clusters[chosen[index]] if m is not old]
            if index in overwritten or any(m.meets(new) for m in others):
                continue
            if not may_overwrite(known, old, new) or _waits(known, old, new, room):
                continue
            if _is_largest(known, old, new, facts):
                overwritten.add(index)
                chosen.append(chosen[index])
                clusters[chosen[index]].append(new)
                break
        else:
            chosen.append(len(clusters))
            clusters.append([new])
    return decided("cluster", facts, chosen)


@dataclass(frozen=True)
class LirDefineBufferClustersPass(KernelPlanPass[Decided]):
    """Find the buffers that can overwrite others."""

    name = "lir-define-buffer-clusters"
    STAGES: ClassVar[Stages] = Stages(("looped",))

    def plan(self, unit: KernelOp) -> Decided:
        """The cluster of each buffer in the scratchpad."""
        return plan_clusters(unit, scratch_facts(unit))

    @override
    def carry_out(self, unit: KernelOp, plan: Decided) -> None:
        plan.write(unit)
