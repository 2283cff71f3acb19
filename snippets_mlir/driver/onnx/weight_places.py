"""The places of a model's constants in its files, so that an entry need not contain them.

    ("", 4096, "float32", (512, 64))         bytes 4096 on of the model itself
    ("m.data", 0, "float32", (512, 64))      of a file beside it

The places of initializers follow from ONNX's wire format: a model's field 7 is its graph, whose
fields 5 are tensors with a name (8) and elements (9). All other fields are skipped unread.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from mmap import ACCESS_READ, mmap
from os import PathLike, stat
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from snippets_mlir.driver.sources.key_bytes import LARGE
from snippets_mlir.runtime.arguments.arrays import Array, dtype_from_name
from snippets_mlir.support.file_identity import identity_of
from snippets_mlir.support.protobuf import fields

if TYPE_CHECKING:
    import onnx

    from snippets_mlir.frontends.onnx.prepare import PreparedModel

GRAPH, INITIALIZER, NAME, RAW = 7, 5, 8, 9

Place = tuple[str, int]
"""A file beside the model, or `""` for the model itself, and the offset of the elements."""

FileFacts = tuple[str, int, int, int, int, int]
"""Location and identity (`identity_of`) of a file."""


def _in_model(data: memoryview) -> dict[str, tuple[int, int]]:
    """Where the elements of each initializer begin and end in a serialised model."""
    found: dict[str, tuple[int, int]] = {}
    for number, _, start, stop in fields(data):
        if number != GRAPH:
            continue
        for field, _, at, end in fields(data, start, stop):
            if field == INITIALIZER:
                parts = {n: (a, e) for n, _, a, e in fields(data, at, end)}
                if NAME in parts and RAW in parts:
                    first, last = parts[NAME]
                    found[bytes(data[first:last]).decode(errors="replace")] = parts[RAW]
    return found


def places_of(
    prepared: PreparedModel, names: Sequence[str], source: Path | bytes
) -> dict[str, Place] | None:
    """The place of each initializer; None if one is not in a file in the form of its use."""
    external = {
        t.name: {e.key: e.value for e in t.external_data}
        for t in prepared.model.graph.initializer
        if t.data_location == t.EXTERNAL
    }
    found: dict[str, Place] = {}
    for name in names:
        if (facts := external.get(name)) is not None:
            found[name] = (facts["location"], int(facts.get("offset") or 0))
    inside = [name for name in names if name not in found]
    if not inside:
        return found
    weights = prepared.weights
    with _Contents(source) as data:
        places = _in_model(data)
        for name in inside:
            begin, end = places.get(name, (0, 0))
            if begin == end or not _are_elements(data[begin:end], weights[name]):
                return None
            found[name] = ("", begin)
    return found


def _are_elements(data: memoryview, tensor: onnx.TensorProto) -> bool:
    """Whether `data` are the elements of an initializer.

    Those of more than `LARGE` bytes are only counted: the key of the entry names their file by
    size, time and inode, or has their hash.
    """
    if len(data) <= LARGE:
        return data == memoryview(tensor.raw_data)
    from onnx import helper

    dtype = helper.tensor_dtype_to_np_dtype(tensor.data_type)
    return len(data) == prod(tensor.dims) * dtype.itemsize


class _Contents:
    """The bytes of a source while a `with` lasts."""

    def __init__(self, source: Path | bytes) -> None:
        self._source = source

    def __enter__(self) -> memoryview:
        if isinstance(self._source, bytes):
            self._map: mmap | None = None
            self._view = memoryview(self._source)
        else:
            with open(self._source, "rb") as file:
                self._map = mmap(file.fileno(), 0, access=ACCESS_READ)
            self._view = memoryview(self._map)
        return self._view

    def __exit__(self, *_: object) -> None:
        self._view.release()
        if self._map is not None:
            self._map.close()


def elements_at(place: Place, dtype: str, shape: Sequence[int], source: Path | bytes) -> Array:
    """The elements of a constant, read now.

    Raises:
        OSError, ValueError: there are fewer, or no such file.
    """
    location, begin = place
    count, kind = int(np.prod(shape, dtype=np.int64)), dtype_from_name(dtype)
    if begin < 0 or count < 0:
        raise ValueError("a constant before the file")
    if isinstance(source, bytes):
        if location:
            raise ValueError("a model in memory has no other files")
        return np.frombuffer(source, kind, count, begin).reshape(shape)
    path = source if not location else source.parent / location
    array: Any = np.fromfile(path, kind, count, offset=begin)
    return cast("Array", array.reshape(shape))


def locations_of(prepared: PreparedModel) -> list[str]:
    """The other files that a model names for data, also in its subgraphs and attributes."""
    from onnx import external_data_helper as helper

    tensors: Any = helper._get_all_tensors(prepared.model)  # pyright: ignore
    return sorted(
        {
            entry.value
            for tensor in tensors
            if tensor.data_location == tensor.EXTERNAL
            for entry in tensor.external_data
            if entry.key == "location"
        }
    )


def require_data(prepared: PreparedModel) -> None:
    """See that the other files that initializers have their data in are there, and long enough.

    Raises:
        CompileError: one is not; the message names the initializer and the file.
    """
    from snippets_mlir.dialects.onnx.tensors import said  # it needs xDSL

    sizes: dict[str, int] = {}
    for tensor in prepared.model.graph.initializer:
        if tensor.data_location != tensor.EXTERNAL:
            continue
        location = said(tensor, "location")
        if (size := sizes.get(location)) is None:
            try:
                size = stat(Path(prepared.folder) / location).st_size
            except (OSError, ValueError):
                size = -1
            sizes[location] = size
        try:
            end = int(said(tensor, "offset") or 0) + int(said(tensor, "length") or 0)
        except ValueError:
            end = 0
        if size < max(end, 0):
            _ = prepared.weights[tensor.name]  # raises


def external_files(prepared: PreparedModel) -> list[FileFacts] | None:
    """The other files with data of a model; None if some cannot be determined."""
    locations = locations_of(prepared)
    if not locations:
        return []
    if prepared.file is None:
        return None
    try:
        return [_facts(Path(prepared.folder), location) for location in locations]
    except (OSError, ValueError):
        return None


def _facts(folder: Path, location: str) -> FileFacts:
    return (location, *identity_of(stat(folder / location)))


def are_unchanged(files: Sequence[Sequence[Any]], source: object) -> bool:
    """Whether the other files of a model are unchanged."""
    if not files:
        return True
    if not isinstance(source, str | PathLike):
        return False
    folder = Path(cast("str", source)).parent
    try:
        return all(_facts(folder, facts[0]) == tuple(facts) for facts in files)
    except (OSError, ValueError, TypeError):
        return False
