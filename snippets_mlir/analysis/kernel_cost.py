"""The cost of one element of a kernel, which decides the number of threads.

    lir.loop_begin 0     // #lir.loop<0, work 4096, inc 16, dim 0, parallel>
    4 loads, stores, products and sums
    1 division           // counts as 8
    lir.loop_end 0

are 12 vector instructions for 16 elements; with 250 picoseconds for each (two a cycle, at 2 GHz)
that is 187 picoseconds an element. Ops outside of the innermost loops do not count: they run once
for a row. Of a loop in parts the first one that is no tail counts, and a load of lanes that are
apart counts once for each; loads that read one tile count twice the lanes of one of them together.
Where iterations of a loop around are taken together, the body is for all of them. The estimate
knows no caches and no latencies: it is right to a factor of two, which is enough to tell a relu
from a softmax.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

from xdsl.ir import Operation

from snippets_mlir.analysis.load_tiles import is_apart, tile_of
from snippets_mlir.dialects.lir.access import loop_ids, output_ports, ports
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.dialects.lir.markers import LoopMarkerOp
from snippets_mlir.dialects.lir.memory import LoadOp
from snippets_mlir.dialects.snippets.registry import record_of

PICOSECONDS = 250
"""One vector instruction, of which two run at a time."""


def _weights(ops: Sequence[Operation]) -> int:
    """How many vector instructions the ops of a body are."""
    total, loaded = 0, set[Operation]()
    for op in ops:
        if op in loaded:
            continue
        if isinstance(op, LoadOp) and is_apart(op):
            tile = tile_of(op)
            loaded.update(tile)
            total += output_ports(op)[0].lanes * (2 if len(tile) > 1 else 1)
        else:
            record = record_of(op.name)
            total += 1 if record is None else round(record.weight)
    return total


def _iterations(ids: Sequence[int], table: dict[int, LoopInfo]) -> int:
    """How many iterations of the loops `ids` a body inside of them is for."""
    parts = [table[id_] for id_ in ids if table[id_].iteration == "unrolled"]
    return prod(part.increment // table[part.origin].increment for part in parts)


def _bodies(kernel: KernelOp) -> Iterator[tuple[int, list[Operation]]]:
    """The innermost loops, by id, with their ops."""
    bodies: dict[int, list[Operation]] = {}
    outer: set[int] = set()
    for op in kernel.block.ops:
        if (ids := loop_ids(op)) and not isinstance(op, LoopMarkerOp):
            bodies.setdefault(ids[-1], []).append(op)
            outer.update(ids[:-1])
    return ((id_, ops) for id_, ops in bodies.items() if id_ not in outer)


def element_cost(kernel: KernelOp) -> int:
    """Picoseconds for an element of the kernel's largest array, from stage `marked` on."""
    table = kernel.loop_table
    counted: dict[int, float] = {}
    for id_, ops in _bodies(kernel):
        loop = table[id_]
        lanes = max(port.lanes for op in ops for port in ports(op))
        elements = loop.increment * (1 if loop.dim == 0 else lanes)
        elements *= _iterations(loop_ids(ops[0])[:-1], table)
        cost = _weights(ops) * PICOSECONDS / elements
        if loop.iteration != "last" or loop.unified_id not in counted:
            counted.setdefault(loop.unified_id, cost)
    return round(sum(counted.values()))
