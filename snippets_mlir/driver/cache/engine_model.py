"""Models of sessions as onnxruntime has optimized them, in entries of the cache.

    the entry                    the model; a large tensor is {"location": NAME, "offset": 4096, ..}
    constants/NAME               the elements of its large tensors, each at a cache line

onnxruntime maps such a file and uses its pages in place: opening a session neither reads, copies
nor converts these tensors, and optimizes nothing. All processes share one copy in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np

from snippets_mlir.driver.cache.constant_files import LARGE, FileData, keep_constants, mapped
from snippets_mlir.driver.cache.optional_work import Stop
from snippets_mlir.runtime.arguments.arrays import Array
from snippets_mlir.runtime.engine.opening import Configure, open_optimized
from snippets_mlir.support.errors import CompileError

if TYPE_CHECKING:
    import onnx

APART = 1 << 10
"""Bytes from which a tensor is in the file. onnxruntime infers shapes from smaller ones."""

LARGEST = 256 << 20
"""The largest weights of models that are stored once more, in bytes. Meanwhile the process holds
them twice."""

_DATA = "session.optimized_model_external_initializers_"
"""The prefix of onnxruntime's options for the file of large tensors."""

Optimized = tuple["onnx.ModelProto", Path | None]
"""A model, and the file that has the elements of its large tensors if they are not inside."""


class ModelData(TypedDict):
    """A model as JSON-able data: its bytes in the entry, and the file of its tensors."""

    bytes: int
    file: FileData | None


class PartData(TypedDict):
    """The model of one session in an entry.

    Attributes:
        bytes: how long it is.
        optimized: whether onnxruntime has optimized it.
        reason: why not; None: it has, or nobody has tried yet.
    """

    bytes: int
    optimized: bool
    reason: str | None


def may_be_optimized(parts: Iterable[PartData]) -> bool:
    """Whether some model is not optimized, and nothing is known against that."""
    return any(not part["optimized"] and part["reason"] is None for part in parts)


def why_plain(parts: Iterable[PartData]) -> str | None:
    """Why onnxruntime optimizes a session at each load; None if later loads may not have to."""
    return next((part["reason"] for part in parts if part["reason"] is not None), None)


Opening = Callable[[Configure], object]
"""Opens a session with the given change of the options."""


def optimize_parts(
    parts: Sequence[tuple[PartData, bytes, Opening | None]], folder: Path, stop: Stop
) -> tuple[FileData | None, list[bytes]]:
    """The file of the tensors of optimized models, and the models for an entry.

    Args:
        parts: the data of each model, which changes, the model, and how to open it; None: it stays.
        folder: is empty.
        stop: see `optimized`.

    Raises:
        OSError: the disk does not allow it.
        Stopped: it had to stop.
    """
    raws = [model for _, model, _ in parts]
    made: list[tuple[int, Optimized]] = []
    for i, (part, _, open_one) in enumerate(parts):
        if open_one is None:
            continue
        (own := folder / str(i)).mkdir()
        try:
            made.append((i, optimized(open_one, own, stop, alone=False)))
        except CompileError as error:
            from snippets_mlir.support.diagnostics import one_line  # it needs xDSL

            part["reason"] = one_line(str(error))
    file, kept = keep_models([found for _, found in made], stop)
    for (i, _), raw in zip(made, kept, strict=True):
        raws[i], part = raw, parts[i][0]
        part["bytes"], part["optimized"] = len(raw), True
    return file, raws


def optimized(open_one: Opening, folder: Path, stop: Stop, *, alone: bool) -> Optimized:
    """The model that `open_one` opens as onnxruntime optimizes it, with a file in `folder`.

    Args:
        open_one: opens its session with the given change of the options.
        folder: is empty.
        stop: tells it to stop.
        alone: as for `open_session`.

    Raises:
        CompileError: onnxruntime cannot write the model, or does not open what it has written.
        OSError: it has written nothing.
        Stopped: it had to stop.
    """
    import onnx

    file, data = folder / "optimized.onnx", folder / "optimized.data"

    def configure(_: Any, options: Any) -> None:
        stop.by(partial(options.set_load_cancellation_flag, True))
        options.optimized_model_filepath = str(file)
        options.add_session_config_entry(f"{_DATA}file_name", data.name)
        options.add_session_config_entry(f"{_DATA}min_size_in_bytes", str(APART))

    try:
        open_one(configure)
        stop.check()
        raw, made = file.read_bytes(), onnx.ModelProto()
        open_optimized(raw, 1, folder, alone=alone)
    except CompileError:
        stop.check()
        raise
    made.ParseFromString(raw)
    return made, data


def keep_models(
    models: Sequence[Optimized], stop: Stop | None = None
) -> tuple[FileData | None, list[bytes]]:
    """The file of the tensors of optimized models, which share it, and the bytes of each model.

    Args:
        models: change. A model without a file has its tensors inside.
        stop: see `keep_constants`.

    Raises:
        OSError: the disk does not allow it.
        ValueError: a tensor is in another file.
    """
    tensors = [found for model, file in models for found in _large(model, file)]
    kept = None
    if sum(array.nbytes for _, array in tensors) >= LARGE:
        kept = keep_constants({i: array for i, (_, array) in enumerate(tensors)}, 0, stop)
    for i, (tensor, array) in enumerate(tensors):
        tensor.ClearField("external_data")
        tensor.data_location = tensor.EXTERNAL if kept else tensor.DEFAULT
        if kept is None:
            tensor.raw_data = array.tobytes()
            continue
        tensor.ClearField("raw_data")
        place = {"location": kept.data["name"], "offset": kept.offsets[i], "length": array.nbytes}
        for key, value in place.items():
            tensor.external_data.add(key=key, value=str(value))
    return None if kept is None else kept.data, [model.SerializeToString() for model, _ in models]


def keep_model(
    model: onnx.ModelProto, file: Path | None, stop: Stop | None = None
) -> tuple[ModelData, bytes]:
    """The data of one model and its bytes; see `keep_models`."""
    kept, (raw,) = keep_models([(model, file)], stop)
    return {"bytes": len(raw), "file": kept}, raw


def _large(model: onnx.ModelProto, file: Path | None) -> Iterator[tuple[onnx.TensorProto, Array]]:
    """The tensors of a model that are in `file`, or have many bytes inside, and their elements."""
    from onnx import external_data_helper as helper

    pages: Any = None
    inside = [t for t in model.graph.initializer if len(t.raw_data) >= APART]
    yield from ((t, np.frombuffer(t.raw_data, np.uint8)) for t in inside)
    tensors: Any = helper._get_all_tensors(model)  # pyright: ignore
    for tensor in tensors:
        if tensor.data_location != tensor.EXTERNAL:
            continue
        place = {entry.key: entry.value for entry in tensor.external_data}
        if file is None or place["location"] != file.name:
            raise ValueError("a tensor in another file")
        if pages is None:
            with open(file, "rb") as opened:
                pages = mmap(opened.fileno(), 0, access=ACCESS_READ)
        count, offset = int(place["length"]), int(place.get("offset", 0))
        yield tensor, np.frombuffer(pages, np.uint8, count, offset)


def kept_model(data: ModelData, raw: bytes) -> bytes:
    """The bytes of a model at the end of an entry.

    Raises:
        OSError: the file of its tensors is gone.
        ValueError: the file or the bytes are not those that were written.
    """
    if len(raw) != data["bytes"] or not raw:
        raise ValueError("a model that is cut off")
    if data["file"] is not None:
        mapped(data["file"])
    return raw
