"""Split subgraphs that no single kernel can compute, so that each op gets its own kernel.

    %1 = snippets.subgraph (%a = %x) {
      %0 = snippets.exp %a
      %1 = snippets.transpose %0
      snippets.yield %1
    }

becomes

    %0 = snippets.subgraph (%a = %x) { exp, yield } {snippets.reason = "its subgraph was taken
                                                     apart: K5: snippets.transpose reads .."}
    %1 = snippets.subgraph (%a = %0) { transpose, yield } {snippets.reason = "its .."}

The pass runs after the data-flow passes, on the subgraphs that `convert-snippets-to-lir` turns into
kernels next, and uses that pass's rules: K1 to K8 of `analysis/graph/lowerable.py`. A single
elementwise op, reduction that keeps its dims, transpose, slice, concat or product of floats
always satisfies them.
Reshapes, squeezes and unsqueezes stay between the kernels as views, and so do constants of several
elements. Each new subgraph has the reason (`snippets.reason`), which goes to the `lir.call`, to
`snippets-opt --explain` and to the report of `snippets-run`.

Leaves a subgraph in which an op has no kernel even by itself, such as a softmax that no pass has
decomposed or an op with dynamic dims. `convert-snippets-to-lir` then reports an error with its
place. Exact. The guide has no such fallback.
"""

from dataclasses import dataclass
from typing import ClassVar

from typing_extensions import override
from xdsl.dialects.builtin import StringAttr, f32, f64
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from snippets_mlir.analysis.graph.lowerable import (
    why_no_places,
    why_no_scan,
    why_not_in_kernel,
    why_not_lowerable,
)
from snippets_mlir.dialects.builtin.shaped import tensor_of
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.concatenation import ConcatOp
from snippets_mlir.dialects.snippets.constants import ConstantOp, ScalarOp
from snippets_mlir.dialects.snippets.cumulative import CumulativeOp
from snippets_mlir.dialects.snippets.gathering import PlacesOp
from snippets_mlir.dialects.snippets.layout import TransposeOp, is_view
from snippets_mlir.dialects.snippets.product import MatMulOp
from snippets_mlir.dialects.snippets.slicing import SliceOp
from snippets_mlir.dialects.snippets.subgraph import SubgraphOp, YieldOp
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.graph.tokenize.subgraphs import make_subgraph, take_apart
from snippets_mlir.passes.patterns import Pattern, PatternPass
from snippets_mlir.support.attribute_names import REASON


def _has_kernel_alone(op: Operation) -> bool:
    """Whether `op` can be taken out of its subgraph."""
    if isinstance(op, ScalarOp | ConstantOp | YieldOp) or is_view(op):
        return True
    reason = why_not_in_kernel(op)
    if isinstance(op, TransposeOp | SliceOp):  # then a view of an input that they read
        return reason is None or reason.startswith(("K5", "K7"))
    if isinstance(op, PlacesOp):  # its operands are computed beside it
        return reason is None or why_no_places(op) is None
    if isinstance(op, ConcatOp):  # the ops beside it
        return reason is None or reason.startswith("K8")
    if isinstance(op, CumulativeOp):  # the same
        return reason is None or why_no_scan(op) is None
    if isinstance(op, MatMulOp):  # the same
        return reason is None or tensor_of(op.result).element_type in (f32, f64)
    return reason is None


def _said(op: Operation, reason: str) -> str:
    """Why `op` is a problem; the pass that left it may have a better reason."""
    own = op.attributes.get(REASON)
    return f"{reason[:2]}: {op.name}: {own.data}" if isinstance(own, StringAttr) else reason


def every_op_has_a_kernel_alone(subgraph: SubgraphOp) -> bool:
    """Each of its ops can have a kernel of its own."""
    return all(map(_has_kernel_alone, subgraph.block.ops))


class Unfuse(Pattern[SubgraphOp, StringAttr]):
    """A subgraph that cannot be one kernel is a subgraph for each op."""

    name = "unfuse"
    ops = (SubgraphOp,)
    conditions = (every_op_has_a_kernel_alone,)

    @override
    def match(self, op: SubgraphOp) -> StringAttr | None:
        found = why_not_lowerable(op)
        return found and StringAttr(f"its subgraph was taken apart: {_said(*found)}")

    def rewrite(self, op: SubgraphOp, match: StringAttr, rewriter: PatternRewriter) -> None:
        """Make a subgraph for each computing op; each has its own constants."""
        constants: list[Operation] = []
        for member in take_apart(op, rewriter):
            if isinstance(member, ScalarOp | ConstantOp):
                constants.append(member)
            elif isinstance(member, ComputeOp) and not is_view(member):
                after = member.next_op
                assert after is not None
                single = make_subgraph([member])
                single.attributes[REASON] = match
                rewriter.insert(single, InsertPoint.before(after))
        for constant in constants:
            if constant.results[0].first_use is None:
                rewriter.erase(constant)


@dataclass(frozen=True)
class SnippetsUnfuseUnlowerablePass(PatternPass):
    """Split a subgraph that cannot be one kernel into one kernel for each op."""

    name = "snippets-unfuse-unlowerable"
    STAGES: ClassVar[Stages] = Stages(("subgraphs",))
    MIXES_CLASSES: ClassVar[bool] = False
    PATTERNS = (Unfuse,)
