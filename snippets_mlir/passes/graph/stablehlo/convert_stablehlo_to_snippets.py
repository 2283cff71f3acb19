"""Convert StableHLO and CHLO to the `snippets` dialect.

    %0 = stablehlo.negate %x : tensor<4x8xf32>
    %1 = stablehlo.exponential %0 : tensor<4x8xf32>
    %c = stablehlo.constant dense<1.0> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
    %3 = stablehlo.add %2, %1 : tensor<4x8xf32>
    %4 = stablehlo.divide %2, %3 : tensor<4x8xf32>

becomes

    %4 = snippets.sigmoid %x : tensor<4x8xf32>

The rules are tables: `elementwise_rules.py` (the names are in the records of the ops),
`movement_rules.py`, `join_rules.py`, `gather_rules.py`, `place_rules.py`, `reduction_rules.py`,
`ordered_rules.py`, `product_rules.py`, and `spread_rules.py` and `norm_rules.py` for functions that
frameworks write as several ops and `snippets` has as one. The pass drops broadcasts that an op does
by itself, and dead ops. For each op the result is the same up to the rounding of sums, products and
recognised functions.

An op that no rule takes stays, with the ops in its regions and the reason in `snippets.reason`; it
runs in NumPy if its value is known. Calls are not followed: run `inline-calls` before. Source: the
StableHLO specification; the forms that jaxlib 0.10 prints.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from typing_extensions import override
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.traits import is_side_effect_free

from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.building.graph import erase_unused, leave
from snippets_mlir.passes.effects import REASSOCIATES, Effect
from snippets_mlir.passes.graph.stablehlo import (
    elementwise_rules,
    gather_rules,
    join_rules,
    movement_rules,
    norm_rules,
    ordered_rules,
    place_rules,
    product_rules,
    reduction_rules,
    scatter_row_rules,
    scatter_rules,
    spread_rules,
)
from snippets_mlir.passes.patterns import PatternPass
from snippets_mlir.support.walking import ops_inside

OURS = ("stablehlo.", "chlo.", "snippets.")
"""Prefixes of ops that are erased if their results have no readers."""


def _may_go(op: Operation) -> bool:
    """Whether an op has no effect but its results: a loop of `scf` may store."""
    return op.name.startswith(OURS) or is_side_effect_free(op)


@dataclass(frozen=True)
class ConvertStablehloToSnippetsPass(PatternPass):
    """Convert StableHLO and CHLO to the snippets dialect."""

    name = "convert-stablehlo-to-snippets"
    STAGES: ClassVar[Stages] = Stages(("graph",))
    EFFECT: ClassVar[Effect] = REASSOCIATES
    PATTERNS = (
        *norm_rules.RULES,
        *spread_rules.RULES,
        *elementwise_rules.RULES,
        *movement_rules.RULES,
        *join_rules.RULES,
        *gather_rules.RULES,
        *place_rules.RULES,
        *scatter_rules.RULES,
        *scatter_row_rules.RULES,
        *reduction_rules.RULES,
        *ordered_rules.RULES,
        *product_rules.RULES,
    )

    @override
    def roots(self, module: ModuleOp) -> Iterable[Operation]:
        return [op for op in module.ops if isinstance(op, FuncOp) and op.body.blocks]

    def finish(self, root: Operation) -> None:
        """Erase dead ops, and write why the other ops stay."""
        ops = (op for block in root.regions[0].blocks for op in block.ops)
        erase_unused([op for op in ops if op.results and _may_go(op)])
        for op in ops_inside(root):
            if op.name.startswith(("stablehlo.", "chlo.")) and op.parent_op() is root:
                leave(op, f"no rule of convert-stablehlo-to-snippets takes {op.name}")
