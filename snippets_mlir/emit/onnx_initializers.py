"""Constants as initializers of ONNX models.

    %w = snippets.constant dense<...> : tensor<3x2xf32>      TensorProto(name="w", dims=[3, 2], ...)

A constant that was an initializer of an imported model becomes that tensor again. Its data may stay
out of the model: the session gets it separately, and sessions share it.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

import onnx
from onnx.helper import tensor_dtype_to_np_dtype
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr

from snippets_mlir.dialects.onnx.tensors import elements_of, with_data
from snippets_mlir.dialects.onnx.types import ELEMENT_CODES
from snippets_mlir.dialects.snippets.attributes import PanelsAttr, ResourceAttr
from snippets_mlir.dialects.snippets.constants import ConstantOp, ScalarOp
from snippets_mlir.dialects.snippets.folding import dense_of_scalar
from snippets_mlir.dialects.snippets.resources import load_resource, named_part
from snippets_mlir.emit.onnx_attributes import tensor_proto
from snippets_mlir.support.errors import CompileError

NUMBERS = frozenset(
    getattr(onnx.TensorProto, name)
    for name in (
        "BOOL DOUBLE FLOAT FLOAT16 INT16 INT32 INT64 INT8 UINT16 UINT32 UINT64 UINT8"
    ).split()
)
"""Element types that exist in NumPy."""


def _left_out(name: str, tensor: onnx.TensorProto) -> onnx.TensorProto:
    """`tensor` without its data, which is passed to the session separately.

    The length is computed from the type, because protobuf would copy the data to measure it.
    """
    length = prod(tensor.dims) * tensor_dtype_to_np_dtype(tensor.data_type).itemsize
    found = onnx.TensorProto(name=name, data_type=tensor.data_type, dims=tensor.dims)
    found.data_location = onnx.TensorProto.EXTERNAL
    facts = {"location": "weights", "offset": "0", "length": str(length)}
    for key, value in facts.items():
        found.external_data.append(onnx.StringStringEntryProto(key=key, value=value))
    return found


def initializer(
    op: ConstantOp | ScalarOp,
    name: str,
    weights: Mapping[str, onnx.TensorProto],
    apart: dict[str, str] | None,
) -> onnx.TensorProto:
    """The initializer `name` of a constant.

    Args:
        op: the constant.
        name: of the initializer.
        weights: the model's tensors, by the keys of the resources that name them.
        apart: unless None, data that can be passed to the session separately is left out of the
            initializer, and the tensor's key is stored here under the initializer's name.

    Raises:
        CompileError: a file holds an array of another shape.
    """
    value = op.value
    if isinstance(value, ResourceAttr):
        known = weights.get(value.key.data)
        if known is not None and value.columns is None and value.converted is None:
            is_apart = known.HasField("raw_data") or known.data_location == known.EXTERNAL
            plain = is_apart and known.data_type in NUMBERS
            if apart is not None and plain:
                apart[name] = value.key.data
                return _left_out(name, known)
            tensor = onnx.TensorProto()
            tensor.CopyFrom(with_data(known))
            tensor.name = name
            return tensor
        stored = None if known is None else elements_of(known)
        array = load_resource(value) if stored is None else named_part(stored, value)
        type_ = op.result.type
        if array.shape != type_.get_shape():
            raise CompileError(
                f"the constant '{value.key.data}' has shape {array.shape}, expected {type_}"
            )
        code = ELEMENT_CODES[type_.element_type]
        return onnx.TensorProto(
            name=name, data_type=code, dims=array.shape, raw_data=array.tobytes()
        )
    assert not isinstance(value, PanelsAttr), "panels are for kernels alone"
    if not isinstance(value, DenseIntOrFPElementsAttr):
        value = dense_of_scalar(value, op.result.type)
    return tensor_proto(value, name)
