"""Ops of a function that stay outside of kernels; the decision comes before the tokenizer.

    %0 = onnx.node "Conv"(%x, %w)
    %1 = snippets.relu %0        becomes  snippets.relu %0 {snippets.skipped = "onnxruntime ..."}
    %2 = snippets.exp %1         stays: it may be in a kernel

`program-select-implementations` asks the rows of the registry for the ops they claim;
`snippets-mark-skipped` has profiles for this. The option `force` overrides both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation

from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.passes.building.forcing import forced_ops
from snippets_mlir.passes.building.graph import op_text
from snippets_mlir.support.attribute_names import SKIPPED

KERNEL = "snippets"
"""The kind of implementation for our kernels."""


@dataclass(frozen=True)
class LeftOut:
    """The ops of a block that stay out of kernels.

    Attributes:
        reasons: why, for each op.
    """

    reasons: Mapping[Operation, str]

    def __str__(self) -> str:
        lines = [f"{op_text(op)}: {reason}" for op, reason in self.reasons.items()]
        return "\n".join(lines) or "the engine fuses nothing"

    def mark(self) -> None:
        """Write the reasons on the ops; an existing reason stays."""
        for op, reason in self.reasons.items():
            op.attributes.setdefault(SKIPPED, StringAttr(reason))


def left_out(ops: Sequence[Operation], claimed: Mapping[Operation, str], force: str) -> LeftOut:
    """The ops of a block that stay outside of kernels.

    Args:
        ops: all ops of the block.
        claimed: ops that would be left out without `force`, with the reasons.
        force: pairs `PATTERN:KIND`: ops of the kind `snippets` are not left out, ops of other kinds
            are.

    Raises:
        CompileError: `force` is not a list of such pairs, or names a kind that does not exist.
    """
    forced = forced_ops([op for op in ops if isinstance(op, ComputeOp)], force)
    reasons = {op: reason for op, reason in claimed.items() if op not in forced}
    reasons |= {op: f"{kind} is forced" for op, kind in forced.items() if kind != KERNEL}
    return LeftOut(MappingProxyType(reasons))
