"""The markers of a loop that is inserted: its begin, its end, and the values that it carries."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from xdsl.ir import Operation, SSAValue

from snippets_mlir.dialects.builtin.dims import Shape
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.lir.access import input_ports, loop_ids, output_ports
from snippets_mlir.dialects.lir.brgemm import BrgemmOp, terms_shape
from snippets_mlir.dialects.lir.markers import LoopBeginOp, LoopEndOp
from snippets_mlir.dialects.lir.ports import PortDescriptor
from snippets_mlir.dialects.lir.reduction import AccumulateOp, HorizonOp, neutral
from snippets_mlir.dialects.snippets.arithmetic import AddOp, MultiplyOp
from snippets_mlir.dialects.snippets.constants import ScalarOp
from snippets_mlir.dialects.snippets.conversion import BroadcastOp
from snippets_mlir.dialects.snippets.extrema import MaximumOp, MinimumOp
from snippets_mlir.dialects.snippets.internal import FmaOp, RunningMaximumOp
from snippets_mlir.passes.lir.editing import insert_after, insert_before
from snippets_mlir.passes.lir.kernel_passes import op_text
from snippets_mlir.passes.lir.reductions import walked

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


def open_loop(span: Span) -> LoopBeginOp:
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


def combine(op: Accumulator, carried: SSAValue) -> Operation:
    """Put the operands of `op` together with the carried value, in its place."""
    if isinstance(op, BrgemmOp):
        return _step(op, carried)
    (source,), (port,) = input_ports(op), output_ports(op)
    joined = COMBINE[op.kind.data](carried, op.operand)
    insert_before(op, joined, [port, source, port], loop_ids(op))
    op.detach()
    return joined


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


def close_loop(span: Span, last: Operation, carried: Sequence[SSAValue]) -> Operation:
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
