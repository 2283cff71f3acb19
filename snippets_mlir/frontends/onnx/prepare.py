"""Prepares a model once for all imports: inlines functions and infers shapes.

    prepared = prepare(load(path), None, path)
    prepared.require_sound()
    import_model(prepared)                            dynamic dims are ?
    import_model(prepared, sizes={batch: 8}.get)      the expression batch is 8 in all types

The model itself is never copied for shapes: only the inference uses `input_shapes`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from pathlib import Path

import onnx
from onnx import inliner
from onnx.checker import ValidationError
from onnx.external_data_helper import load_external_data_for_model, uses_external_data

from snippets_mlir.dialects.onnx.tensors import located, with_data
from snippets_mlir.frontends.onnx.attention_masks import (
    has_mask_of_one_row,
    with_padded_masks,
    with_rows_of_masks,
)
from snippets_mlir.frontends.onnx.constant_nodes import ConstantNodes, constant_nodes
from snippets_mlir.frontends.onnx.load import check
from snippets_mlir.frontends.onnx.rotary_caches import has_shared_caches, with_own_caches
from snippets_mlir.frontends.onnx.shapes import InferredShapes, infer_shapes
from snippets_mlir.frontends.onnx.shapes.misfits import is_refused, misfit
from snippets_mlir.frontends.onnx.wide_halves import with_wide_halves
from snippets_mlir.support.errors import CompileError

Shape = Sequence[int | None]


@dataclass(frozen=True)
class PreparedModel:
    """A model and the facts about its values.

    Attributes:
        model: the model without its own functions.
        inferred: types with symbols, for calls that fulfil its equalities.
        input_shapes: the sizes that the caller set.
        file: the path of the model, or None.
        digests: of the large constants that an import has read, by name.
        is_changed: whether onnxruntime does not run the model of the caller, because of its masks
            (`attention_masks.py`), caches (`rotary_caches.py`) or 16-bit floats (`wide_halves.py`).
        differs_by_f16: whether f16 alone makes `is_changed`: onnxruntime runs the model of the
            caller, too. It also computes f16 in f32, but rounds other values.
    """

    model: onnx.ModelProto
    inferred: InferredShapes
    input_shapes: Mapping[str, Shape] | None
    file: str | None
    digests: dict[str, str] = field(default_factory=dict[str, str])
    is_changed: bool = False
    differs_by_f16: bool = False

    def require_sound(self) -> None:
        """Let ONNX's checker see the model, once; CompileError when it is not valid."""
        return self._soundness

    def take_as_sound(self) -> None:
        """Do not check it: onnxruntime has loaded it, and checks nodes as ONNX's checker does."""
        self.__dict__["_soundness"] = None  # as `cached_property` keeps it

    @cached_property
    def _soundness(self) -> None:
        check(self.model, self.file)

    @cached_property
    def certain(self) -> InferredShapes:
        """The facts that hold for calls of all sizes."""
        if not self.inferred.equalities:
            return self.inferred
        return infer_shapes(self.model, self.input_shapes, assume=False)

    @property
    def contradicts_itself(self) -> bool:
        """Whether ONNX refuses the types of a node's inputs for calls of all sizes."""
        return is_refused(self.inferred) and is_refused(self.certain)

    @property
    def misfit(self) -> str | None:
        """The node that onnxruntime refuses in calls of all sizes when it runs, and why."""
        return misfit(self.inferred) and misfit(self.certain)

    @cached_property
    def constant_nodes(self) -> ConstantNodes:
        """The nodes that compute only from constants, and their values."""
        return constant_nodes(self.model, self.inferred, lambda name: with_data(self.weights[name]))

    @property
    def interface(self) -> InferredShapes:
        """`certain` for inputs and outputs, without a separate inference if possible.

        An assumption replaces a size that calls choose by a number.
        """
        graph = self.model.graph
        if all(map(self._is_certain, (*graph.input, *graph.output))):
            return self.inferred
        return self.certain

    def _is_certain(self, info: onnx.ValueInfoProto) -> bool:
        """Whether the known sizes of a value are the sizes that the model itself states."""
        found = self.inferred.types.get(info.name)
        if self.input_shapes or found is None or found.shape is None:
            return False
        dims = info.type.tensor_type.shape.dim
        if len(dims) != len(found.shape):
            return False
        pairs = zip(found.shape, dims, strict=True)
        return all(
            (s if isinstance(s, int) else None)
            == (d.dim_value if d.HasField("dim_value") and d.dim_value >= 0 else None)
            for s, d in pairs
        )

    @cached_property
    def weights(self) -> Mapping[str, onnx.TensorProto]:
        """The initializers by name; those with external data say where it is."""
        return Weights(self.model.graph.initializer, self.folder)

    def takes_at_most(self, size: int) -> bool:
        """Whether the model, with data in other files, has at most `size` bytes.

        Protobuf copies a model to compute this, so models with many elements, or from a file, are
        not checked.
        """
        # At least half a byte each.
        elements = sum(prod(tensor.dims) for tensor in self.model.graph.initializer)
        if elements > 2 * size:
            return False
        with suppress(OSError):
            if self.file is not None:
                return Path(self.file).stat().st_size <= size
        return self.model.ByteSize() <= size

    def for_sessions(self) -> onnx.ModelProto:
        """The model as onnxruntime runs it, including data from other files.

        Raises:
            CompileError: such data cannot be read.
        """
        model = with_rows_of_masks(self.model, self.inferred)
        model = with_own_caches(model, self.inferred)
        if not any(map(uses_external_data, model.graph.initializer)):
            return model
        (inside := onnx.ModelProto()).CopyFrom(model)
        try:
            load_external_data_for_model(inside, self.folder)
        except (OSError, ValueError, ValidationError) as error:
            raise CompileError(f"cannot read the data of the model: {error}") from None
        return inside

    @property
    def folder(self) -> str:
        """Where other files with its data are."""
        return "" if self.file is None else str(Path(self.file).parent)


