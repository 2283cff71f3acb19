"""Nodes that take the mean or maximum of whole planes; the engine has them in both layouts.

    %x = nchwc.ReorderOutput(%c)
    %m = ReduceMean(%x) {axes = [2, 3]}          %m = nchwc.GlobalAveragePool(%c)
    %b = nchwc.ReorderInput(%m)            ->    %d = nchwc.Conv(%m, ...)
    %d = nchwc.Conv(%b, ...)

onnxruntime reorders an image to the plain layout for a ReduceMean, and for a pooling if its
channels do not fill the last block. `chains.py` decides where the blocked form saves changes of
layout. The numbers that fill up a block stay finite in this form.
"""

from __future__ import annotations

import numpy as np
import onnx
from onnx import numpy_helper

from snippets_mlir.driver.onnx.inside.values import Values, number_attribute, operator_of

AVERAGE = "GlobalAveragePool"
_POOLS = (AVERAGE, "GlobalMaxPool")
_PLANE = {2, 3}


def blocked_pool(node: onnx.NodeProto, values: Values) -> str:
    """The operator of the blocked layout for a node on an image; empty if there is none."""
    domain, operator = operator_of(node)
    if domain or values.rank(node.input[0] if node.input else "") != 4:
        return ""
    if operator in _POOLS:
        return operator
    if operator == "ReduceMean" and number_attribute(node, "keepdims", 1):
        axes = _axes(node, values)
        if axes is not None and {axis % 4 for axis in axes} == _PLANE and len(axes) == 2:
            return AVERAGE
    return ""


def _axes(node: onnx.NodeProto, values: Values) -> list[int] | None:
    """The axes of a reduction: an attribute, or a constant since version 18 of its schema."""
    for attribute in node.attribute:
        if attribute.name == "axes":
            return [*attribute.ints]
    constant = values.constants.get(node.input[1]) if len(node.input) > 1 else None
    if constant is None:
        return None
    return [int(axis) for axis in np.ravel(numpy_helper.to_array(constant))]
