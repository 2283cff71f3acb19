"""The inputs that a call gives to an ONNX model, if they differ from the model's inputs.

    inputs x, w    initializer w = 1       called with x; w is constant
    free w         inputs x, w             called with x and w
    bound x = 2    initializers x = 2, w   called with nothing

An input with an initializer has a default value; `free` removes it. An input that determines a
shape (`value_inputs.py`) can be `bound` to its elements in a call.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from snippets_mlir.dialects.builtin.dtypes import Array

if TYPE_CHECKING:
    import onnx


@dataclass(frozen=True)
class ModelEdit:
    """The changes to a model; see the module docstring.

    Attributes:
        free: inputs that lose their initializer.
        bound: inputs that get one.
    """

    free: frozenset[str] = frozenset()
    bound: Mapping[str, Array] = field(default_factory=dict[str, Array])

    def binding(self, arrays: Mapping[str, Array]) -> ModelEdit:
        """The same, with more inputs bound."""
        return replace(self, bound={**self.bound, **arrays})


def overridable_inputs(model: onnx.ModelProto) -> list[onnx.ValueInfoProto]:
    """The inputs with an initializer, in their order."""
    given = {t.name for t in model.graph.initializer}
    given |= {t.values.name for t in model.graph.sparse_initializer}
    return [info for info in model.graph.input if info.name in given]


def apply_edit(model: onnx.ModelProto, edit: ModelEdit) -> None:
    """Apply `edit` to `model`, which is changed."""
    from onnx import numpy_helper

    if edit.free:
        _free(model.graph, edit.free)
    for name, array in edit.bound.items():
        model.graph.initializer.append(numpy_helper.from_array(array, name))


def _free(graph: onnx.GraphProto, names: frozenset[str]) -> None:
    types = {t.name: t for t in graph.initializer}
    types.update((t.values.name, t.values) for t in graph.sparse_initializer)
    sparse = {t.values.name: t.dims for t in graph.sparse_initializer}
    for info in graph.input:
        if info.name in names and not info.HasField("type"):
            tensor = info.type.tensor_type
            tensor.elem_type = types[info.name].data_type
            tensor.shape.SetInParent()
            for size in sparse.get(info.name, types[info.name].dims):
                tensor.shape.dim.add().dim_value = size
    for place in reversed(range(len(graph.initializer))):
        if graph.initializer[place].name in names:
            del graph.initializer[place]
    for place in reversed(range(len(graph.sparse_initializer))):
        if graph.sparse_initializer[place].values.name in names:
            del graph.sparse_initializer[place]
    _forget_shapes(graph)


def _forget_shapes(graph: onnx.GraphProto) -> None:
    """Erase the shapes that the model says: they may follow from a default value."""
    del graph.value_info[:]
    for info in graph.output:
        if info.type.WhichOneof("value") == "tensor_type":
            info.type.tensor_type.ClearField("shape")
    for node in graph.node:
        for attribute in node.attribute:
            for inner in [attribute.g] if attribute.HasField("g") else attribute.graphs:
                _forget_shapes(inner)
