"""Data of constants outside of the text: `#snippets.resource<"file", "key", "sha256">`.

A file is an ONNX model (`.onnx`, the key is an initializer, whose data may be in an external file
beside the model), an array (`.npy`, the key is ignored) or an archive of arrays (`.npz`). The bytes
are hashed as little-endian row-major elements, and any hash other than the recorded one is refused:
a model that changed after its text was written must not silently run with other weights. A constant
may be some columns of the stored array, and may be read in a wider type: `named_part`.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.file_identity import Identity, identity_of

if TYPE_CHECKING:
    import numpy as np

    from snippets_mlir.dialects.snippets.attributes import ResourceAttr

    Array = np.ndarray[Any, np.dtype[Any]]

READERS = (".onnx", ".npy", ".npz")


def little_endian(array: Array) -> Array:
    """`array` as dense row-major little-endian elements; `array` itself if it has this form."""
    import numpy as np

    return np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<")).reshape(array.shape)


def digest(array: Array) -> str:
    """The sha256 of an array's little-endian row-major bytes."""
    import numpy as np

    dense = little_endian(array)
    return hashlib.sha256(dense.reshape(-1).view(np.uint8).data).hexdigest()


def named_part(array: Array, attr: ResourceAttr) -> Array:
    """The stored elements `array` in the form of `attr`: a view, or a copy of another type.

    Raises:
        CompileError: `attr` has columns that `array` does not have.
    """
    if attr.columns is not None:
        start, stop = attr.columns
        if array.ndim == 0 or array.shape[-1] < stop:
            raise CompileError(
                f"the constant '{attr.key.data}' has shape {array.shape}, "
                f"expected {stop} columns or more"
            )
        array = array[..., start:stop]
    if attr.converted is None:
        return array
    from snippets_mlir.dialects.builtin.dtypes import numpy_dtype

    return array.astype(numpy_dtype(attr.converted), copy=False)


class _AtHand(threading.local):
    """The ONNX tensors of the model that this thread compiles, by name."""

    tensors: Mapping[str, Any] = MappingProxyType({})


_AT_HAND = _AtHand()


@contextmanager
def tensors_at_hand(tensors: Mapping[str, Any]) -> Generator[None]:
    """In the `with` block, `resource_at_hand` finds the tensors of a model, which need not be in a
    file.
    """
    before, _AT_HAND.tensors = _AT_HAND.tensors, tensors
    try:
        yield
    finally:
        _AT_HAND.tensors = before


def resource_at_hand(attr: ResourceAttr) -> Array:
    """The array that `attr` names: one of these tensors, else as `load_resource`."""
    if (tensor := _AT_HAND.tensors.get(attr.key.data)) is None:
        return load_resource(attr)
    from snippets_mlir.dialects.onnx.tensors import elements_of

    return named_part(elements_of(tensor), attr)


def load_resource(attr: ResourceAttr) -> Array:
    """The array that `attr` names; CompileError if it is missing, unreadable or has another
    hash.
    """
    path, key = Path(attr.file.data), attr.key.data
    if path.suffix not in READERS:
        raise CompileError(
            f"resource '{key}' is in '{path}', expected a file of one of: {', '.join(READERS)}"
        )
    if not path.is_file():
        raise CompileError(
            f"the file '{path}' that holds the constant '{key}' does not exist; "
            "its name is relative to the working directory"
        )
    array = little_endian(_read(path, key))
    found = digest(array)
    if found != attr.sha256.data:
        raise CompileError(
            f"the constant '{key}' in '{path}' is not the one that the program was made from: "
            f"expected sha256 {attr.sha256.data}, found {found}"
        )
    return named_part(array, attr)


def _read(path: Path, key: str) -> Array:
    import numpy as np

    try:
        if path.suffix == ".npy":
            return np.load(path, allow_pickle=False)
        if path.suffix == ".npz":
            with np.load(path, allow_pickle=False) as archive:
                return archive[key]
        return _initializer(path, key)
    except KeyError:
        raise CompileError(f"'{path}' holds no constant '{key}'") from None
    except (OSError, ValueError, EOFError) as error:
        if isinstance(error, CompileError):
            raise
        raise CompileError(f"cannot read the constant '{key}' in '{path}': {error}") from None


def _initializer(path: Path, key: str) -> Array:
    try:
        from onnx import checker, numpy_helper
    except ImportError:
        raise CompileError(
            f"'{path}' is an ONNX model; install snippets-mlir[onnx] to read the constant '{key}'"
        ) from None
    tensor = _initializers(str(path), identity_of(path.stat()))[key]
    try:
        return numpy_helper.to_array(tensor, base_dir=str(path.parent))
    except checker.ValidationError as error:
        raise CompileError(f"cannot read the constant '{key}' in '{path}': {error}") from None


@lru_cache(maxsize=2)
def _initializers(path: str, _identity: Identity) -> dict[str, Any]:
    """Name -> TensorProto of a model; models are large, so the last two stay in memory."""
    from google.protobuf.message import DecodeError
    from onnx import ModelProto

    model = ModelProto()
    try:
        model.ParseFromString(Path(path).read_bytes())
    except DecodeError:
        raise CompileError(f"'{path}' is not an ONNX model") from None
    return {t.name: t for t in model.graph.initializer}
