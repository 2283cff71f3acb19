"""Reading and writing the attributes that every op of a kernel carries.

`lir.loops` is `array<i64: ids>`, outermost first; `lir.ports` is an array of one `#lir.port` per
operand, then per result.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from struct import pack
from typing import cast

from xdsl.dialects.builtin import ArrayAttr, BytesAttr, DenseArrayBase, i64
from xdsl.ir import Attribute, Operation, OpResult, SSAValue

from snippets_mlir.dialects.builtin.dims import Dim
from snippets_mlir.dialects.lir.ports import PortAttr, PortDescriptor
from snippets_mlir.dialects.snippets.slicing import SliceOp
from snippets_mlir.support.walking import operands_of

LOOPS = "lir.loops"
PORTS = "lir.ports"
ACCUMULATORS = frozenset({"lir.accumulate", "lir.brgemm"})
VIEWS = frozenset(
    {"snippets.reshape", "snippets.slice", "snippets.transpose", "lir.panels", "lir.part"}
)


_DESCRIPTORS = "descriptors"
"""The attribute in which an immutable array of ports caches its descriptors."""

_IDS = "ids"
"""The attribute in which an immutable array of ids caches them."""


@lru_cache(maxsize=4096)
def _loops_attr(ids: tuple[int, ...]) -> DenseArrayBase:
    return DenseArrayBase(i64, BytesAttr(pack(f"<{len(ids)}q", *ids)))


def loop_ids(op: Operation) -> tuple[int, ...]:
    """Ids of the loops around `op`, outermost first."""
    attr = op.attributes.get(LOOPS)
    if attr is None:
        return ()
    known = vars(attr)
    found: tuple[int, ...] | None = known.get(_IDS)
    if found is None:
        if not isinstance(attr, DenseArrayBase):
            return ()
        found = known[_IDS] = tuple(cast("Sequence[int]", attr.get_values()))
    return found


def set_loop_ids(op: Operation, ids: Sequence[int]) -> None:
    """Write the ids of the loops around `op`."""
    op.attributes[LOOPS] = _loops_attr(tuple(ids))


def ports(op: Operation) -> tuple[PortDescriptor, ...]:
    """The ports of `op`: operands, then results."""
    attr = op.attributes.get(PORTS)
    if attr is None:
        return ()
    known = vars(attr)
    found: tuple[PortDescriptor, ...] | None = known.get(_DESCRIPTORS)
    if found is None:
        if not isinstance(attr, ArrayAttr):
            return ()
        read = tuple([port.data for port in cast("ArrayAttr[PortAttr]", attr).data])
        found = known[_DESCRIPTORS] = read
    return found


def set_ports(op: Operation, descriptors: Sequence[PortDescriptor]) -> None:
    """Write the ports of `op`: operands, then results."""
    made: dict[int, PortAttr] = {}  # a store that is joined to a result adds one port to many
    written: list[PortAttr] = []
    for port in descriptors:
        if (attr := made.get(id(port))) is None:
            attr = made[id(port)] = PortAttr.of(port)
        written.append(attr)
    set_port_attrs(op, written)


def set_port_attrs(op: Operation, written: Sequence[PortAttr]) -> None:
    """Write the ports of `op`, which are attributes already; xDSL would check the array."""
    array: ArrayAttr[Attribute] = ArrayAttr.__new__(ArrayAttr)
    vars(array)["data"] = tuple(written)
    op.attributes[PORTS] = array


def input_ports(op: Operation) -> tuple[PortDescriptor, ...]:
    """The ports of the operands, in their order."""
    return ports(op)[: len(operands_of(op))]


def output_ports(op: Operation) -> tuple[PortDescriptor, ...]:
    """The ports of the results, in their order."""
    return ports(op)[len(operands_of(op)) :]


def is_view(op: Operation) -> bool:
    """Whether `op` is a view of an array under another shape: it is in no loop and emits no
    code.
    """
    return op.name in VIEWS


def view_source(value: SSAValue) -> SSAValue:
    """The array under all views: a kernel's argument, a buffer, or the target of a store."""
    while isinstance(value, OpResult) and is_view(value.op):
        value = operands_of(value.op)[0]
    return value


def users_through_views(value: SSAValue) -> Iterator[Operation]:
    """The ops, except views, that use an array or a view of it."""
    for use in value.uses:
        if is_view(use.operation):
            yield from users_through_views(use.operation.results[0])
        else:
            yield use.operation


def place_in_view(value: SSAValue) -> Dim:
    """The distance in elements from the start of an array to the start of a view of it."""
    owner = value.owner
    if isinstance(owner, Operation) and owner.name == "snippets.transpose":
        owner = operands_of(owner)[0].owner
    return owner.offset() if isinstance(owner, SliceOp) else 0


def is_array(value: SSAValue) -> bool:
    """Whether `value` is memory that has to be loaded: an argument or buffer, or a view of one."""
    source = view_source(value)
    return not isinstance(source, OpResult) or source.op.name == "lir.buffer"


def scope(value: OpResult) -> tuple[int, ...]:
    """The loops in which the result of an op is defined.

    They are the op's loops; an accumulator's result is defined after its innermost loop.
    """
    ids = loop_ids(value.op)
    return ids[:-1] if value.op.name in ACCUMULATORS else ids


def port_of_result(value: SSAValue) -> PortDescriptor | None:
    """The port of the op result `value`; None for a kernel's argument."""
    if not isinstance(value, OpResult):
        return None
    return output_ports(value.op)[value.index]
