"""Facts about the reductions of a kernel, read from ports."""

from __future__ import annotations

from xdsl.ir import Operation

from snippets_mlir.analysis.lowerable import REDUCTIONS
from snippets_mlir.dialects.lir.access import input_ports, output_ports


def reduced_dims(op: Operation) -> tuple[int, ...]:
    """Dims, as indices into the ports' shape, over which the reduction `op` works.

    They are those of which it has one element left; a dim of size 1 has nothing to reduce. Empty
    for any other op.
    """
    if op.name not in REDUCTIONS:
        return ()
    source, target = input_ports(op)[0].shape, output_ports(op)[0].shape
    return tuple(d for d, (a, b) in enumerate(zip(source, target, strict=True)) if a != b)
