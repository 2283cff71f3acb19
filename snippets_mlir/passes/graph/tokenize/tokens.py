"""The tokenizer's decisions: groups of ops in order, and why other ops are in no group.

subgraph of snippets.exp %0, snippets.add %1
onnx.node %2: no kernel holds ops of this dialect
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation
from xdsl.traits import ConstantLike

from snippets_mlir.dialects.snippets.subgraph import SubgraphOp
from snippets_mlir.passes.building.graph import op_text
from snippets_mlir.passes.graph.tokenize.product_rows import Apart


def is_reportable(op: Operation) -> bool:
    """Whether an op outside of groups gets a reason: constants, subgraphs and structure do not."""
    computes = any(isinstance(v.type, TensorType) for v in op.results)
    if isinstance(op, SubgraphOp):
        return False
    return computes and not op.has_trait(ConstantLike, value_if_unregistered=False)


@dataclass(frozen=True)
class Token:
    """The ops of one subgraph, and the views of their results after it."""

    ops: tuple[Operation, ...]
    trailing: tuple[Operation, ...]

    def __str__(self) -> str:
        return "subgraph of " + ", ".join(map(op_text, self.ops))


@dataclass(frozen=True)
class Tokens:
    """The result: groups of ops, and the order of groups and other ops.

    Attributes:
        order: groups and other ops, in an order that respects all dependences.
        reasons: why an op is in no group.
        apart: why groups beside products are kernels of their own.
    """

    order: tuple[Token | Operation, ...]
    reasons: tuple[tuple[Operation, str], ...]
    apart: tuple[Apart, ...] = ()

    @cached_property
    def groups(self) -> list[Token]:
        """The groups, in their order."""
        return [node for node in self.order if isinstance(node, Token)]

    def __str__(self) -> str:
        kept = (f"{op_text(op)}: {why}" for op, why in self.reasons if is_reportable(op))
        return "\n".join([*map(str, (*self.groups, *self.apart)), *kept]) or "nothing to compute"
