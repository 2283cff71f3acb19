"""The sum inside of an entry of the cache, over all that it says.

    "SNP4"   32 bytes: SHA-256 of magic and body   body

What a kernel is called with (a domain, a grain, the sizes of arrays) cannot be checked against its
machine code: it would read and write beside its arrays, or compute something else. So a number that
is not the one which the compiler wrote has to be found as such. The sum of the file
(`codegen/cache.py`) says that it is what was written under its name, by whatever wrote it; this one
says that its parts were written together.
"""

from __future__ import annotations

from hashlib import sha256

_SUM = 32


def sealed(magic: bytes, body: bytes) -> bytes:
    """An entry: `magic`, the SHA-256 of `magic` and `body`, and `body`."""
    return magic + sha256(magic + body).digest() + body


def unsealed(magic: bytes, raw: bytes) -> bytes:
    """The body of an entry; ValueError when it is of another kind or was changed."""
    at = len(magic) + _SUM
    body = raw[at:]
    if not raw.startswith(magic) or sha256(magic + body).digest() != raw[len(magic) : at]:
        raise ValueError("another kind of file")
    return body
