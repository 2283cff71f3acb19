"""Cache entries for models that are one session: the facts needed before the session opens.

    "SNPE"   sum   8 bytes: length of the JSON   JSON   model

    {"entry": "main", "inputs": [...], "outputs": [...], "opaque": [...], "model": {...}, ...}

`sealed.py` defines the sum. The model is the one that onnxruntime has optimized
(`engine_model.py`). If it could not be stored, the session is opened on the source of the call,
whose key the entry has. Nothing is parsed or planned, and only a call that outgrows the plan loads
the compiler (`growth.py`).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TypedDict

from snippets_mlir.codegen.cache import write_entry
from snippets_mlir.driver.cache.engine_model import ModelData, kept_model
from snippets_mlir.driver.cache.json_form import has_form
from snippets_mlir.driver.cache.sealed import sealed, unsealed
from snippets_mlir.driver.onnx.growth import Growth
from snippets_mlir.driver.onnx.weight_places import FileFacts
from snippets_mlir.driver.programs.maker import Shapes
from snippets_mlir.driver.reports.kernel_entry import OpaqueOp
from snippets_mlir.runtime.arguments.arrays import TensorSpec, dtype_from_name

MAGIC = b"SNPE"
_LENGTH = 8


class SpecData(TypedDict):
    """`TensorSpec` as JSON-able data."""

    name: str
    shape: list[int | None] | None
    dtype: str


class SessionData(TypedDict):
    """The contents of an entry.

    Attributes:
        entry: the name of the model's function.
        inputs: the inputs of the program.
        outputs: the outputs of the program.
        opaque: `OpaqueOp`.
        cuts: a line for each candidate for a kernel.
        decided_for: the shapes of the inputs for which a bound has decided, so that there are no
            lines; None if a plan has decided.
        grows_from: the shapes of the inputs for which the plan without kernels was made, if larger
            calls are planned again (`growth.py`); None if the plan is valid for all calls.
        plans_left: how many more plans may be made.
        files: other files with data of the model.
        model: the optimized model of the session; None: it is opened on the source.
        plain: why there is no optimized model; None: it is there, or not made yet.
    """

    entry: str
    inputs: list[SpecData]
    outputs: list[SpecData]
    opaque: list[tuple[str, str, str]]
    cuts: list[str]
    decided_for: list[list[int]] | None
    grows_from: list[list[int]] | None
    plans_left: int
    files: list[FileFacts]
    model: ModelData | None
    plain: str | None


class SessionEntry:
    """A model that is one session, from the cache."""

    def __init__(self, data: SessionData, raw: bytes) -> None:
        """OSError, ValueError or TypeError for data that no compilation makes.

        `raw` is the optimized model; see `SessionData`.
        """
        self.model = None if data["model"] is None else kept_model(data["model"], raw)
        self.data, self.entry = data, data["entry"]
        self.inputs = tuple(map(spec_of, data["inputs"]))
        self.outputs = tuple(map(spec_of, data["outputs"]))
        self.opaque = tuple(OpaqueOp(*fields) for fields in data["opaque"])
        self.cuts = tuple(data["cuts"])
        self.decided_for = _shapes(data["decided_for"])
        shapes = _shapes(data["grows_from"])
        self.growth = None if shapes is None else Growth(shapes, data["plans_left"])
        self.files = data["files"]


def _shapes(data: list[list[int]] | None) -> Shapes | None:
    return None if data is None else tuple(map(tuple, data))


def _listed(shapes: Sequence[Sequence[int]] | None) -> list[list[int]] | None:
    return None if shapes is None else [[*shape] for shape in shapes]


def spec_of(data: SpecData) -> TensorSpec:
    """The spec of its data; ValueError or TypeError for data that no compilation makes."""
    shape = data["shape"]
    if any(size is not None and not 0 <= size < 1 << 63 for size in shape or ()):
        raise ValueError("a size below 0")
    return TensorSpec(
        data["name"], None if shape is None else tuple(shape), dtype_from_name(data["dtype"])
    )


def spec_data(spec: TensorSpec) -> SpecData:
    """A `TensorSpec` as JSON-able data; the dtype is its name."""
    shape = None if spec.shape is None else [*spec.shape]
    return {"name": spec.name, "shape": shape, "dtype": spec.dtype.name}


def session_data(
    entry: str,
    inputs: Sequence[TensorSpec],
    outputs: Sequence[TensorSpec],
    opaque: Sequence[OpaqueOp],
    cuts: Sequence[str],
    decided_for: Shapes | None,
    growth: Growth | None,
    files: Sequence[FileFacts],
) -> SessionData:
    """The entry data of a program that is one session; see `SessionData`."""
    return {
        "entry": entry,
        "inputs": [*map(spec_data, inputs)],
        "outputs": [*map(spec_data, outputs)],
        "opaque": [(op.op, op.name, op.reason) for op in opaque],
        "cuts": [*cuts],
        "decided_for": _listed(decided_for),
        "grows_from": None if growth is None else _listed(growth.shapes),
        "plans_left": 0 if growth is None else growth.left,
        "files": [*files],
        "model": None,
        "plain": None,
    }


def keep_session(path: Path, data: SessionData, model: bytes) -> None:
    """Write down in `path` that a program is one session; `model` is optimized, or empty."""
    text = json.dumps(data).encode()
    write_entry(path, sealed(MAGIC, len(text).to_bytes(_LENGTH, "little") + text + model))


def read_session(raw: bytes) -> SessionEntry | None:
    """The entry of these bytes; None for those that cannot be used."""
    try:
        body = unsealed(MAGIC, raw)
        end = _LENGTH + int.from_bytes(body[:_LENGTH], "little")
        data = json.loads(body[_LENGTH:end])
        return SessionEntry(data, body[end:]) if has_form(data, SessionData) else None
    except (OSError, ValueError, TypeError, AttributeError, RecursionError):
        return None  # whatever other code wrote there: it is compiled anew
