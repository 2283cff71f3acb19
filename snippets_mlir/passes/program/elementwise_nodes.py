"""Find the nodes of a program that are elementwise and may be fused with others."""

from __future__ import annotations

from snippets_mlir.analysis.graph.eligibility import why_not
from snippets_mlir.dialects.program.node import NodeOp
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.pattern_kinds import PatternKind
from snippets_mlir.dialects.snippets.patterns import relay_kind
from snippets_mlir.targets.implementations import implementations
from snippets_mlir.targets.implementations.answers import refusal_of
from snippets_mlir.targets.implementations.registry import computing_ops


def why_not_fused(node: NodeOp, forced: str | None) -> str | None:
    """Why a node is not fused with others; None if it may be.

    Args:
        node: a node of a graph without selected implementations.
        forced: the kind of implementation that a user forces for it.
    """
    if node.kind is not None:
        return f"it has the implementation {node.kind}"
    if forced not in (None, "snippets"):
        return f"{forced} is forced"
    if len(node.outputs) != 1:
        return "it has several results"
    for op in computing_ops(node):
        if (reason := why_not(op)) is not None:
            return reason
        if not isinstance(op, ComputeOp) or relay_kind(op) > PatternKind.BROADCAST:
            return f"{op.name} does not work element by element"
    first = next((row.kind for row in implementations() if refusal_of(row, node) is None), None)
    if forced is None and first != "snippets":
        return f"{first or 'nothing'} runs it"
    return None
