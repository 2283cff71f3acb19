"""The ops that the row `onnxruntime` claims because they belong to its own nodes.

    %0 = onnx.node "Conv"(%x, %w)
    %1 = snippets.relu %0        claimed: "onnxruntime fuses it into Conv (conv-activation: ..."
    %2 = snippets.exp %1         not claimed: the first row that fits runs it

Between two of the engine's own ops such an op costs almost nothing, while a kernel for it cuts the
engine's session in two and reads and writes the tensor once more. The rules are the table of
`onnxruntime_rules.py`, and `lone-transpose` of `onnxruntime_plan.py`. If no plan weighs the cuts of
the session, islands between convolutions also belong to the engine (`onnxruntime_islands.py`).
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation

from snippets_mlir.targets.implementations.onnxruntime_islands import plan_islands
from snippets_mlir.targets.implementations.onnxruntime_plan import plan_marks


def claims_of_engine(ops: Sequence[Operation], *, weighed: bool) -> dict[Operation, str]:
    """The ops of a block that the engine computes with its own nodes, with the reasons.

    Args:
        ops: all ops of the block, in their order.
        weighed: whether a plan weighs the cuts of sessions for all other ops.
    """
    found: dict[Operation, str] = {mark.op: mark.reason for mark in plan_marks(ops)}
    if not weighed:
        for island in plan_islands(ops, set(found)):
            found |= dict.fromkeys(island.ops, island.reason)
    return found
