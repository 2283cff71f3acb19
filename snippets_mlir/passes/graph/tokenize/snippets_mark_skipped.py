"""Keep ops out of kernels that the engine which runs the rest fuses itself.

    %0 = onnx.node "Conv"(%x, %w) {...}      %0 = onnx.node "Conv"(%x, %w) {...}
    %1 = snippets.relu %0            becomes %1 = snippets.relu %0 {snippets.skipped =
                                             "onnxruntime fuses it into Conv (conv-activation: ..."}
    %2 = snippets.exp %1                     %2 = snippets.exp %1

Between two of the engine's own ops such an op costs next to nothing, while a kernel for it cuts the
engine's session in two and reads and writes the tensor once more. With `profile=onnxruntime` the
rules are the table of `onnxruntime_rules.py`, and `lone-transpose`: a transpose beside a node that
no op in a kernel reads is moved by the engine, which does it in blocks; and `island`: elementwise
ops between convolutions stay there when a kernel would save less time than the session's cut costs
(the model is in `onnxruntime_islands.py`). `profile=none` marks nothing. Marked ops run inside of
the session of their neighbours. An op that has `snippets.skipped` already keeps its text.

Option: `force`, pairs `PATTERN:KIND` as of `program-select-implementations`: ops whose names match
are marked if the kind is another than `snippets`, so that they become nodes of their own, and not
marked by the profile if it is `snippets`.

Refuses an unknown profile or kind. Source: the guide's SkippedByPlugin.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from typing_extensions import override
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Block, Operation

from snippets_mlir.analysis.eligibility import SKIPPED
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.passes.building.forcing import forced_ops
from snippets_mlir.passes.building.graph import op_text
from snippets_mlir.passes.graph.graph_passes import GraphPlanPass
from snippets_mlir.passes.graph.tokenize.onnxruntime_islands import Costs, plan_islands
from snippets_mlir.passes.graph.tokenize.onnxruntime_plan import Mark, plan_marks
from snippets_mlir.support.diagnostics import close_match
from snippets_mlir.support.errors import CompileError


def _plan_for_onnxruntime(ops: Sequence[Operation]) -> list[Mark]:
    """What joins the engine's fusions, and the islands between what is then in the engine."""
    marks = plan_marks(ops)
    costs = Costs()
    islands = plan_islands(ops, {mark.op for mark in marks}, costs)
    return [*marks, *(Mark(op, i.reason(costs)) for i in islands for op in i.ops)]


KERNEL = "snippets"
"""The kind of implementation that is a kernel of ours."""

PROFILES: dict[str, Callable[[Sequence[Operation]], list[Mark]]] = {
    "none": lambda _: [],
    "onnxruntime": _plan_for_onnxruntime,
}


@dataclass(frozen=True)
class Marks:
    """The ops of a block that are left to the engine."""

    marks: tuple[Mark, ...]

    def __str__(self) -> str:
        lines = [f"{op_text(mark.op)}: {mark.reason}" for mark in self.marks]
        return "\n".join(lines) or "the engine fuses nothing"


@dataclass(frozen=True)
class SnippetsMarkSkippedPass(GraphPlanPass[Marks]):
    """Mark what the engine that runs the rest fuses itself."""

    name = "snippets-mark-skipped"

    profile: str = "onnxruntime"
    force: str = ""

    @override
    def units(self, module: ModuleOp) -> Iterable[Block]:
        if self.profile not in PROFILES:
            hint = close_match(self.profile, list(PROFILES))
            raise CompileError(f"unknown profile '{self.profile}'{hint}")
        return super().units(module)

    def plan(self, unit: Block) -> Marks:
        """What the profile leaves to the engine, and what is forced."""
        computing = [op for op in unit.ops if isinstance(op, ComputeOp)]
        forced = forced_ops(computing, self.force)
        marks = [m for m in PROFILES[self.profile](list(unit.ops)) if m.op not in forced]
        apart = [Mark(op, f"{kind} is forced") for op, kind in forced.items() if kind != KERNEL]
        return Marks((*marks, *apart))

    def carry_out(self, unit: Block, plan: Marks) -> None:
        """Write the reasons on the ops."""
        for mark in plan.marks:
            mark.op.attributes.setdefault(SKIPPED, StringAttr(mark.reason))
