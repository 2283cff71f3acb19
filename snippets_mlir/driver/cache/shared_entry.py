"""Entries of the cache for ONNX models that kernels and onnxruntime share.

    "SNM2" and a sum (`sealed.py`), then
    8 bytes: length of the header   header (JSON)   object code   constants   models

The header is the header of `program_entry.py`, plus data for calls of other sizes. Each region
between kernels is an ONNX model without its large constants, which are read from the files of the
source (`weight_places.py`), until it is stored as onnxruntime has optimized it
(`shared_regions.py`). Tables that regions gather from are mapped from a file of the cache
(`constant_files.py`), because a file of the source may change while a program uses them. The key
names the source; the entry names the files beside it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING, cast

from snippets_mlir.codegen.cache import entry_path, write_entry
from snippets_mlir.driver.building.built import Built
from snippets_mlir.driver.cache.constant_files import LARGE, keep_constants, offsets_of
from snippets_mlir.driver.cache.engine_model import may_be_optimized
from snippets_mlir.driver.cache.entry_parts import with_executors
from snippets_mlir.driver.cache.optional_work import Stop, optionally
from snippets_mlir.driver.cache.program_cache import has_effects
from snippets_mlir.driver.cache.program_entry import built_of, decoded, encoded
from snippets_mlir.driver.cache.program_header import Header
from snippets_mlir.driver.cache.session_entry import spec_data, spec_of
from snippets_mlir.driver.cache.shared_header import SharedData, SharedHeader
from snippets_mlir.driver.cache.shared_regions import (
    opened_sessions,
    optimize_regions,
    regions_of,
)
from snippets_mlir.driver.cache.shared_weights import Weights, sessions_of
from snippets_mlir.driver.cache.storing import constant_bytes, store
from snippets_mlir.driver.dynamic.call_classes import CallClasses, call_classes_from
from snippets_mlir.driver.onnx.size_formulas import SizeFormulas
from snippets_mlir.driver.onnx.small_calls import LeastWork, least_work_from
from snippets_mlir.driver.onnx.weight_places import are_unchanged, external_files
from snippets_mlir.driver.reports.kernel_entry import OpaqueOp
from snippets_mlir.runtime.arguments.arrays import TensorSpec
from snippets_mlir.runtime.engine.sessions import Session

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
    weights: Weights | None,
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
        weights: those of `places_of_weights`.
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
    if sessions is None or weights is None:
        return
    regions = regions_of(sessions, prepared, weights.places, offsets)
    shared: SharedData = {
        "entry": entry,
        "inputs": [*map(spec_data, interface[0])],
        "outputs": [*map(spec_data, interface[1])],
        "regions": [data for data, _ in regions],
        "tables": None,
        "tensors": None,
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
                optimize_shared(path, raw, shared, weights)

    store(constant_bytes(built) + size, write)


def optimize_shared(path: Path | None, raw: bytes, shared: SharedData, weights: Weights) -> None:
    """Replace the entry `raw` in `path` by one with optimized models, if that is possible."""
    if path is not None and may_be_optimized(shared["regions"]):
        optionally(path, partial(_optimize, path, raw, weights))


def _optimize(path: Path, raw: bytes, weights: Weights, stop: Stop) -> None:
    def models(header: Header, models: memoryview) -> list[bytes]:
        shared = cast("SharedHeader", header)["shared"]
        made = optimize_regions(shared, models, weights.source, Path(folder), stop)
        if not weights.are_unchanged(shared["files"]):
            raise ValueError("the source has changed")
        return made

    with suppress(Exception), TemporaryDirectory(prefix="snippets-") as folder:
        write_entry(path, with_executors(raw, MAGIC, models))


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
        return opened_sessions(shared, models, source, threads)

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
