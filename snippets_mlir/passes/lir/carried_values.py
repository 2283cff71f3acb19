"""Values that loops carry between iterations, and the ops that combine them with a value.

    %a = lir.accumulate %x {kind = "sum"}     starts from 0.0, and takes snippets.add
    %s = lir.scan %x {kind = "max", dim = 1}  starts from -inf, and takes snippets.maximum
    %p = lir.brgemm %x, %y                    starts from 0.0, and takes snippets.fma

`lir-insert-loops` puts these ops in their place.
"""

from dataclasses import replace

from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Operation, SSAValue

from snippets_mlir.dialects.builtin.dims import Shape
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.lir.access import (
    input_ports,
    loop_ids,
    output_ports,
)
from snippets_mlir.dialects.lir.brgemm import IN_ORDER, BrgemmOp, terms_shape
from snippets_mlir.dialects.lir.ports import PortDescriptor
from snippets_mlir.dialects.lir.reduction import AccumulateOp, Number, neutral
from snippets_mlir.dialects.lir.scan import LastLaneOp, ScanOp, start_of
from snippets_mlir.dialects.snippets.arithmetic import AddOp, MultiplyOp
from snippets_mlir.dialects.snippets.extrema import MaximumOp, MinimumOp
from snippets_mlir.dialects.snippets.internal import FmaOp, RunningMaximumOp
from snippets_mlir.passes.lir.editing import insert_before
from snippets_mlir.passes.lir.reductions import walked

COMBINE = {
    "sum": AddOp,
    "prod": MultiplyOp,
    "max": MaximumOp,
    "maxnum": RunningMaximumOp,
    "min": MinimumOp,
}
"""Kind of accumulator -> the op that combines it, as the first operand, with a value."""


Accumulator = AccumulateOp | BrgemmOp | ScanOp


def start_value(op: Accumulator) -> Number:
    """The value that the first iteration combines with."""
    element = tensor_of(op.result).element_type
    if isinstance(op, ScanOp):
        return start_of(op.kind.data, element)
    return neutral(op.kind.data if isinstance(op, AccumulateOp) else "sum", element)


def carried_port(op: Accumulator) -> PortDescriptor:
    """The port of the carried value of `op`: for a scan one vector or one element of it."""
    (port,) = output_ports(op)
    if not isinstance(op, ScanOp):
        return port
    place = len(port.shape) - 1 - op.dim
    size = port.lanes if op.dim == 0 else 1
    return replace(port, shape=(*port.shape[:place], size, *port.shape[place + 1 :]))


def carried_shape(op: Accumulator) -> Shape:
    """The shape of the carried value of `op`: that of the combined values."""
    if isinstance(op, AccumulateOp | ScanOp):
        return shape_of(op.result)
    terms = terms_shape(*map(shape_of, op.operands))
    assert terms is not None
    return terms


def combined_with(op: Accumulator, carried: SSAValue) -> Operation:
    """Combine the operands of `op` with the carried value, at its place."""
    if isinstance(op, BrgemmOp):
        return _step(op, carried)
    (source,), (port,), ids = input_ports(op), output_ports(op), loop_ids(op)
    combined = COMBINE[op.kind.data](carried, op.operand)
    insert_before(op, combined, [carried_port(op), source, port], ids)
    if isinstance(op, ScanOp):
        return _hand_on(op, combined)
    op.detach()
    return combined


def _hand_on(op: ScanOp, combined: Operation) -> Operation:
    """Let readers of the scan `op` read `combined`; returns the op whose result is carried."""
    value, ids = combined.results[0], loop_ids(op)
    value.name_hint = op.result.name_hint
    op.result.replace_all_uses_with(value)
    if op.prefixed is not None:
        combined = insert_before(
            op, LastLaneOp(value), [output_ports(op)[0], carried_port(op)], ids
        )
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
        step.attributes[IN_ORDER] = UnitAttr()
    op.detach()
    return step
