"""Number the loops of a kernel 0, 1, 2, ... in the order in which they begin.

    lir.loop_begin 4 ... lir.loop_end 4  lir.loop_begin 2      becomes      0, then 1

Markers, `lir.loops`, the ports' motions and the loop table are renamed together. Loops that are
only in the table, such as the whole of several parts, get the numbers after those. Splitting and
expanding loops leaves gaps in the numbers, and code that indexes by loop needs none. Source: the
guide's NormalizeLoopIDs.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from typing_extensions import override
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.dialects.lir.access import (
    LOOPS,
    PORTS,
    loop_ids,
    ports,
    set_loop_ids,
    set_ports,
)
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.kernels import kernels_at
from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.dialects.lir.markers import LoopBeginOp, LoopMarkerOp
from snippets_mlir.dialects.lir.ports import PortDescriptor
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.lir.kernel_passes import KernelPatternPass
from snippets_mlir.passes.patterns import Pattern


def numbers_of(kernel: KernelOp) -> dict[int, int]:
    """Old id -> new id: loops in the order of their markers, then the others in table order."""
    begun = [op.id for op in kernel.block.ops if isinstance(op, LoopBeginOp)]
    return {old: new for new, old in enumerate(dict.fromkeys([*begun, *kernel.loop_table]))}


def _renamed(loop: LoopInfo, ids: Mapping[int, int]) -> LoopInfo:
    return replace(
        loop,
        id=ids[loop.id],
        origin=ids.get(loop.origin, loop.origin),
        inner_of=None if loop.inner_of is None else ids[loop.inner_of],
        diagonal=None if loop.diagonal is None else (loop.diagonal[0], ids[loop.diagonal[1]]),
    )


class NumberedMarker(Pattern[LoopMarkerOp, int]):
    """A marker has the new number of its loop."""

    name = "numbered-marker"
    ops = (LoopMarkerOp,)

    def __init__(self, ids: Mapping[int, int]) -> None:
        self.ids = ids

    def match(self, op: LoopMarkerOp) -> int | None:
        """The new number, if it differs."""
        new = self.ids[op.id]
        return None if new == op.id else new

    @override
    def rewrite(self, op: LoopMarkerOp, match: int, rewriter: PatternRewriter) -> None:
        op.properties["loop_id"] = IntegerAttr(match, i64)


def is_in_loops(op: Operation) -> bool:
    """An op in a loop, or with a pointer that a loop moves."""
    return LOOPS in op.attributes or PORTS in op.attributes


Places = tuple[tuple[int, ...], tuple[PortDescriptor, ...]]
"""The loops around an op, and its ports."""


class NumberedLoops(Pattern[Operation, Places]):
    """An op names its loops, and the loops that move its pointers, by the new numbers."""

    name = "numbered-loops"
    ops = (Operation,)
    conditions = (is_in_loops,)

    def __init__(self, ids: Mapping[int, int]) -> None:
        self.ids = ids

    def match(self, op: Operation) -> Places | None:
        """The loops and ports with the new numbers, if they differ."""
        old = loop_ids(op), ports(op)
        motions = [
            replace(port, loops=tuple(replace(m, loop=self.ids[m.loop]) for m in port.loops))
            for port in old[1]
        ]
        new = tuple(self.ids[id_] for id_ in old[0]), tuple(motions)
        return None if new == old else new

    @override
    def rewrite(self, op: Operation, match: Places, rewriter: PatternRewriter) -> None:
        around, described = match
        if around:
            set_loop_ids(op, around)
        if described:
            set_ports(op, described)


@dataclass(frozen=True)
class LirNormalizeLoopIdsPass(KernelPatternPass):
    """Number loops in the order in which they begin."""

    name = "lir-normalize-loop-ids"
    STAGES: ClassVar[Stages] = Stages(("looped", "expanded", "assigned"))
    PATTERNS = (NumberedMarker, NumberedLoops)

    def facts(self, root: Operation) -> tuple[Any, ...]:
        """The new numbers of the loops."""
        assert isinstance(root, KernelOp)
        return (numbers_of(root),)

    def roots(self, module: ModuleOp) -> Iterator[KernelOp]:
        """The kernels; each one's table is renamed after its sweep."""
        for kernel in kernels_at(module, self.STAGES.source):
            ids = numbers_of(kernel)
            yield kernel
            loops = (_renamed(loop, ids) for loop in kernel.loop_table.values())
            kernel.set_loops(sorted(loops, key=lambda loop: loop.id))
