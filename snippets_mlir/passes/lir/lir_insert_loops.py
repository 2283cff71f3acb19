"""Put markers where loops begin and end.

    %0 = lir.load %x {lir.loops = array<i64: 0>}        lir.loop_begin 0
    %1 = lir.store %0 {lir.loops = array<i64: 0>}       %0 = lir.load %x {lir.loops = array<i64: 0>}
                                             becomes    %1 = lir.store %0 {lir.loops = array<i64:
                                             0>}
                                                        lir.loop_end 0

The ids stay on the ops and have to agree with the markers (law L5). An accumulator becomes a value
that the markers carry:

    %a = lir.accumulate %x {kind = "sum"}        %i = snippets.broadcast %neutral
                                                 %c = lir.loop_begin 0 (%i)
                                       becomes     %n = snippets.add %c, %x
                                                 %a = lir.loop_end 0 (%n)

So does a product: each step of `lir.brgemm` is a `snippets.fma` of what is carried (`unfused`: a
product and a sum), and `lir.horizon`, which folds nothing, is the result after the loop. A
`lir.brgemm_copy_b` vanishes: its reader, a store, reads what it loads.

Source: the guide's InsertLoops. Refuses a kernel in which the ops of one loop do
not stand together: run lir-fuse-loops first.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from xdsl.ir import BlockArgument, Operation
from xdsl.rewriter import InsertPoint, Rewriter

from snippets_mlir.dialects.lir.access import LOOPS, is_view, loop_ids, view_source
from snippets_mlir.dialects.lir.brgemm import BrgemmCopyBOp
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.memory import ResultOp
from snippets_mlir.dialects.snippets.constants import ScalarOp
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.lir.editing import replace_with_expr
from snippets_mlir.passes.lir.kernel_passes import KernelPlanPass, op_text
from snippets_mlir.passes.lir.loop_markers import Accumulator, Span, close_loop, combine, open_loop
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError


@dataclass(frozen=True, eq=False)
class Markers:
    """The loops of a kernel.

    Attributes:
        front: ops in no loop, which must not stand between the markers of one.
        spans: the loops, in the order in which they begin.
        copies: ops of which only what they load is left.
    """

    front: tuple[Operation, ...]
    spans: tuple[Span, ...]
    copies: tuple[BrgemmCopyBOp, ...]

    def __str__(self) -> str:
        front = [f"{op_text(op)}, moves to the front" for op in self.front]
        return "\n".join([*front, *map(str, self.spans)]) or "no loops"


def _is_in_front(op: Operation) -> bool:
    """Whether `op` is an immediate in no loop or a view of an input."""
    if isinstance(op, ScalarOp):
        return not loop_ids(op)
    return is_view(op) and isinstance(view_source(op.results[0]), BlockArgument)


def plan_spans(kernel: KernelOp) -> Iterator[Span]:
    """The loops, in the order in which they begin.

    Raises:
        CompileError: the ops of a loop do not stand together.
    """
    accumulators: dict[int, list[Accumulator]] = {}
    first: dict[int, Operation] = {}
    last: dict[int, Operation] = {}
    around: dict[int, tuple[int, ...]] = {}
    path: tuple[int, ...] = ()
    for op in kernel.block.ops:
        if isinstance(op, ResultOp | BrgemmCopyBOp) or is_view(op) or LOOPS not in op.attributes:
            continue
        if _is_in_front(op):
            continue
        ids = loop_ids(op)
        for depth, id_ in enumerate(ids):
            if id_ in first and path[: depth + 1] != ids[: depth + 1]:
                raise CompileError(
                    f"in @{kernel.sym_name.data}: the ops of loop {id_} do not stand "
                    "together; run lir-fuse-loops before lir-insert-loops",
                    **position_of(kernel),
                )
            first.setdefault(id_, op)
            around.setdefault(id_, ids[: depth + 1])
            last[id_] = op
        if isinstance(op, Accumulator):
            accumulators.setdefault(ids[-1], []).append(op)
        path = ids
    for id_, loops in around.items():
        yield Span(loops, first[id_], last[id_], tuple(accumulators.get(id_, ())))


@dataclass(frozen=True)
class LirInsertLoopsPass(KernelPlanPass[Markers]):
    """Insert loop markers."""

    name = "lir-insert-loops"
    STAGES: ClassVar[Stages] = Stages(("accessed",), "looped")

    def plan(self, unit: KernelOp) -> Markers:
        """Where each loop begins and ends."""
        copies = tuple(op for op in unit.block.ops if isinstance(op, BrgemmCopyBOp))
        front = tuple(filter(_is_in_front, unit.block.ops))
        return Markers(front, tuple(plan_spans(unit)), copies)

    def carry_out(self, unit: KernelOp, plan: Markers) -> None:
        """Insert the markers: what begins first ends last."""
        for op in plan.copies:
            replace_with_expr(op, op.source)
        for op in plan.front:
            op.detach()
        Rewriter.insert_op(plan.front, InsertPoint.at_start(unit.block))
        begins = [open_loop(span) for span in plan.spans]
        combined = {
            op: combine(op, carried)
            for span, begin in zip(plan.spans, begins, strict=True)
            for op, carried in zip(span.accumulators, begin.values, strict=True)
        }
        last: dict[Operation, Operation] = {**combined}
        for span in reversed(plan.spans):
            carried = [combined[op].results[0] for op in span.accumulators]
            last[span.last] = close_loop(span, last.get(span.last, span.last), carried)
        unit.set_stage("looped")
