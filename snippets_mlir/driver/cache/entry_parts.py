"""The parts of an entry of a program: the header, what follows it, and the data of executors.

magic   sum   8 bytes: length of the header   header (JSON)   objects   constants   executors
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from snippets_mlir.driver.cache.sealed import sealed, unsealed

if TYPE_CHECKING:
    from snippets_mlir.driver.cache.program_header import Header

_LENGTH = 8


def joined(magic: bytes, header: object, parts: Sequence[bytes]) -> bytes:
    """An entry with a header, which `json` can write, and what follows it."""
    text = json.dumps(header).encode()
    length = len(text).to_bytes(_LENGTH, "little")
    return sealed(magic, b"".join([length, text, *parts]))


def header_of(raw: bytes) -> tuple[Header, int, int]:
    """The header of the body of an entry, and where the objects and the data of executors begin."""
    code_at = _LENGTH + int.from_bytes(raw[:_LENGTH], "little")
    header: Header = json.loads(raw[_LENGTH:code_at])
    inside = (c["bytes"] for c in header["constants"] if not c["in_file"])
    return header, code_at, code_at + sum(header["code"]) + sum(inside)


def header_in(raw: bytes, magic: bytes) -> Header:
    """The header of an entry; ValueError if it was changed."""
    return header_of(unsealed(magic, raw))[0]


def with_executors(
    raw: bytes, magic: bytes, change: Callable[[Header, memoryview], Sequence[bytes]]
) -> bytes:
    """An entry with other data of executors, which `change` makes; it also changes the header."""
    raw = unsealed(magic, raw)
    header, code_at, at = header_of(raw)
    regions = change(header, memoryview(raw)[at:])
    return joined(magic, header, [raw[code_at:at], *regions])
