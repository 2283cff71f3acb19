"""Read, check and prepare an ONNX model, so that the import sees a sound graph with known types.

`load` gives a checked model or one `CompileError`; `prepare` inlines the model's functions, sets
the shapes that the caller wants, and infers the types of all values. Neither changes its argument.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import onnx
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import DecodeError, EncodeError, Message
from onnx import checker, helper, inliner, shape_inference
from onnx.external_data_helper import load_external_data_for_model

from snippets_mlir.errors import CompileError
from snippets_mlir.frontend.onnx.node import LARGE
from snippets_mlir.frontend.onnx.readers import graphs_of

Shape = Sequence[int | None]


def load(source: str | Path | onnx.ModelProto) -> onnx.ModelProto:
    """The model of a file (external data stays outside) or `source` itself, checked by ONNX."""
    if isinstance(source, onnx.ModelProto):
        _check(source, source, None)
        return source
    path = str(source)
    model = onnx.ModelProto()
    try:
        model.ParseFromString(Path(path).read_bytes())
    except FileNotFoundError:
        raise CompileError("the file does not exist", file=path) from None
    except (DecodeError, UnicodeDecodeError):
        raise CompileError("not an ONNX model: the file does not decode", file=path) from None
    except (OSError, ValueError) as error:
        raise CompileError(f"cannot read the ONNX model: {error}", file=path) from None
    if not model.ByteSize():
        raise CompileError("not an ONNX model: the file is empty", file=path)
    _check(model, path, path)
    return model


def _check(model: onnx.ModelProto, subject: onnx.ModelProto | str, file: str | None) -> None:
    try:
        _check_text(model)
    except UnicodeDecodeError:
        raise CompileError("not a valid ONNX model: a name is not UTF-8", file=file) from None
    if not model.HasField("graph"):
        raise CompileError("not an ONNX model: it has no graph", file=file)
    try:
        accepted = _without_old_group_norms(model, subject)
        checker.check_model(accepted)  # pyright: ignore[reportUnknownMemberType]
    except (checker.ValidationError, RuntimeError, ValueError, EncodeError, OSError) as error:
        text = " ".join(str(error).split())
        raise CompileError(f"not a valid ONNX model: {text}", file=file) from None
    known = {v.name for v in (*model.graph.input, *model.graph.initializer)}
    known |= {t.values.name for t in model.graph.sparse_initializer}
    known.update(name for node in model.graph.node for name in node.output)
    for output in model.graph.output:
        if output.name not in known:
            raise CompileError(
                f"not a valid ONNX model: no node computes the output '{output.name}'", file=file
            )


def _without_old_group_norms(
    model: onnx.ModelProto, subject: onnx.ModelProto | str
) -> onnx.ModelProto | str:
    """What to check for `subject`: ONNX's checker refuses GroupNormalization of opsets 18 to 20.

    They are known here (their parameters are those of groups); the checker sees an operator of the
    same inputs in their place.
    """
    opset = max((o.version for o in model.opset_import if o.domain in ("", "ai.onnx")), default=0)
    old = [i for i, n in enumerate(model.graph.node) if n.op_type == "GroupNormalization"]
    if not old or not 18 <= opset < 21:
        return subject
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    if isinstance(subject, str):
        load_external_data_for_model(copy, str(Path(subject).parent))
    for index in old:
        node = copy.graph.node[index]
        node.op_type = "InstanceNormalization"
        kept = [a for a in node.attribute if a.name != "num_groups"]
        del node.attribute[:]
        node.attribute.extend(kept)
    return copy


def _check_text(message: Message) -> None:
    """UnicodeDecodeError for text that is not UTF-8, which protobuf finds only when it is read."""
    for field, value in message.ListFields():
        if field.type == FieldDescriptor.TYPE_STRING:
            for text in [value] if isinstance(value, str | bytes) else value:
                if isinstance(text, bytes):
                    text.decode()
        elif field.type == FieldDescriptor.TYPE_MESSAGE:
            for part in [value] if isinstance(value, Message) else value:
                _check_text(part)


def prepare(
    model: onnx.ModelProto, input_shapes: Mapping[str, Shape] | None, file: str | None
) -> tuple[onnx.ModelProto, dict[str, onnx.TypeProto]]:
    """The model with functions inlined and shapes set, and the types of its values by name.

    Raises CompileError when `input_shapes` contradicts the model.
    """
    prepared = model
    if model.functions:
        try:
            prepared = inliner.inline_local_functions(model)
        except (RuntimeError, ValueError) as error:
            raise CompileError(f"cannot inline the model's functions: {error}", file=file) from None
    if input_shapes:
        specialised = onnx.ModelProto()
        specialised.CopyFrom(prepared)
        _set_shapes(specialised.graph, input_shapes, file)
        prepared = specialised
    return prepared, _infer_types(prepared)


def _is_known(dim: onnx.TensorShapeProto.Dimension) -> bool:
    """Whether a dim has a size; exporters write -1 for one that a call brings."""
    return dim.HasField("dim_value") and dim.dim_value >= 0


def _forget_negative_sizes(graph: onnx.GraphProto) -> None:
    """Leave out the sizes below 0 of a graph and its graph attributes (edits `graph`)."""
    for info in (*graph.input, *graph.output, *graph.value_info):
        for dim in info.type.tensor_type.shape.dim:
            if dim.HasField("dim_value") and not _is_known(dim):
                dim.ClearField("dim_value")
    for node in graph.node:
        for inner in graphs_of(node):
            _forget_negative_sizes(inner)


def _set_shapes(graph: onnx.GraphProto, shapes: Mapping[str, Shape], file: str | None) -> None:
    inputs = {i.name: i for i in graph.input}
    for name, shape in shapes.items():
        if name not in inputs:
            raise CompileError(
                f"input_shapes names '{name}', expected one of: {', '.join(inputs)}", file=file
            )
        tensor = inputs[name].type.tensor_type
        if tensor.HasField("shape") and len(tensor.shape.dim) != len(shape):
            raise CompileError(
                f"input_shapes gives '{name}' {len(shape)} dims, expected {len(tensor.shape.dim)}",
                file=file,
            )
        if not tensor.HasField("shape"):
            tensor.shape.dim.extend(onnx.TensorShapeProto.Dimension() for _ in shape)
        for i, (dim, size) in enumerate(zip(tensor.shape.dim, shape, strict=True)):
            if size is None:
                continue
            if _is_known(dim) and dim.dim_value != size:
                raise CompileError(
                    f"input_shapes gives dim {i} of '{name}' size {size}, expected {dim.dim_value}",
                    file=file,
                )
            dim.dim_value = size
    # What was said about values for other shapes no longer holds.
    del graph.value_info[:]
    for output in graph.output:
        if output.type.HasField("tensor_type"):
            output.type.tensor_type.ClearField("shape")


def _skeleton(model: onnx.ModelProto) -> onnx.ModelProto:
    """A copy without the data of large initializers, which become inputs: types suffice."""
    skeleton, graph = onnx.ModelProto(), model.graph
    skeleton.ir_version = max(model.ir_version, 4)
    skeleton.opset_import.extend(model.opset_import)
    skeleton.graph.name = graph.name
    skeleton.graph.node.extend(graph.node)
    skeleton.graph.output.extend(graph.output)
    skeleton.graph.value_info.extend(graph.value_info)
    data = {t.name for t in graph.initializer} | {t.values.name for t in graph.sparse_initializer}
    skeleton.graph.input.extend(i for i in graph.input if i.name not in data)
    for tensor in graph.initializer:
        if tensor.data_location != onnx.TensorProto.EXTERNAL and tensor.ByteSize() <= LARGE:
            skeleton.graph.initializer.append(tensor)
        else:
            skeleton.graph.input.append(
                helper.make_tensor_value_info(tensor.name, tensor.data_type, list(tensor.dims))
            )
    _forget_negative_sizes(skeleton.graph)
    for sparse in graph.sparse_initializer:
        skeleton.graph.input.append(
            helper.make_tensor_value_info(
                sparse.values.name, sparse.values.data_type, list(sparse.dims)
            )
        )
    return skeleton


def _infer_types(model: onnx.ModelProto) -> dict[str, onnx.TypeProto]:
    """Value name -> type, as far as ONNX's shape inference knows it.

    Inference that fails leaves the declared types: ops that we compile check their operands, and
    the engine checks the ops that it runs.
    """
    skeleton = _skeleton(model)
    try:
        inferred = shape_inference.infer_shapes(skeleton, data_prop=True)
    except (shape_inference.InferenceError, RuntimeError, ValueError):
        inferred = skeleton
    graph = inferred.graph
    types = {t.name: _tensor_type(t) for t in graph.initializer}
    for info in (*graph.output, *graph.value_info, *graph.input):
        if info.type.WhichOneof("value") is not None:
            types[info.name] = info.type
    return types


def _tensor_type(tensor: onnx.TensorProto) -> onnx.TypeProto:
    return helper.make_tensor_type_proto(tensor.data_type, list(tensor.dims))
