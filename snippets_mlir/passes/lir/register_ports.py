"""Writing registers on the ports of a kernel, in one sweep."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias, cast

from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.ir import Attribute, Operation

from snippets_mlir.analysis.live_ranges import MARKERS, LiveRange, LiveRanges, port_of
from snippets_mlir.dialects.lir.access import PORTS
from snippets_mlir.dialects.lir.attributes import PortAttr, PortDescriptor
from snippets_mlir.dialects.lir.markers import LoopBeginOp
from snippets_mlir.dialects.lir.registers import COUNTER, with_register

Elsewhere: TypeAlias = Callable[[LiveRange, int, bool], str | None]
"""Where a range without a register of its own is at a position, and whether it is defined there."""


def write_registers(
    lives: LiveRanges,
    registers: Mapping[LiveRange, str],
    pointers: Mapping[Operation, str],
    elsewhere: Elsewhere | None = None,
) -> None:
    """Write the registers of values and pointers on the ports of all ops.

    A port at a register is made once: its key is the identity of the port that it was.

    Args:
        lives: the live ranges; its body has the new ports then.
        registers: those of the values.
        pointers: that of the pointer of each access, and of the counter of each loop, which is
            written on its begin marker.
        elsewhere: asked for values that are not in `registers`.
    """
    body = lives.body
    made: dict[tuple[int, str | None], tuple[PortDescriptor, PortAttr]] = {}
    for at, (op, row) in enumerate(zip(body.ops, lives.rows, strict=True)):
        written: list[PortAttr] = []
        for index, (r, attr) in enumerate(zip(row, _ports_of(op, body.ports[at]), strict=False)):
            if r is not None:
                text = registers.get(r)
                if text is None and elsewhere is not None:
                    text = elsewhere(r, at, index >= len(body.operands[at]))
            elif op in pointers:
                text = pointers[op]
            else:
                written.append(attr)
                continue
            port = attr.data
            found = made.get((id(port), text))
            if found is None:
                found = made[id(port), text] = port, PortAttr(with_register(port, text))
            written.append(found[1])
        if written:
            op.attributes[PORTS] = body.ports[at] = ArrayAttr(written)
    for op, text in pointers.items():
        if op.name == LoopBeginOp.name:
            op.attributes[COUNTER] = StringAttr(text)


def _ports_of(op: Operation, attr: Attribute | None) -> Sequence[PortAttr]:
    """The ports of `op`; those of what a marker carries are those of the values."""
    if attr is not None:
        return cast("ArrayAttr[PortAttr]", attr).data
    return [PortAttr(port_of(value)) for value in op.results] * 2 if op.name in MARKERS else ()
