"""Put each immediate before the first op that reads it.

    %c = snippets.scalar 2.0                           %0 = snippets.exp %a {lir.loops = 0, 1}
    %0 = snippets.exp %a     {lir.loops = 0, 1}        %c = snippets.scalar 2.0 {lir.loops = 0, 1}
    %1 = snippets.add %0, %c {lir.loops = 0, 1}  becomes  %1 = snippets.add %0, %c {...}

It takes the loops that all its readers share, and moves before the first op of the first reader's
next loop, so that it occupies a register for a short time. An immediate that no op reads, or that
only results read, stays. Source: the guide's MoveScalarToConsumer.
"""

from dataclasses import dataclass
from typing import ClassVar

from typing_extensions import override
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from snippets_mlir.dialects.lir.access import LOOPS, loop_ids, set_loop_ids
from snippets_mlir.dialects.snippets.constants import ScalarOp
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.lir.kernel_passes import KernelPatternPass
from snippets_mlir.passes.lir.readers import shared_loops
from snippets_mlir.passes.patterns import Pattern
from snippets_mlir.support.walking import ops_inside


class MoveToReader(Pattern[ScalarOp, tuple[Operation, tuple[int, ...]]]):
    """An immediate goes before its first reader, in the loops that all readers share."""

    name = "move-to-reader"
    ops = (ScalarOp,)

    def __init__(
        self, places: dict[Operation, int], first: dict[tuple[int, ...], Operation]
    ) -> None:
        self.places = places
        """The place of each op that is no immediate."""
        self.first = first
        """The first such op in each path of loops."""

    def match(self, op: ScalarOp) -> tuple[Operation, tuple[int, ...]] | None:
        """The op that it moves before, and its loops there."""
        readers = [use.operation for use in op.result.uses if LOOPS in use.operation.attributes]
        if not readers:
            return None
        readers.sort(key=self.places.__getitem__)
        around = [loop_ids(reader) for reader in readers]
        loops = shared_loops(around[0], around[1:])
        deeper = around[0][: len(loops) + 1]
        return readers[0] if deeper == loops else self.first[deeper], loops

    @override
    def rewrite(
        self, op: ScalarOp, match: tuple[Operation, tuple[int, ...]], rewriter: PatternRewriter
    ) -> None:
        anchor, loops = match
        op.detach()
        rewriter.insert(op, InsertPoint.before(anchor))
        set_loop_ids(op, loops)


@dataclass(frozen=True)
class LirMoveScalarToConsumerPass(KernelPatternPass):
    """Move immediates to their readers."""

    name = "lir-move-scalar-to-consumer"
    STAGES: ClassVar[Stages] = Stages(("accessed",))
    PATTERNS = (MoveToReader,)

    def facts(
        self, root: Operation
    ) -> tuple[dict[Operation, int], dict[tuple[int, ...], Operation]]:
        """The order of the ops, which immediates do not change."""
        ops = (op for op in ops_inside(root) if not isinstance(op, ScalarOp))
        places = {op: place for place, op in enumerate(ops)}
        first = {
            ids[:depth]: op
            for op in reversed(places)
            if (ids := loop_ids(op))
            for depth in range(1, len(ids) + 1)
        }
        return places, first
