"""Shared by the programs of one template: the table, and networks that no call runs."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from snippets_mlir.runtime.memory.pool import KEPT
from snippets_mlir.runtime.memory.scratch import ALIGNMENT
from snippets_mlir.runtime.steps.table import Table

if TYPE_CHECKING:
    from snippets_mlir.runtime.network import Network
    from snippets_mlir.runtime.program import Program


def bytes_of(network: Network) -> int:
    """The memory of the arena of a network."""
    return network.block[1].nbytes - ALIGNMENT


@dataclass
class SharedNetworks:
    """See the module.

    Attributes:
        table: made by the first program that needs it.
        idle: networks that no call runs; safe to use from several threads.
        ran: whether one of the programs has run: their very first call needs no stub.
    """

    table: Table | None = None
    idle: deque[Network] = field(default_factory=lambda: deque(maxlen=KEPT))
    ran: bool = False

    def table_of(self, program: Program) -> Table:
        """The table of the networks of one of the programs."""
        if (found := self.table) is None:
            found = self.table = Table(program)
        return found

    def take(self) -> Network | None:
        """An idle network, which now belongs to the caller; None: there is none."""
        try:
            return self.idle.pop()
        except IndexError:
            return None

    def give_back(self, network: Network) -> None:
        """Return a network for another call."""
        self.idle.append(network)

    def idle_bytes(self) -> int:
        """The memory of the networks that no call runs."""
        return sum(map(bytes_of, [*self.idle]))
