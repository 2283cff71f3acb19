"""Taking apart the subgraphs that no kernel can compute: what, why and how.

A subgraph stays when every op in it has a kernel (`analysis/eligibility.py`), or is a reshape,
squeeze or unsqueeze beside such ops. Otherwise its ops go back to where it stood, as a whole for
onnxruntime or op by op; `snippets_unwrap_uncompilable.py` has the rules and an example.
"""

from dataclasses import dataclass

from xdsl.dialects.builtin import StringAttr, TensorType, f32
from xdsl.ir import Block, Operation, OpResult, SSAValue
from xdsl.rewriter import Rewriter

from snippets_mlir.analysis.eligibility import REASON, SKIPPED, follows_from_data, why_not
from snippets_mlir.dialects.builtin.shaped import tensor_of
from snippets_mlir.dialects.onnx.ops import NodeOp
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.constants import ConstantOp, ScalarOp
from snippets_mlir.dialects.snippets.fusion import StopFusionOp, TupleGetOp, TupleOp
from snippets_mlir.dialects.snippets.layout import is_view
from snippets_mlir.dialects.snippets.registry import derived
from snippets_mlir.dialects.snippets.subgraph import SubgraphOp, YieldOp
from snippets_mlir.passes.building.graph import op_text
from snippets_mlir.passes.graph.tokenize.groups import is_scalar_constant
from snippets_mlir.passes.graph.tokenize.onnxruntime_rules import RULES
from snippets_mlir.passes.graph.tokenize.subgraphs import take_apart


@derived
def engine_ops() -> frozenset[str]:
    """The names of computing ops that run in one session with ONNX nodes."""
    return frozenset[str]().union(*(rule.names for rule in RULES))


def no_kernel(op: Operation) -> str | None:
    """Why a kernel cannot hold `op`, or None when it can."""
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
    """What becomes of a subgraph: its ops with their reasons; `as_whole` in the engine."""

    subgraph: SubgraphOp
    reasons: tuple[tuple[Operation, str], ...]
    as_whole: bool


@dataclass(frozen=True)
class Unwrappings:
    """The subgraphs of a block that are taken apart."""

    subgraphs: tuple[Unwrapping, ...]

    def __str__(self) -> str:
        lines = [f"{op_text(op)}: {why}" for plan in self.subgraphs for op, why in plan.reasons]
        return "\n".join(lines) or "no subgraph is taken apart"


def _plan(subgraph: SubgraphOp) -> Unwrapping | None:
    """How to take `subgraph` apart, or None when it can be compiled."""
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
        return Unwrapping(subgraph, tuple((op, text) for op in computing), True)
    texts = ((op, f"group {name}: op by op, {reason}") for op, reason in found.items())
    return Unwrapping(subgraph, tuple(texts), False)


def _apply(plan: Unwrapping) -> None:
    take_apart(plan.subgraph)
    for op, reason in plan.reasons:
        if plan.as_whole and isinstance(op, ComputeOp):
            op.attributes.setdefault(SKIPPED, StringAttr(reason))
        op.attributes[REASON] = StringAttr(reason)


def _field(op: TupleGetOp) -> SSAValue | None:
    value = op.tuple
    if isinstance(value, OpResult) and isinstance(value.op, TupleOp):
        return value.op.fields_[op.index.value.data]
    return None


def _resolve_tuples(block: Block) -> None:
    """Read fields of known tuples directly; drop `stop_fusion` and tuples that nobody reads."""
    for op in list(block.ops):
        if isinstance(op, StopFusionOp):
            Rewriter.replace_op(op, [], [op.operand])
        elif isinstance(op, TupleGetOp) and (value := _field(op)) is not None:
            Rewriter.replace_op(op, [], [value])
    for op in reversed(list(block.ops)):
        if isinstance(op, TupleOp) and op.result.first_use is None:
            Rewriter.erase_op(op)


def plan_unwrapping(block: Block) -> Unwrappings:
    """What no kernel can compute."""
    subgraphs = [op for op in block.ops if isinstance(op, SubgraphOp)]
    return Unwrappings(tuple(p for s in subgraphs if (p := _plan(s)) is not None))


def unwrap(block: Block, plan: Unwrappings) -> None:
    """Take the subgraphs apart, and resolve the tuples and stops that are left."""
    for subgraph in plan.subgraphs:
        _apply(subgraph)
    _resolve_tuples(block)
