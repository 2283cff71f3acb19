"""The elements of ONNX's tensors, including tensors with data in a file beside the model.

    located(tensor, folder)      the tensor with the path of its file, checked; nothing is read
    elements_of(tensor)          its elements; those of a located tensor are read now
    with_data(tensor)            the tensor with its data inside, for a separate model

Weights may take more memory than everything else. They are therefore read on demand and directly
into an array. ONNX itself reads the bytes of a file first, and a message with these bytes copies
them.
"""

from __future__ import annotations

from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

from snippets_mlir.support.errors import CompileError

if TYPE_CHECKING:
    import numpy as np
    import onnx

    Array = np.ndarray[Any, np.dtype[Any]]

PLAIN = "biufc"
"""Kinds of dtypes whose elements have NumPy's form in a file; other kinds may be packed."""


def located(tensor: onnx.TensorProto, folder: str) -> onnx.TensorProto:
    """`tensor` with the path of its file, if its data is in one; otherwise `tensor`.

    A tensor of a type that NumPy does not have comes back with its data inside.

    Args:
        tensor: of a model in `folder`.
        folder: "" is the working directory.

    Raises:
        CompileError: ONNX does not allow this file name, the file cannot be read, or it does not
            have the bytes that the tensor names.
    """
    if tensor.data_location != tensor.EXTERNAL:
        return tensor
    from onnx.checker import ValidationError

    try:
        return _located(tensor, folder)
    except (OSError, ValueError, ValidationError) as error:
        raise CompileError(f"cannot read the initializer '{tensor.name}': {error}") from None


def _located(tensor: onnx.TensorProto, folder: str) -> onnx.TensorProto:
    from onnx import TensorProto
    from onnx.external_data_helper import load_external_data_for_tensor

    found, first = TensorProto(), TensorProto()
    found.CopyFrom(tensor)
    dtype = _dtype(tensor)
    if dtype.kind not in PLAIN or 0 in tensor.dims:
        load_external_data_for_tensor(found, folder)
        del found.external_data[:]
        found.data_location = found.DEFAULT
        return found
    first.CopyFrom(tensor)
    _say(first, "length", 1)
    load_external_data_for_tensor(first, folder)  # checks the name of the file
    path, begin = Path(folder) / said(tensor, "location"), int(said(tensor, "offset") or 0)
    there, size = path.stat().st_size - begin, prod(tensor.dims) * dtype.itemsize
    named = int(said(tensor, "length") or there)
    if named != size or there < size:
        least = min(named, there)
        raise ValueError(f"expected {size} bytes in '{path}' from byte {begin} on, found {least}")
    _say(found, "location", path.absolute())
    return found


def elements_of(tensor: onnx.TensorProto) -> Array:
    """The elements of a located tensor, or of a tensor with data inside.

    Raises:
        CompileError: the file cannot be read any more, or the data inside does not fit the type.
    """
    from onnx import numpy_helper

    external = tensor.data_location == tensor.EXTERNAL
    try:
        return _read(tensor) if external else numpy_helper.to_array(tensor)
    except (OSError, ValueError) as error:
        raise CompileError(f"cannot read the initializer '{tensor.name}': {error}") from None


def _read(tensor: onnx.TensorProto) -> Array:
    import numpy as np

    path, begin = said(tensor, "location"), int(said(tensor, "offset") or 0)
    dtype, count = _dtype(tensor), prod(tensor.dims)
    array: Array = np.fromfile(path, dtype.newbyteorder("<"), count, offset=begin)
    return array.astype(dtype, copy=False).reshape(tuple(tensor.dims))


def with_data(tensor: onnx.TensorProto) -> onnx.TensorProto:
    """A located tensor with its data inside; raises as `elements_of` does."""
    from onnx import numpy_helper

    if tensor.data_location != tensor.EXTERNAL:
        return tensor
    return numpy_helper.from_array(elements_of(tensor), tensor.name)


def _dtype(tensor: onnx.TensorProto) -> np.dtype[Any]:
    from onnx.helper import tensor_dtype_to_np_dtype

    return tensor_dtype_to_np_dtype(tensor.data_type)


def said(tensor: onnx.TensorProto, key: str) -> str:
    """A tensor's entries about its file (`location`, `offset`, `length`); empty if it has none."""
    return next((entry.value for entry in tensor.external_data if entry.key == key), "")


def _say(tensor: onnx.TensorProto, key: str, value: object) -> None:
    from onnx import StringStringEntryProto

    kept = [entry for entry in tensor.external_data if entry.key != key]
    del tensor.external_data[:]
    tensor.external_data.extend([*kept, StringStringEntryProto(key=key, value=str(value))])
