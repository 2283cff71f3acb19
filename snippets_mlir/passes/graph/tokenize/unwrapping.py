"""Analyse why no kernel can compute a subgraph, and how to take it apart, without changes.

`snippets_unwrap_uncompilable.py` has the rules and an example.
"""

from dataclasses import dataclass

from xdsl.dialects.builtin import StringAttr, TensorType, f32
from xdsl.ir import Block, Operation

from snippets_mlir.analysis.graph.eligibility import follows_from_data, why_not
from snippets_mlir.dialects.builtin.shaped import tensor_of
from snippets_mlir.dialects.onnx.ops import NodeOp
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.constants import ConstantOp, ScalarOp
from snippets_mlir.dialects.snippets.layout import is_view
from snippets_mlir.dialects.snippets.registry import derived
from snippets_mlir.dialects.snippets.subgraph import SubgraphOp, YieldOp
from snippets_mlir.passes.graph.tokenize.groups import is_scalar_constant
from snippets_mlir.targets.implementations.onnxruntime_rules import RULES


@derived
def engine_ops() -> frozenset[str]:
    """The names of computing ops that run in one session with ONNX nodes."""
    return frozenset[str]().union(*(rule.names for rule in RULES))


def no_kernel(op: Operation) -> str | None:
    """Why a kernel cannot hold `op`, or None if it can."""
    if isinstance(op, YieldOp) or is_scalar_constant(op):
        return None
    if isinstance(op, ConstantOp):
        return "a constant of several elements stays outside of kernels"
    if is_view(op) and not _is_only_views(op.parent) and not follows_from_data(op):
        return None
    return why_not(op)


def _is_only_views(block: Block | None) -> bool:
    """Whether a body computes nothing: a kernel for it would only copy."""
    return block is not None and not any(
        isinstance(op, ComputeOp) and not is_view(op) for op in block.ops
    )


def _runs_in_engine(op: Operation) -> bool:
    if isinstance(op, NodeOp | ConstantOp | ScalarOp | YieldOp):
        return True
    values = (*op.operands, *op.results)
    on_f32 = all(
        isinstance(v.type, TensorType) and tensor_of(v).element_type == f32 for v in values
    )
    return op.name in engine_ops() and on_f32


@dataclass(frozen=True)
class Unwrapping:
    """The plan for a subgraph: its ops with their reasons; `as_whole`: in the engine."""

    reasons: tuple[tuple[Operation, str], ...]
    as_whole: bool


def unwrapping_of(subgraph: SubgraphOp) -> Unwrapping | None:
    """How to take `subgraph` apart, or None if it can be compiled."""
    ops = list(subgraph.block.ops)
    found = {op: reason for op in ops if (reason := no_kernel(op)) is not None}
    if not found:
        return None
    symbol = subgraph.attributes.get("sym_name")
    name = f"@{symbol.data}" if isinstance(symbol, StringAttr) else "without a name"
    has_node = any(isinstance(op, NodeOp) for op in ops)
    if has_node and all(map(_runs_in_engine, ops)):
        text = f"group {name}: as a whole in onnxruntime"
        computing = [op for op in ops if isinstance(op, NodeOp | ComputeOp)]
        return Unwrapping(tuple((op, text) for op in computing), True)
    texts = ((op, f"group {name}: op by op, {reason}") for op, reason in found.items())
    return Unwrapping(tuple(texts), False)
