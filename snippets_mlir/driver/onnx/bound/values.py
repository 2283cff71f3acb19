"""The values that nodes of a model certainly read, and whether their sizes are known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import onnx
from onnx import helper

from snippets_mlir.frontends.onnx.readers import captured_names, graphs_of
from snippets_mlir.frontends.onnx.value_inputs import SHAPING

RENAMING = frozenset(
    "BitCast CastLike Clip Dropout Expand Flatten Identity Reshape Squeeze Unsqueeze".split()
)
"""Operators that may return their first input, as `variadic` operators with one input may."""


class UnknownSize(Exception):
    """A size that the bound needs is not known."""


def names_read(node: onnx.NodeProto) -> Iterator[str]:
    """The values that a node and its graphs read."""
    yield from (name for name in node.input if name)
    for graph in graphs_of(node):
        yield from captured_names(graph)


def item_bytes(element: int) -> int:
    """Bytes per element of ONNX's type `element`."""
    return helper.tensor_dtype_to_np_dtype(element).itemsize if element else 8


TYPES_ONLY: Mapping[str, tuple[int, ...]] = {**SHAPING, "CastLike": (1,), "Dropout": (1, 2)}
"""Inputs, by position, that the result may be made without."""

VIEWS = frozenset(("Flatten", "Reshape", "Squeeze", "Unsqueeze"))
"""Operators that become views, which are in kernels only beside other ops."""

SIZES_ONLY: Mapping[str, int] = dict.fromkeys(("Expand", "Reshape", "Squeeze", "Unsqueeze"), 1)
"""The input, by position, whose elements no kernel with the node reads."""

COUNTING = ("Shape", "Size")
"""Operators that read no elements."""
