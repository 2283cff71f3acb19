"""Facts about the reductions and scans of a kernel, read from ports."""

from __future__ import annotations

from xdsl.ir import Operation

from snippets_mlir.analysis.graph.lowerable import REDUCTIONS
from snippets_mlir.dialects.builtin.dims import Shape
from snippets_mlir.dialects.lir.access import input_ports, output_ports
from snippets_mlir.dialects.lir.brgemm import BrgemmOp
from snippets_mlir.dialects.lir.scan import ScanOp
from snippets_mlir.dialects.snippets.shapes import broadcast_shapes


def reduced_dims(op: Operation) -> tuple[int, ...]:
    """The dims, as indices into the ports' shape, that the reduction `op` reduces.

    The result has one element in these dims; a dim of size 1 has nothing to reduce. Empty for any
    other op.
    """
    if op.name not in REDUCTIONS and not isinstance(op, BrgemmOp):
        return ()
    source, target = walked(op), output_ports(op)[0].shape
    return tuple(d for d, (a, b) in enumerate(zip(source, target, strict=True)) if a != b)


def ordered_dims(op: Operation) -> tuple[int, ...]:
    """The dims, as indices into the ports' shape, whose loops run in order.

    `op` carries its combined value from one iteration to the next.

    They are the dims of a reduction, and the dim of a scan.
    """
    if isinstance(op, ScanOp):
        return (len(output_ports(op)[0].shape) - 1 - op.dim,)
    return reduced_dims(op)


def walked(op: Operation) -> Shape:
    """The shape that the loops around `op` walk: a reduction walks its operand, or all terms."""
    if isinstance(op, BrgemmOp):
        terms = broadcast_shapes(*(port.shape for port in input_ports(op)))
        assert terms is not None
        return terms
    return (input_ports(op) if op.name in REDUCTIONS else output_ports(op))[0].shape
