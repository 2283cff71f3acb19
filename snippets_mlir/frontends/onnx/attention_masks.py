"""Masks of Attention in onnxruntime's form: a column for each key, a row for each query.

    Attention(q, k, v, mask [8, 7])         more = ConstantOfShape([8, 5], -inf)
      of 8 queries and 12 keys              padded = Concat(mask, more)
                                            Attention(q, k, v, padded [8, 12])

    Attention(q, k, v, mask [2, 1, 1, 12])  rows = Expand(mask, [8, 1])
                                            Attention(q, k, v, rows [2, 1, 8, 12])

ONNX pads a mask that has fewer columns than keys with -inf (false) on the right, and broadcasts its
other dims. onnxruntime refuses such masks at run time. The padding is added before shape inference,
so kernels also read it. The rows are only for sessions: kernels broadcast a mask of one row, and
`emit/onnx_masks.py` adds rows beside kernels.

If a size depends on the call, a Pad adds max(0, keys - columns) columns: none if the mask is wide
enough. A mask with more columns than keys stays an error.

Unchanged are Attention in the bodies of other nodes, and masks of unknown types or ranks. Up to
opset 23, which has no padding, masks of one column and sizes that depend on the call are also
unchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from snippets_mlir.dialects.builtin.dtypes import Array
from snippets_mlir.frontends.onnx.engine_operators import domain_of, opsets_of
from snippets_mlir.frontends.onnx.shapes import InferredShapes, Size, known_less
from snippets_mlir.frontends.onnx.shapes.types import Shape

_QUERIES, _KEYS, _MASK, _PAST = 0, 1, 3, 4
_PADS = 24
"""The first opset in which ONNX pads masks."""
_NUMBERS: dict[int, np.generic] = {
    TensorProto.FLOAT: np.float32(-np.inf),
    TensorProto.DOUBLE: np.float64(-np.inf),
    TensorProto.FLOAT16: np.float16(-np.inf),
    TensorProto.BOOL: np.bool_(False),
}
"""The padding of a mask, by element type."""


@dataclass(frozen=True)
class _Attention:
    """A node, and the facts about it.

    Attributes:
        inputs: the names of its inputs.
        mask: the shape of its mask.
        number: the padding of the mask.
        rows: the number of queries.
        keys: the number of keys, including a cache.
        pads: whether a mask is padded for any number of columns.
    """

    inputs: Sequence[str]
    mask: Shape
    number: np.generic
    rows: Size | None
    keys: Size | None
    pads: bool

    @property
    def is_short(self) -> bool:
        """Whether the mask has, or may have, fewer columns than there are keys."""
        columns = self.mask[-1]
        if isinstance(columns, int) and isinstance(self.keys, int):
            return columns < self.keys and (self.pads or columns != 1)
        if columns is None or self.keys is None:
            return False
        return self.pads and known_less(columns, self.keys) is not False

    @property
    def has_one_row(self) -> bool:
        """Whether several queries share the only row of the mask."""
        return self.rows != 1 and (len(self.mask) == 1 or self.mask[-2] == 1)

    @property
    def past(self) -> str:
        """The name of the cache of keys, or nothing."""
        return self.inputs[_PAST] if len(self.inputs) > _PAST else ""


def _attention(node: onnx.NodeProto, known: InferredShapes, *, pads: bool) -> _Attention | None:
    """The facts about an Attention; None if they are not enough, and for other nodes."""
    if node.op_type != "Attention" or domain_of(node) or len(node.input) <= _MASK:
        return None
    types = [known.types.get(name) for name in node.input]
    queries, keys, mask = (types[i] for i in (_QUERIES, _KEYS, _MASK))
    if mask is None or not mask.shape or mask.element not in _NUMBERS or len(mask.shape) > 4:
        return None
    lengths: list[Size | None] = []
    for type_ in (queries, keys):
        if type_ is None or type_.shape is None or len(type_.shape) not in (3, 4):
            return None
        lengths.append(type_.shape[-2])
    rows, length = lengths
    if len(types) > _PAST and node.input[_PAST]:
        past = types[_PAST]
        before = None if past is None or not past.shape else past.shape[-2]
        length = None if length is None or before is None else before + length
    return _Attention(node.input, mask.shape, _NUMBERS[mask.element], rows, length, pads)


class _Edit:
    """The nodes of a graph with those that change masks."""

    def __init__(self, graph: onnx.GraphProto) -> None:
        self._taken = {name for node in graph.node for name in (*node.input, *node.output)}
        self._taken.update(v.name for v in (*graph.input, *graph.initializer))
        self._places = count()
        self._made: dict[tuple[object, ...], str] = {}
        self._graph = graph
        self.nodes: list[onnx.NodeProto] = []

    def padded(self, one: _Attention) -> str:
        """The name of the mask with a column for each key; made once for a mask and its keys."""
        return self._once((one.inputs[_MASK], one.keys), lambda: self._padded(one))

    def with_rows(self, one: _Attention) -> str:
        """The name of the mask with a row for each query; made once for a mask and its rows."""
        mask, rows = one.inputs[_MASK], one.rows
        key = mask, one.inputs[_QUERIES] if rows is None else rows
        return self._once(key, lambda: self._add("Expand", mask, self._rows_of(one)))

    def _once(self, key: tuple[object, ...], make: Callable[[], str]) -> str:
        if key not in self._made:
            self._made[key] = make()
        return self._made[key]

    def _padded(self, one: _Attention) -> str:
        mask, sizes = one.inputs[_MASK], one.mask
        known = [size for size in sizes if isinstance(size, int)]
        none = [0] * (2 * len(sizes) - 1)
        number = np.asarray([one.number])
        if isinstance(one.keys, int) and len(known) == len(sizes):
            more = self._numbers(*known[:-1], one.keys - known[-1])
            value = numpy_helper.from_array(number)
            filled = self._add("ConstantOfShape", more, value=value)
            return self._add("Concat", mask, filled, axis=-1)
        if isinstance(one.keys, int) and isinstance(sizes[-1], int):
            amounts = self._numbers(*none, one.keys - sizes[-1])
        else:
            amounts = self._add("Concat", self._numbers(*none), self._missing(one), axis=0)
        return self._add("Pad", mask, amounts, self._constant(number.reshape(())))

    def _missing(self, one: _Attention) -> str:
        """How many columns a mask lacks, [1]."""
        keys = self._add("Shape", one.inputs[_KEYS], start=-2, end=-1)
        if one.past:
            keys = self._add("Add", self._add("Shape", one.past, start=-2, end=-1), keys)
        columns = self._add("Shape", one.inputs[_MASK], start=-1)
        return self._add("Max", self._add("Sub", keys, columns), self._numbers(0))

    def _rows_of(self, one: _Attention) -> str:
        """The shape that a mask gets rows by, whatever its other dims."""
        if isinstance(one.rows, int):
            return self._numbers(one.rows, 1)
        rows = self._add("Shape", one.inputs[_QUERIES], start=-2, end=-1)
        return self._add("Concat", rows, self._numbers(1), axis=0)

    def _numbers(self, *numbers: int) -> str:
        return self._constant(np.array(numbers, np.int64))

    def _constant(self, array: Array) -> str:
        name = self._name("constant")
        self._graph.initializer.append(numpy_helper.from_array(array, name))
        return name

    def _add(self, operator: str, *inputs: str, **attributes: Any) -> str:
        name = self._name(operator)
        self.nodes.append(helper.make_node(operator, inputs, [name], **attributes))
        return name

    def _name(self, of: str) -> str:
        name = next(n for i in self._places if (n := f"mask_{of}_{i}") not in self._taken)
        self._taken.add(name)
        return name


def _attentions(model: onnx.ModelProto, known: InferredShapes) -> dict[int, _Attention]:
    """The Attentions of the main graph with a mask, by the places of their nodes."""
    pads = opsets_of(model.opset_import).get("", 0) >= _PADS
    found = ((i, _attention(n, known, pads=pads)) for i, n in enumerate(model.graph.node))
    return {place: one for place, one in found if one is not None}


def _edited(
    model: onnx.ModelProto,
    found: Mapping[int, _Attention],
    change: Callable[[_Edit], Callable[[_Attention], str]],
) -> onnx.ModelProto:
    """A copy of the model with other masks for some Attentions."""
    if not found:
        return model
    (edited := onnx.ModelProto()).CopyFrom(model)
    edit = _Edit(edited.graph)
    for place, node in enumerate(model.graph.node):
        (copy := onnx.NodeProto()).CopyFrom(node)
        if place in found:
            copy.input[_MASK] = change(edit)(found[place])
        edit.nodes.append(copy)
    del edited.graph.node[:]
    edited.graph.node.extend(edit.nodes)
    return edited


def with_padded_masks(model: onnx.ModelProto, known: InferredShapes) -> onnx.ModelProto:
    """The model in which each mask has a column for each key; the same model if all have them.

    Args:
        model: is not changed.
        known: the types of its values.
    """
    found = {i: one for i, one in _attentions(model, known).items() if one.is_short}
    return _edited(model, found, lambda edit: edit.padded)


def with_rows_of_masks(model: onnx.ModelProto, known: InferredShapes) -> onnx.ModelProto:
    """The model in which each mask has a row for each query; the same model if all have them."""
    found = {i: one for i, one in _attentions(model, known).items() if one.has_one_row}
    return _edited(model, found, lambda edit: edit.with_rows)


def has_mask_of_one_row(model: onnx.ModelProto, known: InferredShapes) -> bool:
    """Whether several queries share the only row of a mask."""
    return any(one.has_one_row for one in _attentions(model, known).values())
