"""Entries of the cache for models that are one session: what is asked of them before it is opened.

    "SNPE"   JSON: {"entry": "main", "inputs": [...], "outputs": [...], "opaque": [...]}

The model itself stays where it is: the session is opened on the source of the call, whose key the
entry has. Nothing is parsed or planned, and the compiler is not loaded.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TypedDict

from snippets_mlir.driver.json_form import has_form
from snippets_mlir.driver.kernel_entry import OpaqueOp
from snippets_mlir.jit.cache import entry_path, read_entry, write_entry
from snippets_mlir.runtime.arrays import TensorSpec, dtype_from_name

MAGIC = b"SNPE"


class SpecData(TypedDict):
    """`TensorSpec`."""

    name: str
    shape: list[int | None] | None
    dtype: str


class SessionData(TypedDict):
    """What an entry has.

    Attributes:
        entry: the name of the function that the model is imported as.
        inputs: what the program is called with.
        outputs: what it returns.
        opaque: `OpaqueOp`.
    """

    entry: str
    inputs: list[SpecData]
    outputs: list[SpecData]
    opaque: list[tuple[str, str, str]]


class SessionEntry:
    """A model that is one session, as the cache has it."""

    def __init__(self, data: SessionData) -> None:
        """ValueError or TypeError for data that no compilation makes."""
        self.entry = data["entry"]
        self.inputs = tuple(map(_spec, data["inputs"]))
        self.outputs = tuple(map(_spec, data["outputs"]))
        self.opaque = tuple(OpaqueOp(*fields) for fields in data["opaque"])


def _spec(data: SpecData) -> TensorSpec:
    shape = data["shape"]
    if any(size is not None and size < 0 for size in shape or ()):
        raise ValueError("a size below 0")
    return TensorSpec(
        data["name"], None if shape is None else tuple(shape), dtype_from_name(data["dtype"])
    )


def _data(spec: TensorSpec) -> SpecData:
    shape = None if spec.shape is None else [*spec.shape]
    return {"name": spec.name, "shape": shape, "dtype": spec.dtype.name}


def keep_session(
    key: str,
    entry: str,
    inputs: Sequence[TensorSpec],
    outputs: Sequence[TensorSpec],
    opaque: Sequence[OpaqueOp],
) -> None:
    """Write down that the program called `key` is one session."""
    path = entry_path("programs", key)
    if path is None:
        return
    data: SessionData = {
        "entry": entry,
        "inputs": [*map(_data, inputs)],
        "outputs": [*map(_data, outputs)],
        "opaque": [(op.op, op.name, op.reason) for op in opaque],
    }
    write_entry(path, MAGIC + json.dumps(data).encode())


def read_session(key: str) -> SessionEntry | None:
    """The entry called `key`; None when there is none that can be used."""
    path = entry_path("programs", key)
    raw = None if path is None else read_entry(path)
    if raw is None or not raw.startswith(MAGIC):
        return None
    try:
        data = json.loads(raw[len(MAGIC) :])
        return SessionEntry(data) if has_form(data, SessionData) else None
    except (ValueError, TypeError, AttributeError, RecursionError):
        return None  # whatever other code wrote there: it is compiled anew
