"""Keep ops out of kernels if the engine that runs the rest fuses them itself.

    %0 = onnx.node "Conv"(%x, %w) {...}      %0 = onnx.node "Conv"(%x, %w) {...}
    %1 = snippets.relu %0            becomes %1 = snippets.relu %0 {snippets.skipped =
                                             "onnxruntime fuses it into Conv (conv-activation: ..."}
    %2 = snippets.exp %1                     %2 = snippets.exp %1

Between two of the engine's own ops such an op costs next to nothing. A kernel for it splits the
engine's session in two, and reads and writes the tensor once more. `profile=onnxruntime` marks the
ops that the row `onnxruntime` of the registry claims
(`targets/implementations/onnxruntime_claims.py`): those that its nodes fuse, transposes beside
them, and islands between convolutions. `profile=none` marks nothing. Marked ops run inside of the
session of their neighbours. An op that already has `snippets.skipped` keeps its text.

No pipeline has the pass by default, because `program-select-implementations` uses the same row. It
is for the caller's `mark_skipped=` and for pipelines written by hand.

Option: `force`, pairs `PATTERN:KIND` as in `program-select-implementations`. If the kind is
`snippets`, the profile does not mark ops with matching names. With another kind these ops are
marked, so that they become nodes of their own.

Refuses an unknown profile or kind. Source: the guide's SkippedByPlugin.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from typing_extensions import override
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation

from snippets_mlir.passes.building.left_out import LeftOut, left_out
from snippets_mlir.passes.graph.graph_passes import GraphPlanPass
from snippets_mlir.support.diagnostics import close_match
from snippets_mlir.support.errors import CompileError
from snippets_mlir.targets.implementations import claimed

PROFILES: dict[str, Callable[[Sequence[Operation]], Mapping[Operation, str]]] = {
    "none": lambda _: {},
    "onnxruntime": claimed,
}


@dataclass(frozen=True)
class SnippetsMarkSkippedPass(GraphPlanPass[LeftOut]):
    """Mark ops that the engine of the rest fuses itself."""

    name = "snippets-mark-skipped"

    profile: str = "onnxruntime"
    force: str = ""

    @override
    def units(self, module: ModuleOp) -> Iterable[Block]:
        if self.profile not in PROFILES:
            hint = close_match(self.profile, list(PROFILES))
            raise CompileError(f"unknown profile '{self.profile}'{hint}")
        return super().units(module)

    def plan(self, unit: Block) -> LeftOut:
        """The ops that the profile leaves to the engine, and the forced ones."""
        ops = list(unit.ops)
        return left_out(ops, PROFILES[self.profile](ops), self.force)

    def carry_out(self, unit: Block, plan: LeftOut) -> None:
        """Write the reasons on the ops."""
        plan.mark()
