"""The sessions of a program that the cache is about to store, and the places of their weights."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from snippets_mlir.driver.onnx.weight_places import (
    FileFacts,
    Place,
    are_unchanged,
    places_of,
)
from snippets_mlir.driver.sources.key_bytes import source_bytes
from snippets_mlir.runtime.engine.sessions import Session
from snippets_mlir.runtime.program import Executor

if TYPE_CHECKING:
    from snippets_mlir.frontends.onnx.prepare import PreparedModel


@dataclass(frozen=True)
class Weights:
    """Where the weights of the sessions of a program are.

    Attributes:
        places: of each.
        source: the file of the model, or its serialised bytes.
        known: identifies the source.
    """

    places: Mapping[str, Place]
    source: Path | bytes
    known: object

    def are_unchanged(self, files: Sequence[FileFacts]) -> bool:
        """Whether the source still has them; `files` are its other files."""
        return source_bytes(self.source) == self.known and are_unchanged(files, self.source)


def sessions_of(executors: Iterable[Executor]) -> list[Session] | None:
    """The sessions of a program; None when one of its executors cannot be opened again."""
    known: list[Session] = []
    for executor in executors:
        if not isinstance(executor, Session) or executor.model is None:
            return None
        known.append(executor)
    return known


def places_of_weights(
    executors: Iterable[Executor], prepared: PreparedModel, source: Path | bytes
) -> Weights | None:
    """Where the weights of the sessions of a program are, for `keep_shared`.

    None if the program cannot be stored.

    Args:
        executors: of the program.
        prepared: the model.
        source: the file of the model, or its serialised bytes.
    """
    known = sessions_of(executors)
    if known is None:
        return None
    keys = (key for s in known for name, key in s.weights.items() if name not in s.tables)
    identity = source_bytes(source)
    places = places_of(prepared, [*dict.fromkeys(keys)], source)
    return None if places is None else Weights(places, source, identity)
