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

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from snippets_mlir.dialects.builtin.dims import Shape
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.lir.access import (
    LOOPS,
    input_ports,
    is_view,
    loop_ids,
    output_ports,
    view_source,
)
from snippets_mlir.dialects.lir.brgemm import BrgemmCopyBOp, BrgemmOp, terms_shape
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.markers import LoopBeginOp, LoopEndOp
from snippets_mlir.dialects.lir.memory import ResultOp
from snippets_mlir.dialects.lir.ports import PortDescriptor
from snippets_mlir.dialects.lir.reduction import AccumulateOp, HorizonOp, neutral
from snippets_mlir.dialects.snippets.arithmetic import AddOp, MultiplyOp
from snippets_mlir.dialects.snippets.constants import ScalarOp
from snippets_mlir.dialects.snippets.conversion import BroadcastOp
from snippets_mlir.dialects.snippets.extrema import MaximumOp, MinimumOp
from snippets_mlir.dialects.snippets.internal import FmaOp, RunningMaximumOp
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.lir.editing import insert_after, insert_before, replace_with_expr
from snippets_mlir.passes.lir.kernel_passes import KernelPlanPass, op_text
from snippets_mlir.passes.lir.reductions import walked
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError

COMBINE = {
    "sum": AddOp,
    "prod": MultiplyOp,
    "max": MaximumOp,
    "maxnum": RunningMaximumOp,
    "min": MinimumOp,
}
"""Kind of accumulator -> the op that puts it, the first operand, and a value together."""


Accumulator = AccumulateOp | BrgemmOp


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


def _open(span: Span) -> LoopBeginOp:
    """Begin a loop before its first op, with the start of each accumulator."""
    anchor, start = span.first, list[SSAValue]()
    block = anchor.parent
    assert block is not None
    for op in span.accumulators:
        kind = op.kind.data if isinstance(op, AccumulateOp) else "sum"
        scalar = ScalarOp(neutral(kind, tensor_of(op.result).element_type))
        first = block.first_op
        assert first is not None
        nothing = PortDescriptor((1,) * len(output_ports(op)[0].shape), subtensor=(1,))
        insert_before(first, scalar, [nothing], ())
        initial = BroadcastOp(scalar, _carried_shape(op))
        insert_before(anchor, initial, [nothing, output_ports(op)[0]], span.loops[:-1])
        start.append(initial.result)
    begin = LoopBeginOp(span.loops[-1], start)
    begin.location = anchor.location
    block.insert_op_before(begin, anchor)
    return begin


def _carried_shape(op: Accumulator) -> Shape:
    """The shape of what the loop carries for `op`: as of what it combines."""
    if isinstance(op, AccumulateOp):
        return shape_of(op.result)
    terms = terms_shape(*map(shape_of, op.operands))
    assert terms is not None
    return terms


def _combine(op: Accumulator, carried: SSAValue) -> Operation:
    """Put the operands of `op` together with the carried value, in its place."""
    if isinstance(op, BrgemmOp):
        return _step(op, carried)
    (source,), (port,) = input_ports(op), output_ports(op)
    combined = COMBINE[op.kind.data](carried, op.operand)
    insert_before(op, combined, [port, source, port], loop_ids(op))
    op.detach()
    return combined


def _step(op: BrgemmOp, carried: SSAValue) -> Operation:
    """Add a product to the carried value."""
    (left, right), (port,), ids = input_ports(op), output_ports(op), loop_ids(op)
    if op.unfused is None:
        step = insert_before(op, FmaOp(op.lhs, op.rhs, carried), [left, right, port, port], ids)
    else:
        term = replace(port, shape=walked(op))
        product = insert_before(op, MultiplyOp(op.lhs, op.rhs), [left, right, term], ids)
        step = insert_before(op, AddOp(carried, product.results[0]), [port, term, port], ids)
    op.detach()
    return step


def _close(span: Span, last: Operation, carried: Sequence[SSAValue]) -> Operation:
    """End a loop after `last`; what reads its accumulators reads what the marker returns."""
    end = LoopEndOp(span.loops[-1], carried)
    end.location = last.location
    block = last.parent
    assert block is not None
    block.insert_op_after(end, last)
    closed: Operation = end
    for op, value in zip(span.accumulators, end.values, strict=True):
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
        begins = [_open(span) for span in plan.spans]
        combined = {
            op: _combine(op, carried)
            for span, begin in zip(plan.spans, begins, strict=True)
            for op, carried in zip(span.accumulators, begin.values, strict=True)
        }
        last: dict[Operation, Operation] = {**combined}
        for span in reversed(plan.spans):
            carried = [combined[op].results[0] for op in span.accumulators]
            last[span.last] = _close(span, last.get(span.last, span.last), carried)
        unit.set_stage("looped")
