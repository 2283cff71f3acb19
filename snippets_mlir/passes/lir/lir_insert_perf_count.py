"""Count how often the parts of a kernel run, and for how long.

    lir.loop_begin 0
    %0 = lir.load %x {...} : tensor<64xf32>
    %1 = snippets.exp %0 {...} : tensor<64xf32>
    %2 = lir.store %1 {...} : tensor<64xf32>
    lir.loop_end 0

with `at=expressions` becomes

    lir.loop_begin 0
    lir.perf_count_begin 0 {clock = "monotonic", label = "lir.load", position = "f.mlir:2:8"}
    %0 = lir.load %x {...} : tensor<64xf32>
    lir.perf_count_end 0
    lir.perf_count_begin 1 {clock = "monotonic", label = "snippets.exp", position = "f.mlir:2:8"}
    %1 = snippets.exp %0 {...} : tensor<64xf32>
    lir.perf_count_end 1
    ...

`at=loops` counts each loop (parallel loops that share a domain are one), and `at=body` the whole
work of a thread. The values stay the same, to the bit. Not in the pipelines: `--perf-count` of
`snippets-run` and `compile(perf_count=)` put it before `convert-lir-to-vector`, for expressions
before `lir-expand-math`. If loops still have tails, all parts of a loop are counted together.

Refuses kernels without markers. Source: the guide's InsertPerfCount, whose default is the body.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

from xdsl.ir import Operation

from snippets_mlir.dialects.lir.access import is_view, loop_ids
from snippets_mlir.dialects.lir.buffer import BufferOp
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.loop_tree import (
    Loop,
    loop_name,
    loop_tree,
    parallel_chain,
    parts_of,
)
from snippets_mlir.dialects.lir.markers import LoopMarkerOp
from snippets_mlir.dialects.lir.memory import ResultOp
from snippets_mlir.dialects.lir.perf_count import (
    Counter,
    PerfCountBeginOp,
    PerfCountEndOp,
    PerfCountOp,
    counters_of,
)
from snippets_mlir.dialects.snippets.constants import ScalarOp
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.lir.editing import insert_after, insert_before
from snippets_mlir.passes.lir.kernel_passes import KernelPlanPass
from snippets_mlir.support.diagnostics import position_of


@dataclass(frozen=True)
class Counted:
    """The ops of one counter.

    Attributes:
        number: of the counter.
        about: the description of the counter.
        first: the place of the first op in the kernel.
        last: the place of the last op.
        loops: the loops around it.
    """

    number: int
    about: Counter
    first: int
    last: int
    loops: tuple[int, ...]

    def __str__(self) -> str:
        at = f" at {self.about.position}" if self.about.position else ""
        ops = f"op {self.first}" if self.first == self.last else f"ops {self.first} to {self.last}"
        loops = f", in loops {' '.join(map(str, self.loops))}" if self.loops else ""
        return f"counter {self.number}: {self.about.label}{at}, {ops}{loops}"


@dataclass(frozen=True)
class Counters:
    """The new counters of a kernel, outer ones first."""

    counted: tuple[Counted, ...]

    def __str__(self) -> str:
        return "\n".join(map(str, self.counted)) or "nothing to count"


Span = tuple[Operation, Operation, str, Operation, tuple[int, ...]]
"""The first and the last op, a label, the op with the source position, and the loops."""


def _emits(op: Operation) -> bool:
    """Whether code is emitted for an op that is no marker."""
    structure = isinstance(op, LoopMarkerOp | PerfCountOp | ScalarOp | ResultOp | BufferOp)
    return not structure and not is_view(op)


def _loop_spans(items: list[Loop | Operation], around: tuple[int, ...]) -> Iterator[Span]:
    for loop in items:
        if not isinstance(loop, Loop):
            continue
        assert loop.end is not None
        chain = parallel_chain(loop) or [loop]
        yield loop.begin, loop.end, loop_name(chain), _first_op(loop), around
        for part in parts_of(chain):
            inside = (*around, *(c.info.id for c in chain[:-1]), part.info.id)
            yield from _loop_spans(part.items, inside)


def _first_op(loop: Loop) -> Operation:
    """The first op in a loop that emits code; its position is reported for the loop."""
    for item in loop.items:
        if isinstance(item, Loop):
            return _first_op(item)
        if _emits(item):
            return item
    return loop.begin


def _spans(kernel: KernelOp, at: str) -> list[Span]:
    ops = list(kernel.block.ops)
    emitting = [op for op in ops if _emits(op)]
    if not emitting:
        return []
    match at:
        case "body":
            markers = [op for op in ops if isinstance(op, LoopMarkerOp) or _emits(op)]
            return [(markers[0], markers[-1], "body", emitting[0], ())]
        case "loops":
            return list(_loop_spans(loop_tree(kernel), ()))
        case _:
            return [(op, op, op.name, op, loop_ids(op)) for op in emitting]


def _source_position(op: Operation) -> str:
    """`file:line:column` of an op, if known; else empty."""
    parts = position_of(op).values()
    return ":".join(str(part) for part in parts if part is not None)


@dataclass(frozen=True)
class LirInsertPerfCountPass(KernelPlanPass[Counters]):
    """Insert performance counters around the body, each loop or each op of every kernel."""

    name = "lir-insert-perf-count"
    STAGES: ClassVar[Stages] = Stages(("looped", "expanded", "assigned"))
    SIDE_EFFECTS: ClassVar[bool] = True

    at: Literal["body", "loops", "expressions"] = "body"
    clock: Literal["monotonic", "rdtsc"] = "monotonic"

    def plan(self, unit: KernelOp) -> Counters:
        """The new counters, with numbers after those of the kernel."""
        places = {op: place for place, op in enumerate(unit.block.ops)}
        spans = enumerate(_spans(unit, self.at), max(counters_of(unit), default=-1) + 1)
        return Counters(
            tuple(
                Counted(
                    number,
                    Counter(label, self.clock, _source_position(source)),
                    places[first],
                    places[last],
                    loops,
                )
                for number, (first, last, label, source, loops) in spans
            )
        )

    def carry_out(self, unit: KernelOp, plan: Counters) -> None:
        """Put the markers of each counter around its ops."""
        ops = list(unit.block.ops)
        for it in plan.counted:
            insert_before(ops[it.first], PerfCountBeginOp(it.number, it.about), (), it.loops)
            insert_after(ops[it.last], PerfCountEndOp(it.number), (), it.loops)
