"""The registers and slots of values and pointers, as the ports of a kernel name them.

    reg "%vec3"        an abstract register: that of a connector (lir-init-live-ranges)
    reg "vec3"         a physical one (lir-assign-registers); the files are vec, mask and gpr
    reg "vec3+vec7"    two: the value is wider than a register
    reg "slot2"        a slot of the scratchpad, 64 bytes; a wider value takes the next ones, too
    reg "vec3/slot2"   a register and the slot that it is written to, or that it is read from
    reg "vec3/again"   a register for a recomputed value; "again" is the location at its definition

A scalar's port without a register is an immediate. Ports that touch memory name general-purpose
registers. `lir.counter` on the begin marker of a loop names the register of its counter, and
`lir.auxiliary` the additional registers that an op's code needs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation

from snippets_mlir.dialects.lir.ports import PortDescriptor

AUXILIARY = "lir.auxiliary"
COUNTER = "lir.counter"
SLOT_BASE = "lir.slot_base"
SLOTS = "lir.slots"
SLOT_BYTES = 64
AGAIN = "again"

_REGISTER = re.compile(r"(vec|mask|gpr)(\d+)")
_SLOT = re.compile(r"slot(\d+)")


@dataclass(frozen=True)
class Location:
    """The location in the text of a port.

    Attributes:
        registers: physical registers, by name.
        slot: the first slot, or None.
        again: whether the value is computed again.
        abstract: the name of an abstract register, without its `%`.
    """

    registers: tuple[str, ...] = ()
    slot: int | None = None
    again: bool = False
    abstract: str | None = None

    @property
    def physical(self) -> bool:
        """Whether it names only registers of the machine."""
        return bool(self.registers) and self.slot is None and not self.again

    @property
    def file(self) -> str:
        """The file of its registers; empty if it names none."""
        match = _REGISTER.fullmatch(self.registers[0]) if self.registers else None
        return match[1] if match else ""


@lru_cache(maxsize=4096)
def location(text: str | None) -> Location | None:
    """The location that `text` names; None for empty text.

    Raises:
        ValueError: the text is not a location.
    """
    if text is None:
        return None
    if text.startswith("%") and _REGISTER.fullmatch(text[1:]):
        return Location(abstract=text[1:])
    registers, _, rest = text.partition("/")
    if (slot := _SLOT.fullmatch(text)) is not None:
        return Location(slot=int(slot[1]))
    if text == AGAIN:
        return Location(again=True)
    names = tuple(registers.split("+"))
    kinds = {match[1] if (match := _REGISTER.fullmatch(name)) else None for name in names}
    found = Location(names)
    if (slot := _SLOT.fullmatch(rest)) is not None:
        found = replace(found, slot=int(slot[1]))
    elif rest == AGAIN:
        found = replace(found, again=True)
    elif rest:
        kinds = {None}
    if None in kinds or len(kinds) != 1 or len(set(names)) != len(names):
        raise ValueError(f"expected registers as vec3, mask1+mask2 or gpr0/slot2, found {text!r}")
    return found


def with_register(port: PortDescriptor, register: str | None) -> PortDescriptor:
    """`port` with another register; the other facts are copied."""
    moved = object.__new__(PortDescriptor)
    vars(moved).update(vars(port), register=register)
    return moved


def counter_of(begin: Operation) -> str | None:
    """The register of a loop's counter, from its begin marker."""
    attr = begin.attributes.get(COUNTER)
    return attr.data if isinstance(attr, StringAttr) else None


def auxiliary_of(op: Operation) -> tuple[str, ...]:
    """The registers that the code of `op` overwrites, except the result's."""
    attr = op.attributes.get(AUXILIARY)
    return tuple(attr.data.split("+")) if isinstance(attr, StringAttr) else ()
