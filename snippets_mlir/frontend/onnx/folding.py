"""Values of nodes whose inputs are constants: what exporters compute shapes and parameters with.

Only operators that move elements around are evaluated here (elementwise ones are folded as `snippets`
ops), by ONNX's reference implementation, and only on small constants. `Shape` and `Size` need a
static type only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
import onnx
from onnx.reference import ReferenceEvaluator
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute

from snippets_mlir.dialects.dtypes import Array
from snippets_mlir.dialects.snippets.shapes import is_static
from snippets_mlir.frontend.onnx.node import Node

LARGE = 1 << 16

MOVING = frozenset(
    {
        "Concat",
        "Flatten",
        "Gather",
        "Range",
        "ReduceMax",
        "ReduceMin",
        "ReduceProd",
        "ReduceSum",
        "Reshape",
        "Slice",
        "Split",
        "Squeeze",
        "Tile",
        "Transpose",
        "Unsqueeze",
    }
)


def fold_shape(node: Node, type_: Attribute) -> Array | None:
    """The value of `Shape` or `Size` of a value of static type, else None."""
    if node.domain or node.op_type not in ("Shape", "Size"):
        return None
    if not isinstance(type_, TensorType) or not is_static(type_.get_shape()):
        return None
    dims = np.array(type_.get_shape(), np.int64)
    if node.op_type == "Size":
        return np.array(dims.prod(), np.int64)
    start, end = node.attributes.get("start"), node.attributes.get("end")
    return dims[slice(start, end)]


def fold_moving(
    proto: onnx.NodeProto, node: Node, arrays: Sequence[Array | None]
) -> list[Array] | None:
    """The outputs of a node of `MOVING` on small constants, else None."""
    if node.domain or node.op_type not in MOVING:
        return None
    known = [a for a in arrays if a is not None]
    if len(known) != len(arrays) or sum(a.nbytes for a in known) > LARGE:
        return None
    feeds = {n: a for n, a in zip(node.inputs, known, strict=True) if n}
    try:
        session = ReferenceEvaluator(proto, opsets={"": node.version})
        results = cast("list[Any]", session.run(None, feeds))
    except (RuntimeError, ValueError, IndexError, TypeError, NotImplementedError):
        return None  # the node stays, and the engine says what is wrong with it
    if any(not isinstance(r, np.ndarray) or r.nbytes > LARGE for r in results):
        return None
    return results
