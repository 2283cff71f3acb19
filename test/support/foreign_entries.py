"""Entries of the cache that are taken apart, changed, and joined with a right sum."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from snippets_mlir.codegen import cache
from snippets_mlir.driver.cache.program_entry import MAGIC
from snippets_mlir.driver.cache.sealed import sealed, unsealed

TEXT = """
func.func @main(%x: tensor<4x5xf32>, %y: tensor<5xf32>) -> (tensor<4x5xf32>, tensor<20xf32>) {
  %c = snippets.constant dense<[1.0, -0.0, 2.5, 0x7F800000, 4.0]> : tensor<5xf32>
  %0 = snippets.add %x, %y : (tensor<4x5xf32>, tensor<5xf32>) -> tensor<4x5xf32>
  %1 = snippets.maximum %0, %c : (tensor<4x5xf32>, tensor<5xf32>) -> tensor<4x5xf32>
  %2 = snippets.reshape %1 : (tensor<4x5xf32>) -> tensor<20xf32>
  func.return %0, %2 : tensor<4x5xf32>, tensor<20xf32>
}
"""

DYNAMIC = """
func.func @main(%x: tensor<?x5xf32>, %y: tensor<?x5xf32>) -> tensor<?x5xf32> {
  %0 = snippets.add %x, %y : tensor<?x5xf32>
  func.return %0 : tensor<?x5xf32>
}
"""
Header = dict[str, Any]


def only(cache_directory: Path, kind: str) -> Path:
    (path,) = (cache_directory / kind).iterdir()
    return path


def entry_of(path: Path) -> bytes:
    raw = cache.read_entry(path)
    assert raw is not None
    return raw


def parts(raw: bytes) -> tuple[Header, bytes]:
    """The header of an entry, and the bytes after it."""
    body = unsealed(MAGIC, raw)
    size = int.from_bytes(body[:8], "little")
    return json.loads(body[8 : 8 + size]), body[8 + size :]


def joined(header: object, rest: bytes) -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return sealed(MAGIC, len(text).to_bytes(8, "little") + text + rest)


def changed(change: Callable[[Header], object]) -> Callable[[bytes], bytes]:
    """An entry whose header is another one; `change` works on it in place."""

    def damage(raw: bytes) -> bytes:
        header, rest = parts(raw)
        change(header)
        return joined(header, rest)

    return damage
