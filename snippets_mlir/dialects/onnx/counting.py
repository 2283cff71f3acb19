"""Nodes that read no elements of their inputs, and so need no session between kernels."""

from xdsl.ir import Operation

from snippets_mlir.dialects.onnx.ops import NodeOp


def counts_elements(op: Operation) -> bool:
    """Whether `op` is a node that reads only the shape of its operand."""
    return isinstance(op, NodeOp) and op.op_type.data in ("Shape", "Size") and not op.domain.data
