"""Why nodes of an ONNX model are in no kernel, after its kernels are chosen.

    plan       Elu+Mul is a kernel, Add is not
    reasons    Add: what its kernel saves and what its cut costs
               MatMul: what the tokenizer says
    kept       Add, MatMul

Nodes that only rename or slice elements for kernels are not kept: no session is made for them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from xdsl.ir import Block, Operation

from snippets_mlir.analysis.engine.costs import Estimate
from snippets_mlir.analysis.engine.crossing import needs_no_session
from snippets_mlir.dialects.onnx.ops import NodeOp
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.driver.onnx.cuts.candidates import is_beside_kernels
from snippets_mlir.driver.reports.kernel_entry import NO_KERNEL
from snippets_mlir.passes.graph.tokenize.tokens import Tokens


def reasons_of(
    tokens: Tokens,
    estimates: Sequence[Estimate],
    kernels: Collection[int],
    inside: Collection[Operation],
    origins: Mapping[Operation, int],
) -> dict[int, str]:
    """Why nodes are in no kernel, by position: the cost of their candidate, or the tokenizer's
    reason.
    """
    reasons = {
        origins[op]: str(estimate)
        for place, (group, estimate) in enumerate(zip(tokens.groups, estimates, strict=True))
        for op in group.ops
        if place not in kernels and op in origins
    }
    for op, reason in tokens.reasons:
        if op in origins and op not in inside and isinstance(op, NodeOp | ComputeOp):
            reasons.setdefault(origins[op], reason)
    return reasons


def kept_of(
    block: Block,
    inside: Collection[Operation],
    reasons: Mapping[int, str],
    origins: Mapping[Operation, int],
    forced: Collection[int],
) -> dict[int, str]:
    """Why nodes that could be in kernels are left to the engine, by position.

    A node without a result in this import is included: another kept node may read it.
    """
    alive = {index for op, index in origins.items() if op.parent is block}
    in_kernels = {origins[op] for op in inside if op in origins}
    return {
        index: reasons.get(index, NO_KERNEL)
        for op, index in origins.items()
        if isinstance(op, ComputeOp)
        and op not in inside
        and not (needs_no_session(op) and (index in in_kernels or is_beside_kernels(op, inside)))
        and (op.parent is block or index not in alive)
        and index not in forced
    }
