"""The cache entry of a model that is one session without kernels, with its optimized model.

    source        ->  onnxruntime's optimizer, in a thread after the first call  ->  entry
    entry         ->  the session, which optimizes nothing and maps its weights

The optimized model is valid for this computer and this version of onnxruntime, which the key of the
entry names. It is not made for a model that is larger than `LARGEST` or changes in memory, and not
stored if onnxruntime cannot write it: later processes then open the source.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

import onnx

from snippets_mlir.driver.cache.constant_files import let_others_go_first
from snippets_mlir.driver.cache.engine_model import APART, keep_model
from snippets_mlir.driver.cache.session_entry import SessionData, keep_session
from snippets_mlir.driver.onnx.weight_places import are_unchanged
from snippets_mlir.driver.onnx.whole_model import model_session
from snippets_mlir.driver.sources.key_bytes import source_bytes
from snippets_mlir.driver.sources.load import Source

LARGEST = 256 << 20
"""The largest model that is stored once more, in bytes. Meanwhile the process holds it twice."""

DATA = "session.optimized_model_external_initializers_"
"""The begin of the names of onnxruntime's options for the file of large tensors."""


def keeper_of_optimized(path: Path, source: Source) -> Callable[[SessionData], None]:
    """Writes down in `path` that a program is one session, and its optimized model."""
    model = source.session_model
    if isinstance(model, str | PathLike):
        model = Path(cast("str", model)).absolute()
    if isinstance(model, Path | bytes) and source.prepared.takes_at_most(LARGEST):
        return partial(_keep, path, model=model, known=source_bytes(model))
    return partial(keep_session, path, model=b"")


def _keep(path: Path, data: SessionData, *, model: Path | bytes, known: object) -> None:
    keep_session(path, data, b"")  # for processes that begin before the other one is made
    let_others_go_first()
    with suppress(Exception), TemporaryDirectory(prefix="snippets-") as folder:
        kept, raw = keep_model(*_optimized(model, Path(folder)))
        if source_bytes(model) == known and are_unchanged(data["files"], model):
            keep_session(path, {**data, "model": kept}, raw)


def _optimized(model: Path | bytes, folder: Path) -> tuple[onnx.ModelProto, Path]:
    """The optimized model, and the file in `folder` that has its large tensors."""
    file, data = folder / "optimized.onnx", folder / "optimized.data"

    def configure(_: Any, options: Any) -> None:
        options.optimized_model_filepath = str(file)
        options.add_session_config_entry(f"{DATA}file_name", data.name)
        options.add_session_config_entry(f"{DATA}min_size_in_bytes", str(APART))

    model_session(model, 1, alone=True, configure=configure)
    made = onnx.ModelProto()
    made.ParseFromString(file.read_bytes())
    return made, data
