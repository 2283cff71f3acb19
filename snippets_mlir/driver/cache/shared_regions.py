"""The sessions of a model that kernels and onnxruntime share, as data in its cache entry.

    plain        the model of a region without its large constants, which are in the source
    optimized    the model that onnxruntime has made of it, with a file of its large tensors

An entry begins with plain models. After the first call a thread replaces them by optimized ones
(`engine_model.py`), which later processes open without changes. A model stays plain if onnxruntime
cannot write it; the entry has the reason.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from snippets_mlir.driver.cache.constant_files import constants_folder, mapped
from snippets_mlir.driver.cache.engine_model import LARGEST, Opening, PartData, optimize_parts
from snippets_mlir.driver.cache.optional_work import Stop
from snippets_mlir.driver.cache.shared_header import RegionData, SharedData, TableData, WeightData
from snippets_mlir.driver.onnx.weight_places import Place, elements_at
from snippets_mlir.runtime.arguments.arrays import Array, dtype_from_name
from snippets_mlir.runtime.engine.opening import Configure, open_optimized, open_session
from snippets_mlir.runtime.engine.sessions import Session
from snippets_mlir.support.cache_lines import LINE

if TYPE_CHECKING:
    from snippets_mlir.frontends.onnx.prepare import PreparedModel


def regions_of(
    known: Sequence[Session],
    prepared: PreparedModel,
    places: Mapping[str, Place],
    offsets: Mapping[int, int],
) -> list[tuple[RegionData, bytes]]:
    """The sessions of a program as data.

    `offsets` are the offsets of tables in their file, by `id`.
    """
    from onnx import helper

    tables = (array for session in known for array in session.tables.values())
    size = sum(session.bytes for session in known) - sum(array.nbytes for array in tables)
    why = f"its sessions have more than {LARGEST >> 20} MiB" if size > LARGEST else None
    tensors = {t.name: t for t in prepared.model.graph.initializer}
    found: list[tuple[RegionData, bytes]] = []
    for session in known:
        weights: list[WeightData] = []
        for name, key in session.weights.items():
            if name in session.tables:
                continue
            (location, offset), tensor = places[key], tensors[key]
            dtype = helper.tensor_dtype_to_np_dtype(tensor.data_type).name
            shape = [*tensor.dims]
            weights.append(
                {"name": name, "file": location, "offset": offset, "dtype": dtype, "shape": shape}
            )
        model = session.model or b""
        told_tables: list[TableData] = [
            {"name": n, "offset": offsets[id(a)], "dtype": a.dtype.name, "shape": [*a.shape]}
            for n, a in session.tables.items()
        ]
        told: RegionData = {
            "bytes": len(model),
            "weights": weights,
            "tables": told_tables,
            "optimized": False,
            "reason": why,
        }
        found.append((told, model))
    return found


def _table(told: TableData, file: memoryview | None) -> Array:
    """A table of the file of all tables; ValueError for data that no compilation makes."""
    dtype = dtype_from_name(told["dtype"])
    if file is None or told["offset"] < 0 or told["offset"] % LINE or min(told["shape"]) < 0:
        raise ValueError("a table in no file, or across cache lines")
    count = prod(told["shape"])
    return np.frombuffer(file, dtype, count, told["offset"]).reshape(told["shape"])


def _parts(shared: SharedData, models: memoryview) -> list[tuple[RegionData, bytes]]:
    """The data of each region, and its model; ValueError if one is cut off."""
    found: list[tuple[RegionData, bytes]] = []
    for region in shared["regions"]:
        model = bytes(models[: region["bytes"]])
        if region["bytes"] <= 0 or len(model) != region["bytes"]:
            raise ValueError("a model that is cut off")
        found.append((region, model))
        models = models[len(model) :]
    return found


def opened_sessions(
    shared: SharedData, models: memoryview, source: Path | bytes, threads: int
) -> list[Session]:
    """The sessions of an entry with these models one after the other.

    Raises some exception for data that no compilation makes.
    """
    file = None if shared["tables"] is None else mapped(shared["tables"])
    if shared["tensors"] is not None:
        mapped(shared["tensors"])  # sees that it is there
    sessions: list[Session] = []
    for region, model in _parts(shared, models):
        tables = {table["name"]: _table(table, file) for table in region["tables"]}
        if region["optimized"]:
            folder = constants_folder()
            made = open_optimized(model, threads, folder, alone=False, tables=tables)
        else:
            data = _weights(region, source)
            made = open_session(model, threads, data=data, tables=tables)
        sessions.append(made)
    return sessions


def _weights(region: RegionData, source: Path | bytes) -> dict[str, Array]:
    """The constants of a region that are not in its model."""
    return {
        w["name"]: elements_at((w["file"], w["offset"]), w["dtype"], w["shape"], source)
        for w in region["weights"]
    }


def optimize_regions(
    shared: SharedData, models: memoryview, source: Path | bytes, folder: Path, stop: Stop
) -> list[bytes]:
    """The optimized models of an entry, whose data changes; see `optimize_parts`.

    Raises:
        OSError, ValueError: the source has changed, or the disk does not allow it.
        Stopped: it had to stop.
    """
    parts: list[tuple[PartData, bytes, Opening | None]] = []
    for region, model in _parts(shared, models):
        parts.append((region, model, partial(_opened, model, _weights(region, source))))
    shared["tensors"], raws = optimize_parts(parts, folder, stop)
    for region in shared["regions"]:
        if region["optimized"]:
            region["weights"] = []
    return raws


def _opened(model: bytes, data: Mapping[str, Array], configure: Configure) -> Session:
    return open_session(model, 1, data=data, configure=configure)
