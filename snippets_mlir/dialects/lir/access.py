"""Reading and writing the attributes that every op of a kernel carries.

`lir.loops` is `array<i64: ids>`, outermost first; `lir.ports` is an array of one `#lir.port` per
operand, then per result.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import cast

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, i64
from xdsl.ir import Operation, OpResult, SSAValue

from snippets_mlir.dialects.lir.attributes import PortAttr, PortDescriptor

LOOPS = "lir.loops"
PORTS = "lir.ports"


@cache
def _loops_attr(ids: tuple[int, ...]) -> DenseArrayBase:
    return DenseArrayBase.from_list(i64, list(ids))


def loop_ids(op: Operation) -> tuple[int, ...]:
    """Ids of the loops around `op`, outermost first."""
    attr = op.attributes.get(LOOPS)
    return (
        tuple(cast("Sequence[int]", attr.get_values())) if isinstance(attr, DenseArrayBase) else ()
    )


def set_loop_ids(op: Operation, ids: Sequence[int]) -> None:
    """Write the ids of the loops around `op`."""
    op.attributes[LOOPS] = _loops_attr(tuple(ids))


def ports(op: Operation) -> tuple[PortDescriptor, ...]:
    """The ports of `op`: operands, then results."""
    attr = op.attributes.get(PORTS)
    if not isinstance(attr, ArrayAttr):
        return ()
    return tuple(port.data for port in cast("ArrayAttr[PortAttr]", attr))


def set_ports(op: Operation, descriptors: Sequence[PortDescriptor]) -> None:
    """Write the ports of `op`: operands, then results."""
    op.attributes[PORTS] = ArrayAttr([PortAttr(d) for d in descriptors])


def input_ports(op: Operation) -> tuple[PortDescriptor, ...]:
    """One port per operand."""
    return ports(op)[: len(op.operands)]


def output_ports(op: Operation) -> tuple[PortDescriptor, ...]:
    """One port per result."""
    return ports(op)[len(op.operands) :]


def port_of_result(value: SSAValue) -> PortDescriptor | None:
    """The port of the op result `value`; None for a kernel's argument."""
    if not isinstance(value, OpResult):
        return None
    return output_ports(value.op)[value.index]
