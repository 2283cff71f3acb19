"""Rows of the tables of ops that onnxruntime fuses into one node."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.ir import Operation


@dataclass(frozen=True)
class Joined:
    """A row of `JOINED`: two ops that become one node.

    Attributes:
        fusion: the class in onnxruntime that does it.
        before, after: the names of the ops, without the dialect.
        holds: a further condition on the two.
    """

    fusion: str
    before: str
    after: str
    holds: Callable[[Operation, Operation], bool]

    def __str__(self) -> str:
        return f"{self.before} + {self.after}: {self.fusion}"


@dataclass(frozen=True)
class Chain:
    """A row of `CHAINS`: ops, each of which reads the previous one.

    Attributes:
        fusion: the class in onnxruntime that does it.
        operator: the node that it makes.
        ops: their names, without the dialect.
        holds: a further condition on them.
    """

    fusion: str
    operator: str
    ops: tuple[str, ...]
    holds: Callable[[Sequence[Operation]], bool] = lambda _: True

    def __str__(self) -> str:
        return f"{', '.join(self.ops)}: {self.fusion}"
