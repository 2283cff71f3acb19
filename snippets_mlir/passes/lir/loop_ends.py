"""The ends of a kernel's loops before there are markers, kept up to date as ops are inserted."""

from collections.abc import Sequence

from xdsl.ir import Operation

from snippets_mlir.dialects.lir.access import loop_ids
from snippets_mlir.dialects.lir.ports import PortDescriptor
from snippets_mlir.passes.lir.editing import insert_after


class LoopEnds:
    """The last op of each loop."""

    def __init__(self, ops: Sequence[Operation]) -> None:
        self._last: dict[tuple[int, ...], Operation] = {}
        for op in ops:
            ids = loop_ids(op)
            for depth in range(1, len(ids) + 1):
                self._last[ids[:depth]] = op

    def of(self, loops: tuple[int, ...]) -> Operation:
        """The op after which the innermost of `loops` ends."""
        return self._last[loops]

    def insert_after(
        self,
        anchor: Operation,
        op: Operation,
        ports: Sequence[PortDescriptor],
        loops: tuple[int, ...],
    ) -> None:
        """Insert the new `op` after `anchor` with its ports and loops."""
        insert_after(anchor, op, ports, loops)
        for depth in range(1, len(loops) + 1):
            if self._last.get(loops[:depth]) is anchor:
                self._last[loops[:depth]] = op
