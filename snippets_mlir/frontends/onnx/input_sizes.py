"""Sizes that imported nodes read from other values than in the model.

    %s = Shape(%y)        %y: [batch, length, 256], by a kernel      %i = Shape(%ids)
    %n = Gather(%s, 1)                                          ->   %n = Gather(%i, 1)

The model's input `ids` is `[batch, length]`, and no node waits for `%y`. So a session that computes
with sizes needs no results of kernels, and need not run between them. If a shape has sizes of
several inputs, or numbers, a Concat joins its parts.

Shape inference determines the sizes: equal expressions are equal in every call that may use the
types. A size that is not a dim of an input is read from the first node result that has it and waits
for no kernel, such as the result of a convolution before all kernels. Otherwise it is read as in
the model.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np
import onnx

from snippets_mlir.dialects.builtin.dtypes import Array
from snippets_mlir.frontends.onnx.graph_view import Node
from snippets_mlir.frontends.onnx.shapes import InferredShapes
from snippets_mlir.frontends.onnx.shapes.dims import Size

MOST = 16
"""Sizes of a value up to which it is read from elsewhere."""


READERS = frozenset("Gather Shape Size Slice Squeeze Unsqueeze".split())
"""Operators that read sizes, or some of the sizes that others have read."""


class Part(NamedTuple):
    """Some elements of a value of sizes.

    Attributes:
        source: the value that has them; None: they are numbers.
        elements: its dims, or the numbers; int64 of the shape of the part.
    """

    source: str | None
    elements: Array


class InputSizes:
    """Where the sizes of a model are that are there before any kernel runs."""

    def __init__(self, inferred: InferredShapes, inputs: Iterable[str]) -> None:
        """See the module.

        Args:
            inferred: the inferred facts about the values of the model.
            inputs: the inputs that each call gives, by name.
        """
        self._inferred = inferred
        self._places: dict[Size, tuple[str, int]] = {}
        for name in inputs:
            self.add(name)

    def add(self, name: str) -> None:
        """Have sizes that no value before it has read from another value, too."""
        type_ = self._inferred.types.get(name)
        for dim, size in enumerate((type_ and type_.shape) or ()):
            if size is not None and not isinstance(size, int):
                self._places.setdefault(size, (name, dim))

    def parts_of(self, node: Node) -> Sequence[Part] | None:
        """The parts of the result of a node of `READERS`, in order; None for a size in no value.

        The parts of `Size` are the factors of its result. Parts of several have one dim.
        """
        if node.domain or node.op_type not in READERS or len(node.outputs) != 1:
            return None
        name, sizes = node.inputs[0], self._inferred.elements.get(node.outputs[0])
        type_ = self._inferred.types.get(name if node.op_type == "Size" else node.outputs[0])
        if node.op_type == "Size":
            sizes = None if type_ is None or type_.shape is None else np.array(type_.shape, object)
        elif type_ is None or type_.element != onnx.TensorProto.INT64:
            return None
        if sizes is None or sizes.ndim > 1 or not 0 < sizes.size <= MOST:
            return None
        places = [self._place(size) for size in sizes.reshape(-1).tolist()]
        known = [place for place in places if place is not None]
        if len(known) < len(places):
            return None
        shape = () if sizes.ndim == 0 else (-1,)
        runs = groupby(known, key=lambda place: place[0])
        return [
            Part(source, np.array([n for _, n in run], np.int64).reshape(shape))
            for source, run in runs
        ]

    def _place(self, size: Size | None) -> tuple[str | None, int] | None:
        """The value and the dim that have a size; no value and the number; None: neither."""
        if isinstance(size, int):
            return None, size
        return None if size is None else self._places.get(size)
