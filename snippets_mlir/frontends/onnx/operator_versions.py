"""The version that introduced an operator's definition in an opset.

since("Relu", 13)     13        since("Relu", 12)     6
since("Gelu", 19)     None      Gelu came with opset 20

ONNX knows it, but its first lookup of an operator builds tables for 12 ms. Released versions never
change, so a file beside this one has the versions of ONNX's own domain. Nothing here depends on the
versions of operators of other domains.
"""

from __future__ import annotations

from bisect import bisect
from functools import cache, lru_cache
from pathlib import Path

from onnx import defs

NEWEST = 28
"""The last opset that `VERSIONS` has."""

VERSIONS = Path(__file__).with_suffix(".txt")
"""The operators of ONNX's own domain up to `NEWEST`, each with the opsets that changed it."""


@cache
def _table() -> dict[str, tuple[int, ...]]:
    rows = map(str.split, VERSIONS.read_text("utf-8").splitlines())
    return {name: tuple(map(int, versions)) for name, *versions in rows}


@lru_cache(1024)
def since(operator: str, opset: int) -> int | None:
    """The version since which an operator of ONNX's domain is as in `opset`; None: not in it."""
    if 0 < opset <= min(NEWEST, defs.onnx_opset_version()):
        versions = _table().get(operator, ())
        place = bisect(versions, opset)
        return versions[place - 1] if place else None
    try:
        return defs.get_schema(operator, opset, "").since_version
    except (defs.SchemaError, TypeError):  # the latter for a version beyond 32 bits
        return None
