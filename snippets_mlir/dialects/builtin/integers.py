"""Facts about integer types without NumPy: width, sign, limits.

Signless and `si` types are two's complement signed; `ui` types are unsigned.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from xdsl.dialects.builtin import IntegerAttr, IntegerType, Signedness
from xdsl.ir import Attribute


@dataclass(frozen=True)
class Integers:
    """Width and signedness of an integer type, and its smallest and largest value."""

    width: int
    unsigned: bool

    @property
    def smallest(self) -> int:
        """The smallest value: 0 if unsigned, else -2^(width - 1)."""
        return 0 if self.unsigned else -(1 << (self.width - 1))

    @property
    def largest(self) -> int:
        """2^width - 1 or 2^(width - 1) - 1."""
        return (1 << self.width) - 1 if self.unsigned else (1 << (self.width - 1)) - 1

    @property
    def all_bits(self) -> int:
        """The value whose bits are all set."""
        return self.largest if self.unsigned else -1


def integers_of(element_type: Attribute) -> Integers | None:
    """The integers of an integer type (i1 included), None for any other type."""
    if not isinstance(element_type, IntegerType):
        return None
    found = cast("IntegerType", element_type)
    return Integers(found.width.data, found.signedness.data is Signedness.UNSIGNED)


def integer_in(attribute: Attribute | None) -> int | None:
    """The number of an integer attribute, None for anything else."""
    return attribute.value.data if isinstance(attribute, IntegerAttr) else None


def wrapped(number: int, element: Attribute) -> int:
    """`number` as a value of an element type: integers keep the low bits."""
    if (integers := integers_of(element)) is None:
        return number
    low = number % (1 << integers.width)
    return low if low <= integers.largest else low - (1 << integers.width)
