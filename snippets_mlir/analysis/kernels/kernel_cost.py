"""The cost of a kernel on one thread, which determines the number of threads.

    lir.loop_begin 0     // #lir.loop<0, work 4096, inc 16, dim 0, parallel>
    4 loads, stores, products and sums
    1 division           // counts as 8
    lir.loop_end 0

are 12 vector instructions for 16 elements; with 250 picoseconds for each (two per cycle, at 2 GHz)
this is 187 picoseconds per element. The *space* of a body is the product of the enclosing loops:
rows * columns * terms for the sum of a matrix product, rows * columns for an op on its result. The
cost of a kernel is the cost per element of its largest space. Bodies with smaller spaces count in
proportion to their space; dynamic sizes are assumed to be large for this.

Ops outside of the innermost loops do not count: they run once per row. Of a loop in parts, the
first part that is not a tail counts. A load of strided lanes counts once per lane; loads that read
one tile together count twice the lanes of one load. If iterations of an enclosing loop are jammed,
the body is for all of them. The estimate ignores caches and latencies. It is correct to a factor of
two, which is enough to distinguish a relu from a softmax, and a sum from a matrix product.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.ir import Operation

from snippets_mlir.analysis.kernels.load_tiles import is_apart, tile_of
from snippets_mlir.dialects.builtin.dims import Dim, product
from snippets_mlir.dialects.builtin.size_estimates import assumed
from snippets_mlir.dialects.lir.access import loop_ids, output_ports, ports
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.dialects.lir.markers import LoopMarkerOp
from snippets_mlir.dialects.lir.memory import LoadOp
from snippets_mlir.dialects.snippets.registry import record_of

PICOSECONDS = 250
"""One vector instruction, of which two run at a time."""


def _weights(ops: Sequence[Operation]) -> int:
    """The number of vector instructions of the ops of a body."""
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


def _iterations(ids: Sequence[int], table: dict[int, LoopInfo]) -> float:
    """The number of iterations of the loops `ids` that a body inside them covers.

    An iteration of a last or unrolled part may cover several iterations of the original loop. A
    tail shorter than one iteration counts as one.
    """
    parts = [table[id_] for id_ in ids if table[id_].iteration in ("unrolled", "last")]
    return prod(max(1.0, part.increment / table[part.origin].increment) for part in parts)


def _bodies(kernel: KernelOp) -> Iterator[tuple[int, list[Operation]]]:
    """The innermost loops, by id, with their ops."""
    bodies: dict[int, list[Operation]] = {}
    outer: set[int] = set()
    for op in kernel.block.ops:
        if (ids := loop_ids(op)) and not isinstance(op, LoopMarkerOp):
            bodies.setdefault(ids[-1], []).append(op)
            outer.update(ids[:-1])
    return ((id_, ops) for id_, ops in bodies.items() if id_ not in outer)


def _space(ids: Sequence[int], table: dict[int, LoopInfo], first: dict[int, int]) -> Dim:
    """The space of the loops `ids`: blocks of a loop are part of that loop's work.

    Each part of an enclosing loop has its own work. If it depends on the call, the `first` part has
    all of it, and other parts have none.
    """
    sizes: list[Dim] = []
    for id_ in ids:
        part, loop = table[id_], table[table[id_].unified_id]
        if loop.dynamic and first.setdefault(loop.id, id_) != id_ != ids[-1]:
            return 0
        if loop.inner_of is None:
            whole = loop.dynamic or id_ == ids[-1]
            sizes.append(loop.work_amount if whole else part.work_amount)
    return product(sizes)


@dataclass(frozen=True)
class KernelCost:
    """What a kernel costs.

    Attributes:
        space: elements of the largest space of a body.
        element: picoseconds for each of them, on one thread.
    """

    space: Dim
    element: int


def cost_of(kernel: KernelOp) -> KernelCost:
    """What `kernel` costs, from stage `marked` on."""
    table = kernel.loop_table
    counted: dict[int, tuple[float, Dim]] = {}
    first: dict[int, int] = {}
    for id_, ops in _bodies(kernel):
        loop, ids = table[id_], loop_ids(ops[0])
        lanes = max(port.lanes for op in ops for port in ports(op))
        elements = loop.increment * (1 if loop.dim == 0 else lanes)
        elements *= _iterations(ids[:-1], table)
        cost = _weights(ops) * PICOSECONDS / elements
        if loop.iteration != "last" or loop.unified_id not in counted:
            counted.setdefault(loop.unified_id, (cost, _space(ids, table, first)))
    space = max((space for _, space in counted.values()), key=assumed, default=0)
    whole = max(1, assumed(space))
    return KernelCost(space, round(sum(c * assumed(s) / whole for c, s in counted.values())))
