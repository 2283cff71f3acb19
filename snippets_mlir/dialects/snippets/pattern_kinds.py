"""Pattern kinds of operator fusion, and the interface of ops that state their kind.

The numbers are TVM's: a combination of kinds is their maximum.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from enum import IntEnum, StrEnum


class PatternKind(IntEnum):
    """How the elements of an op's result depend on the elements of its operands."""

    ELEMWISE = 0
    """Each element on the same element of every operand."""
    BROADCAST = 1
    """As `ELEMWISE`, after a broadcast: axes map in order."""
    INJECTIVE = 2
    """Each element on one element of an operand, anywhere (transpose, concat, slice, ...)."""
    COMM_REDUCE = 3
    """Each element on many, by a commutative reduction (sum, max, ...)."""
    OUT_ELEMWISE_FUSABLE = 4
    """A complex op that elementwise ops after it can be fused into (convolution, matmul, ...)."""
    TUPLE = 7
    """A tuple is made."""
    OPAQUE = 8
    """Nothing is known; never fused."""

    @property
    def text(self) -> str:
        """The kind in the text of attributes and listings."""
        return self.name.lower()


class Flavor(StrEnum):
    """The TVM graph level whose rules apply where the two levels differ."""

    RELAY = "relay"
    RELAX = "relax"


class HasFusePattern(ABC):
    """Interface of ops that provide their pattern kind."""

    @abstractmethod
    def fuse_pattern(self, flavor: Flavor) -> PatternKind:
        """The kind of this op, whose operands and results are verified."""
