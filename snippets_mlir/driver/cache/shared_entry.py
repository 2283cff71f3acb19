"""Entries of the cache for ONNX models that kernels and onnxruntime share.

    "SNM2" and a sum (`sealed.py`), then
    8 bytes: length of the header   header (JSON)   object code   constants   models

The header is the header of `program_entry.py`, plus data for calls of other sizes. Each region
between kernels is an ONNX model without its large constants, which are read from the files of the
source (`weight_places.py`). Tables that regions gather from are mapped from a file of the cache
(`constant_files.py`), because a file of the source may change while a program uses them. The key
names the source; the entry names the files beside it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import prod
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, cast

import numpy as np

from snippets_mlir.codegen.cache import entry_path, write_entry
from snippets_mlir.driver.building.built import Built
from snippets_mlir.driver.cache.constant_files import LARGE, keep_constants, mapped, offsets_of
from snippets_mlir.driver.cache.program_cache import has_effects
from snippets_mlir.driver.cache.program_entry import built_of, decoded, encoded
from snippets_mlir.driver.cache.program_header import Header
from snippets_mlir.driver.cache.session_entry import spec_data, spec_of
from snippets_mlir.driver.cache.shared_header import (
    RegionData,
    SharedData,
    SharedHeader,
    TableData,
    WeightData,
)
from snippets_mlir.driver.cache.shared_weights import sessions_of
from snippets_mlir.driver.cache.storing import constant_bytes, store
from snippets_mlir.driver.dynamic.call_classes import CallClasses, call_classes_from
from snippets_mlir.driver.onnx.size_formulas import SizeFormulas
from snippets_mlir.driver.onnx.small_calls import LeastWork, least_work_from
from snippets_mlir.driver.onnx.weight_places import (
    Place,
    are_unchanged,
    elements_at,
    external_files,
)
from snippets_mlir.driver.reports.kernel_entry import OpaqueOp
from snippets_mlir.runtime.arguments.arrays import Array, TensorSpec, dtype_from_name
from snippets_mlir.runtime.engine.opening import open_session
from snippets_mlir.runtime.engine.sessions import Session
from snippets_mlir.support.cache_lines import LINE

if TYPE_CHECKING:
    from snippets_mlir.frontends.onnx.prepare import PreparedModel
    from snippets_mlir.passmanager.context import ToolContext

MAGIC = b"SNM2"

Interface = tuple[tuple[TensorSpec, ...], tuple[TensorSpec, ...]]


@dataclass(frozen=True)
class SharedEntry:
    """A program from the cache.

    Attributes:
        built: the build; its manifest has symbols.
        interface: inputs and outputs, with dynamic dims.
        template: computes the symbols for a call.
        classes: the classes of sizes that it was made for.
        least: the least work of a call for the kernels; None: they take all calls.
        data: the rest.
    """

    built: Built
    interface: Interface
    template: SizeFormulas
    classes: CallClasses
    least: LeastWork | None
    data: SharedData


def keep_shared(
    key: str,
    places: Mapping[str, Place] | None,
    prepared: PreparedModel,
    built: Built,
    interface: Interface,
    template: SizeFormulas,
    classes: CallClasses,
    ctx: ToolContext,
    *,
    entry: str,
    kept: Mapping[int, str],
    cuts: Sequence[str],
    whole: Sequence[OpaqueOp],
    needs_kernels: bool,
    least: LeastWork | None,
) -> None:
    """Store a program, unless a part of it cannot be stored.

    Args:
        key: its name in the cache.
        places: those of `places_of_weights`.
        prepared: the model.
        built: the build, for symbolic sizes.
        interface: inputs and outputs.
        template: computes the symbols for a call.
        classes: the classes of sizes that it was made for.
        ctx: the passes that have run.
        entry: see `SharedData`, also for the following arguments.
        kept: nodes that are in no kernel.
        cuts: candidates.
        whole: the report of one session.
        needs_kernels: whether onnxruntime lacks an operator.
        least: the least work of a call for the kernels.
    """
    path, files = entry_path("programs", key), external_files(prepared)
    if path is None or files is None or has_effects(built.passes, ctx):
        return
    sessions = sessions_of(built.program.executors.values())
    tables = {id(array): array for s in sessions or () for array in s.tables.values()}
    offsets, size = offsets_of(tables)
    if sessions is None or places is None:
        return
    regions = _regions(sessions, prepared, places, offsets)
    shared: SharedData = {
        "entry": entry,
        "inputs": [*map(spec_data, interface[0])],
        "outputs": [*map(spec_data, interface[1])],
        "regions": [data for data, _ in regions],
        "tables": None,
        "template": {
            "symbols": {name: [*place] for name, place in template.symbols.items()},
            "formulas": [*template.formulas],
            "equalities": [[*pair] for pair in template.equalities],
            "may_be_zero": [*template.may_be_zero],
        },
        "asked": [(size, [*bounds], work) for size, bounds, work in classes.asked],
        "classes": [*classes.classes],
        "kept": [*kept.items()],
        "cuts": [*cuts],
        "whole": [(op.op, op.name, op.reason) for op in whole],
        "needs_kernels": needs_kernels,
        "least": None if least is None else least.data(),
        "is_changed": prepared.is_changed,
        "files": files,
    }
    models = [model for _, model in regions]

    def write() -> None:
        with suppress(OSError):  # the disk does not allow it
            file = keep_constants(tables, LARGE)
            shared["tables"] = None if file is None else file.data
            if (raw := encoded(built, {"shared": shared}, MAGIC, models)) is not None:
                write_entry(path, raw)

    store(constant_bytes(built) + size, write)


def _regions(
    known: Sequence[Session],
    prepared: PreparedModel,
    places: Mapping[str, Place],
    offsets: Mapping[int, int],
) -> list[tuple[RegionData, bytes]]:
    """The sessions of a program as data.

    `offsets` are the offsets of tables in their file, by `id`.
    """
    from onnx import helper

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
        tables: list[TableData] = [
            {"name": n, "offset": offsets[id(a)], "dtype": a.dtype.name, "shape": [*a.shape]}
            for n, a in session.tables.items()
        ]
        found.append(({"bytes": len(model), "weights": weights, "tables": tables}, model))
    return found


def _table(told: TableData, file: memoryview | None) -> Array:
    """A table of the file of all tables; ValueError for data that no compilation makes."""
    dtype = dtype_from_name(told["dtype"])
    if file is None or told["offset"] < 0 or told["offset"] % LINE or min(told["shape"]) < 0:
        raise ValueError("a table in no file, or across cache lines")
    count = prod(told["shape"])
    return np.frombuffer(file, dtype, count, told["offset"]).reshape(told["shape"])


def read_shared(raw: bytes, source: Path | bytes, threads: int) -> SharedEntry | None:
    """The program of an entry; None if it cannot be used and has to be compiled again."""
    start = perf_counter()
    try:
        return _read(raw, source, threads, start)
    except Exception:  # whatever other code wrote there
        return None


def _read(raw: bytes, source: Path | bytes, threads: int, start: float) -> SharedEntry | None:
    def opened(header: Header, models: memoryview) -> list[Session]:
        shared = cast("SharedHeader", header)["shared"]
        if not are_unchanged(shared["files"], source):
            raise ValueError("other data beside the model")
        at = 0
        file = None if shared["tables"] is None else mapped(shared["tables"])
        sessions: list[Session] = []
        for region in shared["regions"]:
            model = bytes(models[at : at + region["bytes"]])
            if region["bytes"] <= 0 or len(model) != region["bytes"]:
                raise ValueError("a model that is cut off")
            at += region["bytes"]
            data = {
                w["name"]: elements_at((w["file"], w["offset"]), w["dtype"], w["shape"], source)
                for w in region["weights"]
            }
            tables = {table["name"]: _table(table, file) for table in region["tables"]}
            sessions.append(open_session(model, threads, data=data, tables=tables))
        return sessions

    found = decoded(raw, threads, MAGIC, SharedHeader, opened)
    data = cast("SharedHeader", found[2])["shared"]
    inputs, outputs = tuple(map(spec_of, data["inputs"])), tuple(map(spec_of, data["outputs"]))
    template = SizeFormulas(**data["template"])
    ranks = [len(spec.shape or ()) for spec in inputs]
    template.check(ranks)
    least = least_work_from(data["least"], ranks)
    classes = call_classes_from(data["asked"], data["classes"])
    manifest = found[0].manifest
    names = [[v["name"] for v in manifest[side]] for side in ("inputs", "outputs")]
    if names != [[spec.name for spec in specs] for specs in (inputs, outputs)]:
        raise ValueError("another interface")
    built = built_of(found, perf_counter() - start)
    return SharedEntry(built, (inputs, outputs), template, classes, least, data)
