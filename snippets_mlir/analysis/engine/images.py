"""Values that onnxruntime keeps in its blocked layout of images: values of convolutions.

    %0 = onnx.node "Conv"(%x, %w)        an image [N, C, H, W]
    %1 = snippets.sigmoid %0             an image: computed from one, element by element
    %2 = snippets.concat %0, %1          an image
    %3 = snippets.concat %q, %r          none: tensors of four dims that no convolution made

Source: onnxruntime's NchwcTransformer, which changes the layout of convolutions, poolings and the
nodes after them.
"""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, SSAValue

from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.onnx.ops import NodeOp
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.concatenation import ConcatOp
from snippets_mlir.dialects.snippets.layout import LayoutOp

MAKERS = ("AveragePool", "Conv", "GlobalAveragePool", "MaxPool")
"""Operators whose operands and results are in the blocked layout."""

JOINS = ("Concat",)
"""Operators whose results are in the blocked layout if an operand is."""

IMAGE_NODES = (*MAKERS, *JOINS)
"""Nodes between which the engine keeps images in the blocked layout."""


def is_image_node(op: object) -> bool:
    """Whether `op` is a node that has a form for the blocked layout."""
    if isinstance(op, NodeOp):
        return op.op_type.data in IMAGE_NODES
    return isinstance(op, ConcatOp)


def images_of(ops: Iterable[Operation]) -> frozenset[SSAValue]:
    """The results of `ops`, given in order, that the engine keeps in the blocked layout.

    They are tensors [N, C, H, W].
    """
    found: set[SSAValue] = set()
    for op in ops:
        makes = isinstance(op, NodeOp) and op.op_type.data in MAKERS
        follows = (isinstance(op, ComputeOp) and not isinstance(op, LayoutOp)) or is_image_node(op)
        if makes or (follows and not found.isdisjoint(op.operands)):
            found.update(filter(_has_four_dims, op.results))
    return frozenset(found)


def _has_four_dims(value: SSAValue) -> bool:
    return isinstance(value.type, TensorType) and len(shape_of(value)) == 4
