"""Rows for the masks of Attention nodes that onnxruntime runs beside kernels.

    Attention(q, k, v, mask [2, 1, 1, 12])  rows = Expand(mask, [8, 1])
      of 8 queries                          Attention(q, k, v, rows [2, 1, 8, 12])

ONNX broadcasts a mask; onnxruntime refuses a mask with one row, or no rows, for several queries.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import onnx
from onnx import helper, numpy_helper
from xdsl.dialects.builtin import TensorType

from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.onnx.ops import NodeOp

_QUERIES, _MASK = 0, 3


def needs_rows(op: NodeOp) -> bool:
    """Whether several queries share the only row of a mask."""
    if op.op_type.data != "Attention" or op.domain.data or len(op.inputs) <= _MASK:
        return False
    queries, mask = op.inputs[_QUERIES], op.inputs[_MASK]
    if queries is None or mask is None:
        return False
    if not (isinstance(queries.type, TensorType) and isinstance(mask.type, TensorType)):
        return False
    rows = shape_of(queries)[-2:-1]
    return bool(rows) and rows != (1,) and shape_of(mask)[-2:-1] in ((), (1,))


def add_rows(node: onnx.NodeProto, graph: onnx.GraphProto, free: Callable[[str], str]) -> None:
    """Add nodes to `graph` that expand the mask of `node` to a row for each query.

    Args:
        node: an Attention.
        graph: the nodes before `node` are in it already.
        free: returns an unused name that begins with a given name.
    """
    queries, mask = node.input[_QUERIES], node.input[_MASK]
    one, rows, shape, whole = (free(f"{mask}_{end}") for end in ("one", "rows", "shape", "whole"))
    graph.initializer.append(numpy_helper.from_array(np.ones(1, np.int64), one))
    graph.node.extend(
        (
            helper.make_node("Shape", [queries], [rows], start=-2, end=-1),
            helper.make_node("Concat", [rows, one], [shape], axis=0),
            helper.make_node("Expand", [mask, shape], [whole]),
        )
    )
    node.input[_MASK] = whole
