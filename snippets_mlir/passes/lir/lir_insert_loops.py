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

A scan is such a value that ops in the loop read. Along the vectors, the next iteration gets its
last lane:

    %s = lir.scan %p {dim = 0, .., prefixed}     %c = lir.loop_begin 0 (%i)
                                       becomes   %s = snippets.add %c, %p
                                                 %n = lir.last_lane %s
                                                 lir.loop_end 0 (%n)

A product is also carried: each step of `lir.brgemm` is a `snippets.fma` of the carried value
(`unfused`: a product and a sum, `lir.in_order`). After the loop, a `lir.horizon` that folds nothing
is the result. A `lir.brgemm_copy_b` vanishes: its reader, a store, reads the loaded value.

Source: the guide's InsertLoops. Refuses a kernel in which the ops of one loop are not together (run
lir-fuse-loops first), and a scan whose innermost loop does not walk its dim.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from snippets_mlir.dialects.lir.access import (
    LOOPS,
    is_view,
    loop_ids,
    output_ports,
    view_source,
)
from snippets_mlir.dialects.lir.brgemm import BrgemmCopyBOp, BrgemmOp
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.markers import LoopBeginOp, LoopEndOp
from snippets_mlir.dialects.lir.memory import ResultOp
from snippets_mlir.dialects.lir.ports import PortDescriptor
from snippets_mlir.dialects.lir.reduction import HorizonOp
from snippets_mlir.dialects.lir.scan import ScanOp
from snippets_mlir.dialects.snippets.constants import ScalarOp
from snippets_mlir.dialects.snippets.conversion import BroadcastOp
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.lir.carried_values import (
    Accumulator,
    carried_port,
    carried_shape,
    combined_with,
    start_value,
)
from snippets_mlir.passes.lir.editing import insert_after, insert_before, replace_with_expr
from snippets_mlir.passes.lir.kernel_passes import KernelPlanPass, op_text
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError


@dataclass(frozen=True, eq=False)
class Span:
    """A loop that gets markers.

    Attributes:
        loops: the loops around its ops; it is the last one.
        first: its first op.
        last: its last op.
        accumulators: the accumulators that it carries.
    """

    loops: tuple[int, ...]
    first: Operation
    last: Operation
    accumulators: tuple[Accumulator, ...]

    def __str__(self) -> str:
        carried = "".join(f", carries {op_text(op)}" for op in self.accumulators)
        indent = "  " * (len(self.loops) - 1)
        ops = f"{op_text(self.first)}, to {op_text(self.last)}"
        return f"{indent}loop {self.loops[-1]}: {ops}{carried}"


@dataclass(frozen=True, eq=False)
class Markers:
    """The loops of a kernel.

    Attributes:
        front: ops in no loop, which must not be between the markers of one.
        spans: the loops, in the order in which they begin.
        copies: ops that are replaced by the values they load.
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
        CompileError: the ops of a loop are not contiguous, or a scan is in a wrong loop.
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
        if isinstance(op, ScanOp):
            _check_order(kernel, op)
        if isinstance(op, Accumulator):
            accumulators.setdefault(ids[-1], []).append(op)
        path = ids
    for id_, loops in around.items():
        yield Span(loops, first[id_], last[id_], tuple(accumulators.get(id_, ())))


def _check_order(kernel: KernelOp, op: ScanOp) -> None:
    """CompileError unless the innermost loop around a scan walks its dim from start to end."""
    loop = kernel.loop_table[ids[-1]] if (ids := loop_ids(op)) else None
    if loop is None or loop.dim != op.dim or loop.inner_of is not None or loop.parallel:
        raise CompileError(
            f"expected a loop over all of dim {op.dim} innermost around {op.name}, found loops "
            f"{list(loop_ids(op))}; run lir-mark-loops before lir-insert-loops",
            **position_of(op),
        )


def _open(span: Span) -> LoopBeginOp:
    """Begin a loop before its first op, with the start of each accumulator."""
    anchor, start = span.first, list[SSAValue]()
    block = anchor.parent
    assert block is not None
    for op in span.accumulators:
        scalar = ScalarOp(start_value(op))
        first = block.first_op
        assert first is not None
        nothing = PortDescriptor((1,) * len(output_ports(op)[0].shape), subtensor=(1,))
        insert_before(first, scalar, [nothing], ())
        initial = BroadcastOp(scalar, carried_shape(op))
        insert_before(anchor, initial, [nothing, carried_port(op)], span.loops[:-1])
        start.append(initial.result)
    begin = LoopBeginOp(span.loops[-1], start)
    begin.location = anchor.location
    block.insert_op_before(begin, anchor)
    return begin


def _close(span: Span, last: Operation, carried: Sequence[SSAValue]) -> Operation:
    """End a loop after `last`; readers of its accumulators read the marker's results."""
    end = LoopEndOp(span.loops[-1], carried)
    end.location = last.location
    block = last.parent
    assert block is not None
    block.insert_op_after(end, last)
    closed: Operation = end
    for op, value in zip(span.accumulators, end.values, strict=True):
        if isinstance(op, ScanOp):
            op.erase()
            continue
        if isinstance(op, BrgemmOp):
            (port,) = output_ports(op)
            result = HorizonOp(value, "sum", op.result.type)
            closed = insert_after(closed, result, [port, port], span.loops[:-1])
            value = result.result
        value.name_hint = op.result.name_hint
        op.result.replace_all_uses_with(value)
        op.erase()
    return closed


@dataclass(frozen=True)
class LirInsertLoopsPass(KernelPlanPass[Markers]):
    """Insert loop markers."""

    name = "lir-insert-loops"
    STAGES: ClassVar[Stages] = Stages(("accessed",), "looped")

    def plan(self, unit: KernelOp) -> Markers:
        """The begin and end of each loop."""
        copies = tuple(op for op in unit.block.ops if isinstance(op, BrgemmCopyBOp))
        front = tuple(filter(_is_in_front, unit.block.ops))
        return Markers(front, tuple(plan_spans(unit)), copies)

    def carry_out(self, unit: KernelOp, plan: Markers) -> None:
        """Insert the markers: the loop that begins first ends last."""
        for op in plan.copies:
            replace_with_expr(op, op.source)
        for op in plan.front:
            op.detach()
        Rewriter.insert_op(plan.front, InsertPoint.at_start(unit.block))
        begins = [_open(span) for span in plan.spans]
        combined = {
            op: combined_with(op, carried)
            for span, begin in zip(plan.spans, begins, strict=True)
            for op, carried in zip(span.accumulators, begin.values, strict=True)
        }
        last: dict[Operation, Operation] = {**combined}
        for span in reversed(plan.spans):
            carried = [combined[op].results[0] for op in span.accumulators]
            last[span.last] = _close(span, last.get(span.last, span.last), carried)
        unit.set_stage("looped")
