"""Messages about the ops that are in no kernel."""

from __future__ import annotations

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation

from snippets_mlir.driver.kernel_entry import OpaqueOp
from snippets_mlir.support.attribute_names import REASON


def _text(op: Operation, key: str) -> str:
    value = op.get_attr_or_prop(key)
    return value.data if isinstance(value, StringAttr) else ""


def opaque_op(op: Operation) -> OpaqueOp:
    """The report of one op of a host function."""
    label, name = op.name, _text(op, "node_name")
    if op.name == "onnx.node":
        label = f"{_text(op, 'domain') or 'onnx'}.{_text(op, 'op_type')}"
    if not name and op.results:
        name = op.results[0].name_hint or ""
    return OpaqueOp(label, name, _text(op, REASON) or _why_not(op))


def _why_not(op: Operation) -> str:
    from snippets_mlir.analysis.eligibility import why_not

    return why_not(op) or "no subgraph took it"
