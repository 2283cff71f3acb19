"""Write registers on the ports of a kernel in one sweep."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.ir import Attribute, Operation

from snippets_mlir.analysis.kernels.live_ranges import LiveRanges, port_of
from snippets_mlir.dialects.lir.access import PORTS, set_port_attrs
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.markers import MARKERS, LoopBeginOp
from snippets_mlir.dialects.lir.ports import PortAttr, PortDescriptor
from snippets_mlir.dialects.lir.registers import COUNTER, with_register
from snippets_mlir.support.walking import ops_of


@dataclass(frozen=True)
class Naming:
    """The registers of a kernel's ops, by their places.

    Attributes:
        values: for each op the registers of its operands, then of its results; "" is none, and None
            stands for memory.
        pointers: the register of an access's pointer or of a loop's counter, else None.
    """

    values: tuple[tuple[str | None, ...], ...]
    pointers: tuple[str | None, ...]

    def write(self, kernel: KernelOp) -> None:
        """Write them on the ports, and registers of counters on the begin markers.

        A port with a register is made once: its key is the identity of the old port.
        """
        made: dict[tuple[int, str], tuple[PortDescriptor, PortAttr]] = {}
        for op, names, pointer in zip(
            ops_of(kernel.block), self.values, self.pointers, strict=True
        ):
            written: list[PortAttr] = []
            changed = False
            for name, attr in zip(names, _ports_of(op), strict=False):
                text = pointer if name is None else name
                if text is not None:
                    port = attr.data
                    if (found := made.get((id(port), text))) is None:
                        moved = PortAttr.of(with_register(port, text or None))
                        found = made[id(port), text] = port, moved
                    attr = found[1]
                    changed = True
                written.append(attr)
            if changed:
                set_port_attrs(op, written)
            if pointer is not None and op.name == LoopBeginOp.name:
                op.attributes[COUNTER] = StringAttr(pointer)


def naming(
    lives: LiveRanges,
    values: Iterable[tuple[str | None, ...]],
    pointers: Mapping[Operation, str],
) -> Naming:
    """The registers of the ops of `lives`, from `values` and `pointers`."""
    return Naming(tuple(values), tuple([pointers.get(op) for op in lives.body.ops]))


def _ports_of(op: Operation) -> Sequence[PortAttr]:
    """The ports of `op`; a marker's ports are those of its carried values."""
    attr: Attribute | None = op.attributes.get(PORTS)
    if attr is not None:
        return cast("ArrayAttr[PortAttr]", attr).data
    return [PortAttr.of(port_of(value)) for value in op.results] * 2 if op.name in MARKERS else ()
