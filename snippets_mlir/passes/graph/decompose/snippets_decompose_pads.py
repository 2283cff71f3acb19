"""Decompose pads into concats with broadcasts of the padding value.

    %1 = snippets.pad %0, %v {low = array<i64: 1, 0>, high = array<i64: 0, 2>} : .. ->
         tensor<5x10xf32>

becomes

    %2 = snippets.broadcast %v : (tensor<f32>) -> tensor<4x2xf32>
    %3 = snippets.concat %0, %2 {axis = 1 : i64} : .. -> tensor<4x10xf32>
    %4 = snippets.broadcast %v : (tensor<f32>) -> tensor<1x10xf32>
    %1 = snippets.concat %4, %3 {axis = 0 : i64} : .. -> tensor<5x10xf32>

which is one kernel: `snippets-tokenize-concats` puts concats of concats together. The last dims are
padded first, so that the padding of the first dims is in one piece. Ops in subgraphs, ops marked
`snippets.skipped`, and ops with an unknown size stay. Exact.
"""

from dataclasses import dataclass
from typing import Any

from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.snippets.concatenation import ConcatOp
from snippets_mlir.dialects.snippets.conversion import BroadcastOp
from snippets_mlir.dialects.snippets.padding import PadOp
from snippets_mlir.dialects.snippets.shapes import is_static
from snippets_mlir.passes.building.formulas import Formula, Term
from snippets_mlir.passes.building.graph import OpBuilder, outside_of_subgraphs
from snippets_mlir.passes.graph.graph_passes import FormulaPass


def sizes_are_known(op: PadOp) -> bool:
    """All sizes are numbers or symbols."""
    return is_static(shape_of(op.operand))


class Around(Formula[PadOp, Any]):
    """The padding value before and after, along one dim after another."""

    name = "around"
    ops = (PadOp,)
    conditions = (*Formula.conditions, outside_of_subgraphs, sizes_are_known)

    def formula(self, op: PadOp, match: Any, build: OpBuilder) -> Term:
        """A concat for each dim that grows."""
        x = op.operand
        for dim in reversed(range(len(op.low))):
            shape = shape_of(x)
            parts = [x]
            for amount, at in ((op.low[dim], 0), (op.high[dim], 2)):
                if amount:
                    sizes = (*shape[:dim], amount, *shape[dim + 1 :])
                    around = build.add(BroadcastOp(op.value, sizes))
                    parts.insert(at, around)
            if len(parts) > 1:
                x = build.add(ConcatOp(parts, dim))
        return Term(x, build)


@dataclass(frozen=True)
class SnippetsDecomposePadsPass(FormulaPass):
    """Decompose pads into concats with broadcasts."""

    name = "snippets-decompose-pads"
    PATTERNS = (Around,)
