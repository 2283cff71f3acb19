"""The folder of exported models: NAME.onnx and NAME.npz with the feeds, made once.

`SNIPPETS_MODELS_DIR`, else `snippets_models` in the user's cache directory. An existing file is
used unchanged; `make_files` writes it again.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from models.catalog import MODELS
from models.feeds import Array, Feed, random_of

VARIABLE = "SNIPPETS_MODELS_DIR"


def folder() -> Path:
    """The directory of models and inputs: `SNIPPETS_MODELS_DIR`, else the user's cache."""
    named = os.environ.get(VARIABLE)
    if named:
        return Path(named)
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "snippets_models"


def model_path(name: str) -> Path:
    """The path of the ONNX file of a model."""
    return folder() / f"{name}.onnx"


def _feeds_path(name: str) -> Path:
    return folder() / f"{name}.npz"


def is_made(name: str) -> bool:
    """Whether both files of a model exist."""
    return model_path(name).is_file() and _feeds_path(name).is_file()


def make_files(name: str) -> None:
    """Export a model whose base exists, and write its feeds; `Missing` without its packages."""
    folder().mkdir(parents=True, exist_ok=True)
    model = MODELS[name]
    feeds = model.feeds(random_of(name))
    model.make(folder())
    write_feeds(_feeds_path(name), feeds)


def write_feeds(path: Path, feeds: Sequence[Mapping[str, Array]]) -> None:
    """Write feeds to one file: the input x of the second is `1/x`."""
    arrays: dict[str, Any] = {
        f"{k}/{name}": array for k, feed in enumerate(feeds) for name, array in feed.items()
    }
    part = path.with_name(f"{path.stem}.{os.getpid()}.npz")
    np.savez(part, **arrays)
    part.replace(path)


def read_feeds(path: Path) -> list[Feed]:
    """The inputs of a model as `write_feeds` stored them."""
    feeds: list[Feed] = []
    with np.load(path) as arrays:
        for key in arrays.files:
            index, _, name = key.partition("/")
            while len(feeds) <= int(index):
                feeds.append({})
            feeds[int(index)][name] = arrays[key]
    return feeds


def feeds_of(name: str) -> list[Feed]:
    """The feeds of a model that is made."""
    return read_feeds(_feeds_path(name))
