"""The checksum inside a cache entry, over its whole contents.

    "SNP4"   32 bytes: SHA-256 of magic and body   body

The arguments of a kernel (a domain, a grain, the sizes of arrays) cannot be checked against its
machine code. With a wrong number, it would access memory outside of its arrays, or compute
something else. So a number that the compiler did not write has to be detected. The checksum of the
file (`codegen/cache.py`) shows that its bytes are the bytes written under its name, by any writer;
this checksum shows that its parts were written together.
"""

from __future__ import annotations

from hashlib import sha256

_SUM = 32


def sealed(magic: bytes, body: bytes) -> bytes:
    """An entry: `magic`, the SHA-256 of `magic` and `body`, and `body`."""
    return b"".join([magic, _sum(magic, body), body])


def unsealed(magic: bytes, raw: bytes) -> bytes:
    """The body of an entry; ValueError if it has another kind or was changed."""
    at = len(magic) + _SUM
    is_whole = raw.startswith(magic) and _sum(magic, memoryview(raw)[at:]) == raw[len(magic) : at]
    if not is_whole:
        raise ValueError("another kind of file")
    return raw[at:]


def _sum(magic: bytes, body: bytes | memoryview) -> bytes:
    (digest := sha256(magic)).update(body)
    return digest.digest()
