"""The time of a chain of elementwise nodes within a session of the engine.

    Add, Clip, Mul, Div on blocked images; a kernel saves 2 changes of layout

Without a kernel these are 4 nodes, each of which reads an image and writes one, and 2 changes of
layout. With a kernel they are one node, which takes as long as the last of the 4 nodes.
"""

from __future__ import annotations

from dataclasses import dataclass

from snippets_mlir.analysis.engine.costs import EngineCosts


@dataclass(frozen=True)
class ChainWork:
    """A chain in one call.

    Attributes:
        nodes: the number of the engine's nodes for it.
        vanishing: the number of changes of layout that a kernel saves.
        touched: the bytes of one of its tensors.
        threads: of the session.
        costs: the machine's.
    """

    nodes: int
    vanishing: int
    touched: int
    threads: int
    costs: EngineCosts

    @property
    def engine(self) -> float:
        """Nanoseconds of its nodes and of the changes of layout that vanish."""
        layout = self.costs.node + self._shared(self.touched * self.costs.layout_byte)
        return self.nodes * self.inside + self.vanishing * layout

    @property
    def inside(self) -> float:
        """Nanoseconds of the single node that calls a kernel."""
        return self.costs.node + self._shared(2 * self.touched * self.costs.cached_byte)

    def _shared(self, work: float) -> float:
        """The time of one thread's work, which the engine shares if that pays off."""
        return work / self.threads if work >= self.costs.parallel_from else work
