"""One batch of a RotaryEmbedding's caches or ids for a batch of several, for onnxruntime.

    RotaryEmbedding(x, cos, sin)           batch = Concat(Shape(x, start=0, end=1), [1, 1])
    of x [8, 12, 64, 32],                  RotaryEmbedding(x, Expand(cos, batch),
    cos [1, 64, 16], sin [1, 64, 16]                          Expand(sin, batch))

PyTorch exports such nodes, and ONNX's definition broadcasts the batch; onnxruntime refuses them.
Kernels broadcast without these nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import onnx

_CACHES, _IDS = (1, 2), 3


def shared_inputs(node: tuple[str, str], shapes: Sequence[Sequence[object] | None]) -> list[int]:
    """The inputs with one batch, where others have or may have several.

    Args:
        node: domain and operator.
        shapes: of all inputs; None for one that is omitted or of an unknown rank.
    """
    if node != ("", "RotaryEmbedding") or not shapes or not shapes[0] or shapes[0][0] == 1:
        return []
    found = [(i, shape) for i, shape in enumerate(shapes) if i and shape]
    ids = len(shapes) > _IDS and shapes[_IDS] is not None
    return [i for i, shape in found if shape[0] == 1 and ((i == _IDS) if ids else i in _CACHES)]


def add_batches(
    node: onnx.NodeProto,
    inputs: Sequence[int],
    graph: onnx.GraphProto,
    free: Callable[[str], str],
) -> None:
    """Let `node` read `inputs` with a batch for each of its own, from nodes that `graph` gets.

    Args:
        node: a RotaryEmbedding; any node if there are no `inputs`.
        inputs: which; see `shared_inputs`.
        graph: to which the nodes before it have been added.
        free: a name that no value has, from one that some value may have.
    """
    import numpy as np
    from onnx import helper, numpy_helper

    for index in inputs:
        x, name = node.input[0], node.input[index]
        ones, batch, shape, whole = (free(f"{name}_{e}") for e in ("ones", "batch", "shape", "of"))
        others = np.ones(1 if index == _IDS else 2, np.int64)
        graph.initializer.append(numpy_helper.from_array(others, ones))
        graph.node.extend(
            (
                helper.make_node("Shape", [x], [batch], start=0, end=1),
                helper.make_node("Concat", [batch, ones], [shape], axis=0),
                helper.make_node("Expand", [name, shape], [whole]),
            )
        )
        node.input[index] = whole
