"""Take apart the subgraphs that no kernel can compute, so that their ops still run.

    %1 = snippets.subgraph (%a = %x, ..)    %0 = onnx.node "Conv"(%x, ..) {snippets.reason =
             {sym_name = "fused_conv_relu"} {        "group @fused_conv_relu: as a whole in .."}
      %0 = onnx.node "Conv"(%a, ..) becomes %1 = snippets.relu %0 {snippets.skipped =
      %1 = snippets.relu %0                          "group @fused_conv_relu: as a whole in .."}
      snippets.yield %1
    }

A subgraph stays if every op in it has a kernel (`analysis/graph/eligibility.py`), or is a reshape,
squeeze or unsqueeze beside such ops: `snippets-eliminate-reshapes` turns those into views of inputs
and outputs, and `snippets-unfuse-unlowerable` handles the ones that it refuses. Otherwise the ops
go back to the place of the subgraph:

* as a whole, if onnxruntime knows every op: the computing ops are marked `snippets.skipped`, so
  that they run in one session with the ONNX nodes;
* op by op, otherwise: the ONNX nodes run in onnxruntime, and `snippets-tokenize` takes the ops that
  have kernels.

Ops in no kernel get `snippets.reason`, with the name of their group. Outside of subgraphs, known
tuple fields become values, and `snippets.stop_fusion` disappears.
"""

from dataclasses import dataclass
from typing import ClassVar

from typing_extensions import override
from xdsl.dialects.builtin import StringAttr
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.fusion import StopFusionOp, TupleGetOp, TupleOp
from snippets_mlir.dialects.snippets.subgraph import SubgraphOp
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.building.graph import outside_of_subgraphs
from snippets_mlir.passes.graph.tokenize.subgraphs import take_apart
from snippets_mlir.passes.graph.tokenize.unwrapping import Unwrapping, unwrapping_of
from snippets_mlir.passes.patterns import Pattern, PatternPass
from snippets_mlir.support.attribute_names import REASON, SKIPPED


def _erase_unread(value: SSAValue, rewriter: PatternRewriter) -> None:
    """Erase a dead tuple, and the tuples in it that become dead."""
    op = value.owner
    if isinstance(op, TupleOp) and value.first_use is None:
        fields = list(op.fields_)
        rewriter.erase(op)
        for field in dict.fromkeys(fields):
            _erase_unread(field, rewriter)


class Unwrap(Pattern[SubgraphOp, Unwrapping]):
    """A subgraph that no kernel can compute is its ops."""

    name = "unwrap"
    ops = (SubgraphOp,)
    conditions = (outside_of_subgraphs,)

    def match(self, op: SubgraphOp) -> Unwrapping | None:
        """Why no kernel can compute it."""
        return unwrapping_of(op)

    def rewrite(self, op: SubgraphOp, match: Unwrapping, rewriter: PatternRewriter) -> None:
        """Replace it by its ops with their reasons; tuples may lose their last reader."""
        inputs = list(op.inputs)
        take_apart(op, rewriter)
        for value in dict.fromkeys(inputs):
            _erase_unread(value, rewriter)
        for member, reason in match.reasons:
            if match.as_whole and isinstance(member, ComputeOp):
                member.attributes.setdefault(SKIPPED, StringAttr(reason))
            member.attributes[REASON] = StringAttr(reason)


class NoStop(Pattern[StopFusionOp, SSAValue]):
    """`stop_fusion(x)` is `x`."""

    name = "no-stop"
    ops = (StopFusionOp,)
    conditions = (outside_of_subgraphs,)

    @override
    def match(self, op: StopFusionOp) -> SSAValue:
        return op.operand

    @override
    def rewrite(self, op: StopFusionOp, match: SSAValue, rewriter: PatternRewriter) -> None:
        rewriter.replace(op, [], [match])
        _erase_unread(match, rewriter)


class FieldOfTuple(Pattern[TupleGetOp, SSAValue]):
    """Field i of `tuple(x0, x1, ..)` is `xi`."""

    name = "field-of-tuple"
    ops = (TupleGetOp,)
    conditions = (outside_of_subgraphs,)

    def match(self, op: TupleGetOp) -> SSAValue | None:
        """The known field of a tuple."""
        source = op.tuple.owner
        return source.fields_[op.index.value.data] if isinstance(source, TupleOp) else None

    def rewrite(self, op: TupleGetOp, match: SSAValue, rewriter: PatternRewriter) -> None:
        """Read the field, and drop the tuple if this was its last reader."""
        source = op.tuple
        rewriter.replace(op, [], [match])
        _erase_unread(source, rewriter)


def is_unread(op: TupleOp) -> bool:
    """Nothing reads the tuple."""
    return op.result.first_use is None


class UnreadTuple(Pattern[TupleOp, SSAValue]):
    """A tuple that nothing reads is nothing."""

    name = "unread-tuple"
    ops = (TupleOp,)
    conditions = (outside_of_subgraphs, is_unread)

    @override
    def match(self, op: TupleOp) -> SSAValue:
        return op.result

    @override
    def rewrite(self, op: TupleOp, match: SSAValue, rewriter: PatternRewriter) -> None:
        _erase_unread(match, rewriter)


UNWRAPPING = (Unwrap, NoStop, FieldOfTuple, UnreadTuple)
"""The patterns that take subgraphs apart; the tokenizer also begins with them."""


@dataclass(frozen=True)
class SnippetsUnwrapUncompilablePass(PatternPass):
    """Take apart subgraphs that no kernel can compute."""

    name = "snippets-unwrap-uncompilable"
    STAGES: ClassVar[Stages] = Stages(("graph",))
    MIXES_CLASSES: ClassVar[bool] = False
    PATTERNS = UNWRAPPING
