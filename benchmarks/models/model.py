"""The entry of one model in the catalog."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from models.feeds import Feed, Feeds, Random

EXACT = 1e-4
QUANTISED = 5e-2
"""Results of int8 models differ where roundings meet."""
HALF = 1e-2
"""Results of f16 models differ by what each side rounds between nodes."""


class Missing(Exception):
    """A package that a model comes from is not installed."""


@dataclass(frozen=True)
class Decoder:
    """A model that is called once for each token and hands its cache to the next call.

    Attributes:
        tokens: the input with the token, int64 1x1.
        vocabulary: tokens are below it.
        caches: the inputs of the cache; the output of each is its name with `_new`.
        length_dim: the dim of a cache that grows by one with each call.
    """

    tokens: str
    vocabulary: int
    caches: tuple[str, ...]
    length_dim: int


@dataclass(frozen=True)
class Model:
    """One model.

    Attributes:
        name: its name in the table, and of its files.
        origin: where it comes from, for a reader.
        make: writes NAME.onnx into a folder, where the file of `base` is already. Raises `Missing`.
        feeds: the inputs; one that has several of them is called with each in turn. Raises
            `Missing`.
        base: the model from which it is derived.
        tolerance: of the error, which is relative to an output's largest value.
        decoder: the data for calling it on a sequence of tokens.
        many_shapes: endless feeds of different shapes, the largest first, to measure the memory for
            shapes.
    """

    name: str
    origin: str
    make: Callable[[Path], None]
    feeds: Feeds
    base: str | None = None
    tolerance: float = EXACT
    decoder: Decoder | None = None
    many_shapes: Callable[[Random], Iterator[Feed]] | None = None


def package(name: str) -> Any:
    """The package, which only some computers have."""
    try:
        return import_module(name)
    except ImportError as error:
        raise Missing(str(error)) from None
