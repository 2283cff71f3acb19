"""Batches for the caches of RotaryEmbedding nodes that onnxruntime runs beside kernels."""

from __future__ import annotations

from collections.abc import Callable

import onnx

from snippets_mlir.dialects.builtin.shaped import is_tensor, shape_of
from snippets_mlir.dialects.onnx.ops import NodeOp
from snippets_mlir.dialects.onnx.rotary_batches import add_batches, shared_inputs


def add_batches_of(
    op: NodeOp, node: onnx.NodeProto, graph: onnx.GraphProto, free: Callable[[str], str]
) -> None:
    """Let `node`, the node of `op`, read caches and ids of one batch with a batch for each.

    Args:
        op: a node; others than RotaryEmbedding stay as they are.
        node: the same in `graph`.
        graph: to which the nodes before it have been added.
        free: a name that no value has, from one that some value may have.
    """
    types = [None if x is None else x.type for x in op.inputs]
    shapes = [shape_of(t) if t is not None and is_tensor(t) else None for t in types]
    inputs = shared_inputs((op.domain.data, op.op_type.data), shapes)
    add_batches(node, inputs, graph, free)
