"""Entries of the cache for models that are one session with kernels inside.

    "SNPI"   sum   8 bytes: length of the header   header (JSON)   objects   chains   model

The header has the fields of `session_entry.py`, the operators, and the facts for reports about
kernels. The model is onnxruntime's optimized model with nodes for the kernels
(`engine_model.py`). It is valid only for this computer and this version of onnxruntime, so the
header names both.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib import import_module
from itertools import accumulate, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from snippets_mlir.codegen.cache import write_entry
from snippets_mlir.driver.cache.computer import computer
from snippets_mlir.driver.cache.engine_model import keep_model
from snippets_mlir.driver.cache.json_form import has_form
from snippets_mlir.driver.cache.program_entry import kernel_of, loaded
from snippets_mlir.driver.cache.program_header import KernelData
from snippets_mlir.driver.cache.sealed import sealed, unsealed
from snippets_mlir.driver.cache.session_entry import SessionData, SessionEntry
from snippets_mlir.driver.onnx.whole_model import KernelsInside
from snippets_mlir.runtime.engine.inside import OperatorData

if TYPE_CHECKING:
    from snippets_mlir.driver.onnx.inside.fuse import Inside

MAGIC = b"SNPI"
_LENGTH = 8


class InsideHeader(TypedDict):
    """The header of an entry.

    Attributes:
        session: the data of the session, with its model.
        operators: the operators of its nodes of the domain `snippets`.
        passes: the pipeline that made the kernels.
        kernels: of each node.
        lines: a line for each chain.
        made_for: see `_made_for`.
        parts: the bytes of each object, and of the model of the chains.
    """

    session: SessionData
    operators: list[OperatorData]
    passes: str
    kernels: list[KernelData]
    lines: list[str]
    made_for: str
    parts: list[int]


@dataclass(frozen=True)
class InsideEntry:
    """A model with kernels inside its session, as the cache has it.

    Attributes:
        session: the facts about the session, and its model.
        operators: of its nodes.
        kernels: their code and entries.
        chains: the model that they were compiled from, serialised.
        lines: a line for each chain.
    """

    session: SessionEntry
    operators: Sequence[OperatorData]
    kernels: KernelsInside
    chains: bytes
    lines: tuple[str, ...]


def _made_for() -> str:
    """The versions and CPU features that an optimized model depends on."""
    engine: Any = import_module("onnxruntime")  # it has no type information
    return " ".join((engine.__version__, *computer()))


def keep_inside(path: Path, session: SessionData, inside: Inside) -> None:
    """Write the entry, and large weights of the model into a file of their own."""
    from onnx import ModelProto

    model = ModelProto()
    model.ParseFromString(inside.model)
    try:
        session["model"], raw = keep_model(model, None)
    except OSError:
        return
    parts = [*inside.kernels.code.images, inside.chains]
    header: InsideHeader = {
        "session": session,
        "operators": [*inside.operators],
        "passes": inside.kernels.passes,
        "kernels": [asdict(kernel) for kernel in inside.kernels.kernels],  # pyright: ignore[reportAssignmentType]
        "lines": [*inside.lines],
        "made_for": _made_for(),
        "parts": [*map(len, parts)],
    }
    text = json.dumps(header).encode()
    length = len(text).to_bytes(_LENGTH, "little")
    write_entry(path, sealed(MAGIC, b"".join([length, text, *parts, raw])))


def read_inside(raw: bytes) -> InsideEntry | None:
    """The entry of these bytes; None if they cannot be used."""
    if not raw.startswith(MAGIC):
        return None
    try:
        return _read(unsealed(MAGIC, raw))
    except Exception:  # whatever other code wrote there
        return None


def _read(raw: bytes) -> InsideEntry:
    start = _LENGTH + int.from_bytes(raw[:_LENGTH], "little")
    header: InsideHeader = json.loads(raw[_LENGTH:start])
    if not has_form(header, InsideHeader) or header["made_for"] != _made_for():
        raise ValueError("a header of another form, or for another computer")
    ends = [*accumulate(header["parts"], initial=start)]
    *images, chains = (raw[begin:end] for begin, end in pairwise(ends))
    session = SessionEntry(header["session"], raw[ends[-1] :])
    if session.model is None or min(header["parts"]) < 1:
        raise ValueError("an entry that is cut off")
    symbols = {operator["symbol"] for operator in header["operators"]}
    code = loaded(images, symbols)
    kernels = KernelsInside(code, header["passes"], tuple(map(kernel_of, header["kernels"])))
    return InsideEntry(session, header["operators"], kernels, chains, tuple(header["lines"]))
