"""Read one element straight into a whole vector.

    %0 = lir.load %x {count = 1 : i64}
    %1 = snippets.broadcast_move %0          becomes    %1 = lir.broadcast_load %x {count = 1 : i64}

Fires only if the move is the load's single reader: otherwise the single element is needed as well.
Source: the guide's LoadMoveBroadcastToBroadcastLoad.
"""

from dataclasses import dataclass
from typing import ClassVar, cast

from typing_extensions import override
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.dialects.lir.access import input_ports, loop_ids, output_ports
from snippets_mlir.dialects.lir.memory import BroadcastLoadOp, LoadOp
from snippets_mlir.dialects.snippets.internal import BroadcastMoveOp
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.lir.editing import place
from snippets_mlir.passes.lir.kernel_passes import KernelPatternPass
from snippets_mlir.passes.patterns import Pattern


def one_loaded_element(op: BroadcastMoveOp) -> bool:
    """The element comes from a load."""
    load = op.operand.owner
    return isinstance(load, LoadOp) and load.elements == 1


def single_reader(op: BroadcastMoveOp) -> bool:
    """Nothing else reads the element."""
    return op.operand.has_one_use()


class LoadThenMove(Pattern[BroadcastMoveOp, LoadOp]):
    """The broadcast of one loaded element is a `lir.broadcast_load`."""

    name = "load-then-move"
    ops = (BroadcastMoveOp,)
    conditions = (one_loaded_element, single_reader)

    @override
    def match(self, op: BroadcastMoveOp) -> LoadOp | None:
        return cast(LoadOp, op.operand.owner)

    @override
    def rewrite(self, op: BroadcastMoveOp, match: LoadOp, rewriter: PatternRewriter) -> None:
        fused = BroadcastLoadOp(match.source, op.result.type)
        fused.set_distance(match.distance)
        ports = [input_ports(match)[0], output_ports(op)[0]]
        fused.location = op.location
        rewriter.replace(op, place(fused, ports, loop_ids(op)))
        rewriter.erase(match)


@dataclass(frozen=True)
class LirLoadMoveBroadcastToBroadcastLoadPass(KernelPatternPass):
    """Fuse a load of one element with its broadcast."""

    name = "lir-load-move-broadcast-to-broadcast-load"
    STAGES: ClassVar[Stages] = Stages(("accessed",))
    PATTERNS = (LoadThenMove,)
