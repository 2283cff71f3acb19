"""A model made ready for its import, once for all imports: functions inlined, shapes inferred.

    prepared = prepare(load(path), None, path)
    import_model(prepared)                            dynamic dims are ?
    import_model(prepared, sizes={batch: 8}.get)      the expression batch is 8 in all types

The model itself is never copied for shapes: `input_shapes` go into the inference alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import onnx
from onnx import inliner

from snippets_mlir.errors import CompileError
from snippets_mlir.frontend.onnx.shapes import InferredShapes, infer_shapes

Shape = Sequence[int | None]


@dataclass(frozen=True)
class PreparedModel:
    """A model and what is known about its values.

    Attributes:
        model: the model without functions of its own.
        inferred: types with symbols, for calls that fulfil its equalities.
        input_shapes: the sizes that the caller set.
        file: the path of the model, or None.
        digests: those of the large constants that an import has read, by name.
    """

    model: onnx.ModelProto
    inferred: InferredShapes
    input_shapes: Mapping[str, Shape] | None
    file: str | None
    digests: dict[str, str] = field(default_factory=dict[str, str])

    @cached_property
    def certain(self) -> InferredShapes:
        """What is known for every call, whatever its sizes."""
        if not self.inferred.equalities:
            return self.inferred
        return infer_shapes(self.model, self.input_shapes, assume=False)

    @cached_property
    def weights(self) -> Mapping[str, onnx.TensorProto]:
        """The initializers by name, those left out whose data is in other files."""
        return {
            t.name: t
            for t in self.model.graph.initializer
            if t.data_location != onnx.TensorProto.EXTERNAL
        }


def prepare(
    model: onnx.ModelProto, input_shapes: Mapping[str, Shape] | None, file: str | None
) -> PreparedModel:
    """The model with functions inlined, and the types of its values; the argument is not changed.

    Raises CompileError when `input_shapes` contradicts the model.
    """
    if model.functions:
        try:
            model = inliner.inline_local_functions(model)
        except (RuntimeError, ValueError) as error:
            raise CompileError(f"cannot inline the model's functions: {error}", file=file) from None
    if input_shapes:
        _check_shapes(model.graph, input_shapes, file)
    return PreparedModel(model, infer_shapes(model, input_shapes), input_shapes, file)


def _check_shapes(graph: onnx.GraphProto, shapes: Mapping[str, Shape], file: str | None) -> None:
    inputs = {i.name: i for i in graph.input}
    for name, shape in shapes.items():
        if name not in inputs:
            raise CompileError(
                f"input_shapes names '{name}', expected one of: {', '.join(inputs)}", file=file
            )
        tensor = inputs[name].type.tensor_type
        if not tensor.HasField("shape"):
            continue
        if len(tensor.shape.dim) != len(shape):
            raise CompileError(
                f"input_shapes gives '{name}' {len(shape)} dims, expected {len(tensor.shape.dim)}",
                file=file,
            )
        for i, (dim, size) in enumerate(zip(tensor.shape.dim, shape, strict=True)):
            # Exporters write -1 for a size that a call brings.
            known = dim.HasField("dim_value") and dim.dim_value >= 0
            if known and size is not None and dim.dim_value != size:
                raise CompileError(
                    f"input_shapes gives dim {i} of '{name}' size {size}, expected {dim.dim_value}",
                    file=file,
                )