class Weights(Mapping[str, onnx.TensorProto]):
    """Tensors by name, with data inside or in a file (`dialects/onnx/tensors.py`)."""

    def __init__(self, tensors: Iterable[onnx.TensorProto], folder: str) -> None:
        """`folder` is where files with data are."""
        self._tensors = {tensor.name: tensor for tensor in tensors}
        self._folder = folder

    def __getitem__(self, name: str) -> onnx.TensorProto:
        """The tensor called `name`, located; CompileError when its data cannot be read."""
        return located(self._tensors[name], self._folder)

    def __iter__(self) -> Iterator[str]:
        return iter(self._tensors)

    def __len__(self) -> int:
        return len(self._tensors)


def prepare(
    model: onnx.ModelProto, input_shapes: Mapping[str, Shape] | None, file: str | None
) -> PreparedModel:
    """The model with functions inlined, halves widened and masks padded, and its values' types.

    The argument is not changed.

    Raises CompileError when `input_shapes` contradicts the model.
    """
    if model.functions:
        try:
            model = inliner.inline_local_functions(model)
        except (RuntimeError, ValueError) as error:
            raise CompileError(f"cannot inline the model's functions: {error}", file=file) from None
    if input_shapes:
        _check_shapes(model.graph, input_shapes, file)
    inferred = infer_shapes(model, input_shapes)
    wide = with_wide_halves(model, inferred)
    is_wide = wide is not model
    has_bf16 = any(type_.element == onnx.TensorProto.BFLOAT16 for type_ in inferred.types.values())
    if is_wide:
        model, inferred = wide, infer_shapes(wide, input_shapes)
    padded = with_padded_masks(model, inferred)
    is_changed = padded is not model or has_mask_of_one_row(model, inferred)
    is_changed |= has_shared_caches(model, inferred)
    by_f16 = is_wide and not has_bf16 and not is_changed
    if padded is not model:
        inferred = infer_shapes(padded, input_shapes)
    is_changed |= is_wide
    return PreparedModel(
        padded, inferred, input_shapes, file, is_changed=is_changed, differs_by_f16=by_f16
    )


def _check_shapes(graph: onnx.GraphProto, shapes: Mapping[str, Shape], file: str | None) -> None:
    inputs = {i.name: i for i in graph.input}
    for name, shape in shapes.items():
        if name not in inputs:
            raise CompileError(
                f"a shape names the input '{name}'; the inputs are {', '.join(inputs)}", file=file
            )
        tensor = inputs[name].type.tensor_type
        if not tensor.HasField("shape"):
            continue
        rank = len(tensor.shape.dim)
        if rank != len(shape):
            raise CompileError(
                f"input '{name}': expected a shape of {rank} dims, found {len(shape)}",
                file=file,
            )
        for i, (dim, size) in enumerate(zip(tensor.shape.dim, shape, strict=True)):
            # Exporters write -1 for the size of a dynamic dimension.
            known = dim.HasField("dim_value") and dim.dim_value >= 0
            if known and size is not None and dim.dim_value != size:
                raise CompileError(
                    f"input '{name}': expected size {dim.dim_value} of dim {i}, found {size}",
                    file=file,
                )
