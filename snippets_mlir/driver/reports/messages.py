"""Messages about the ops that are in no kernel."""

from __future__ import annotations

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation

from snippets_mlir.dialects.program.node import NodeOp as ProgramNodeOp
from snippets_mlir.dialects.program.node import YieldOp
from snippets_mlir.dialects.snippets.constants import ConstantOp, ScalarOp
from snippets_mlir.driver.reports.kernel_entry import OpaqueOp
from snippets_mlir.support.attribute_names import REASON


def _text(op: Operation, key: str) -> str:
    value = op.get_attr_or_prop(key)
    return value.data if isinstance(value, StringAttr) else ""


def opaque_op(op: Operation) -> OpaqueOp:
    """The report of one op of a host function."""
    label, name = op.name, _text(op, "node_name")
    if op.name == "onnx.node":
        label = f"{_text(op, 'domain') or 'onnx'}.{_text(op, 'op_type')}"
    if not name and isinstance(node := op.parent_op(), ProgramNodeOp):
        name = _id(node, op)
    elif not name and op.results:
        name = op.results[0].name_hint or ""
    return OpaqueOp(label, name, _text(op, REASON) or _why_not(op))


def _why_not(op: Operation) -> str:
    from snippets_mlir.analysis.graph.eligibility import why_not
    from snippets_mlir.targets.implementations import KINDS

    if (reason := why_not(op)) is not None:
        return reason
    node = op.parent_op()
    if not isinstance(node, ProgramNodeOp) or node.kind in (None, "snippets"):
        return "no subgraph took it"
    # A kernel comes before our other kinds, so these are asked for; a plug-in's is chosen.
    return f"{node.kind} {'is forced' if node.kind in KINDS else 'runs it'}"


def _id(node: ProgramNodeOp, op: Operation) -> str:
    """The id of the node that an op was: a session has the ops of several nodes in their order."""
    ops = [o for o in node.block.ops if not isinstance(o, ConstantOp | ScalarOp | YieldOp)]
    names = node.origin_names
    return names[ops.index(op)] if len(ops) == len(names) else node.id.data
