"""Take subgraphs apart that no single kernel can compute: every op gets a kernel of its own.

    %1 = snippets.subgraph (%a = %x) {
      %0 = snippets.exp %a
      %1 = snippets.transpose %0
      snippets.yield %1
    }

becomes

    %0 = snippets.subgraph (%a = %x) { exp, yield } {snippets.reason = "its subgraph was taken
                                                     apart: K5: snippets.transpose reads .."}
    %1 = snippets.subgraph (%a = %0) { transpose, yield } {snippets.reason = "its .."}

It runs after the data-flow passes, on what `convert-snippets-to-lir` is about to turn into
kernels. The rules are those of that pass: K1 to K5 of `analysis/lowerable.py`. Alone, an
element-wise op, a reduction that keeps its dims and a transpose always satisfy them. Reshapes,
squeezes and unsqueezes stay between the kernels as views, and so do constants of several elements.
The reason is on each of the new subgraphs (`snippets.reason`); it goes to the `lir.call`, to
`snippets-opt --explain` and to the report of `snippets-run`.

Left alone is a subgraph in which an op has no kernel even by itself, as a softmax that no pass has
decomposed or an op with dynamic dims: that is an error of `convert-snippets-to-lir`, which says
where. Exact. Source: the guide has no such fallback (reference 8, places to be better, 3).
"""

from dataclasses import dataclass

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation
from xdsl.rewriter import InsertPoint, Rewriter

from snippets_mlir.analysis.eligibility import REASON
from snippets_mlir.analysis.lowerable import why_not_in_kernel, why_not_lowerable
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.constants import ConstantOp, ScalarOp
from snippets_mlir.dialects.snippets.layout import TransposeOp, is_view
from snippets_mlir.dialects.snippets.subgraph import SubgraphOp, YieldOp
from snippets_mlir.passes.graph.graph_passes import SubgraphPlanPass
from snippets_mlir.passes.graph.tokenize.subgraphs import make_subgraph, take_apart


@dataclass(frozen=True)
class Unfusing:
    """Why a subgraph is taken apart; None when it is not."""

    reason: str | None

    def __str__(self) -> str:
        return self.reason or "its subgraph stays"


def _has_kernel_alone(op: Operation) -> bool:
    """Whether `op` can be taken out of its subgraph."""
    if isinstance(op, ScalarOp | ConstantOp | YieldOp) or is_view(op):
        return True
    if isinstance(op, TransposeOp):
        reason = why_not_in_kernel(op)
        return reason is None or reason.startswith("K5")
    return why_not_in_kernel(op) is None


def _said(op: Operation, reason: str) -> str:
    """Why `op` is a problem; the pass that left it may have said it better."""
    own = op.attributes.get(REASON)
    return f"{reason[:2]}: {op.name}: {own.data}" if isinstance(own, StringAttr) else reason


@dataclass(frozen=True)
class SnippetsUnfuseUnlowerablePass(SubgraphPlanPass[Unfusing]):
    """Give the ops of a subgraph that cannot be one kernel a kernel each."""

    name = "snippets-unfuse-unlowerable"

    def plan(self, unit: SubgraphOp) -> Unfusing:
        """Why the subgraph is no kernel, if all of its ops have one alone."""
        found = why_not_lowerable(unit)
        if found is None or not all(map(_has_kernel_alone, unit.block.ops)):
            return Unfusing(None)
        return Unfusing(f"its subgraph was taken apart: {_said(*found)}")

    def carry_out(self, unit: SubgraphOp, plan: Unfusing) -> None:
        """Make a subgraph of each op that computes."""
        if plan.reason is None:
            return
        constants: list[Operation] = []
        for op in take_apart(unit):
            if isinstance(op, ScalarOp | ConstantOp):
                constants.append(op)
            elif isinstance(op, ComputeOp) and not is_view(op):
                after = op.next_op
                assert after is not None
                single = make_subgraph([op])
                single.attributes[REASON] = StringAttr(plan.reason)
                Rewriter.insert_op(single, InsertPoint.before(after))
        for op in constants:
            if op.results[0].first_use is None:
                Rewriter.erase_op(op)
