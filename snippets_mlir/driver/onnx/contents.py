"""Checks that the model of a source has not changed before it is used again later."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING

from snippets_mlir.driver.onnx.weight_places import FileFacts, are_unchanged, external_files
from snippets_mlir.driver.sources.key_bytes import source_bytes

if TYPE_CHECKING:
    from snippets_mlir.driver.sources.load import Source

LARGEST = 64 << 20
"""Models in memory of up to this many bytes are hashed, which takes at most 60 ms."""


@dataclass(frozen=True)
class Contents:
    """The contents of a model at one time.

    Attributes:
        digest: of its bytes, or of what identifies a large file.
        files: other files with data of it.
    """

    digest: bytes
    files: Sequence[FileFacts]

    @staticmethod
    def of(source: Source) -> Contents | None:
        """The current contents of the model of `source`; None if they cannot be determined."""
        digest, files = _digest(source.model), external_files(source.prepared)
        return None if digest is None or files is None else Contents(digest, files)

    def are_those_of(self, source: Source) -> bool:
        """Whether the model of `source` has not changed."""
        return _digest(source.model) == self.digest and are_unchanged(self.files, source.model)


def _digest(model: object) -> bytes | None:
    if _size(model) > LARGEST:
        return None
    known = source_bytes(model)
    return None if known is None else blake2b(known[1]).digest()


def _size(model: object) -> int:
    """The size of a `ModelProto` in bytes; 0 for bytes and for files, since large files are not
    read.
    """
    count = getattr(model, "ByteSize", None)
    return 0 if count is None else int(count())
