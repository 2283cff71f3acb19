"""What the cost model knows of a graph for calls of all sizes.

    %0 = onnx.node "Conv"(%x, %w)      an image, in the engine's blocked layout
    %1 = snippets.exp %0               lives until the Conv has read it
    %2 = onnx.node "Conv"(%1, %w)      one change from a kernel to a session

No size is read. So the estimates of a plan for smaller and smaller calls (`least_work.py` of the
driver) share one walk of the graph.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

from xdsl.ir import Block, Operation, SSAValue

from snippets_mlir.analysis.engine.crossing import Lives, is_computed, needs_no_session
from snippets_mlir.analysis.engine.images import images_of
from snippets_mlir.analysis.engine.session_changes import Turns


@dataclass(frozen=True, eq=False)
class GraphFacts:
    """A graph that does not change.

    Attributes:
        block: its ops.
        elsewhere: the ops that neither kernels nor the engine run.
    """

    block: Block
    elsewhere: Collection[Operation] = ()

    @cached_property
    def lives(self) -> Lives:
        """How long the values of the graph live."""
        return Lives.of(self.block)

    @cached_property
    def unread(self) -> frozenset[Operation]:
        """Ops that no output depends on.

        Examples are nodes for a shape that the import knows: neither kernels nor the engine run
        them.
        """
        found: set[Operation] = set()
        for op in reversed(self.block.ops):
            readers = (use.operation for result in op.results for use in result.uses)
            if op.results and all(reader in found for reader in readers):
                found.add(op)
        return frozenset(found)

    @cached_property
    def turns(self) -> Turns:
        """What the turns of kernels and sessions depend on."""
        return Turns.of(self.block, self._is_in_no_session)

    @cached_property
    def images(self) -> frozenset[SSAValue]:
        """The values that the engine keeps in its blocked layout."""
        return images_of(self.block.ops)

    def _is_in_no_session(self, op: Operation) -> bool:
        """Whether an op that no kernel computes needs no session either."""
        nowhere = op in self.elsewhere or op in self.unread
        return nowhere or needs_no_session(op) or not any(map(is_computed, op.results))
