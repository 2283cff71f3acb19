"""The version since which an operator is as in an opset.

since("Relu", 13, "")     13        since("Relu", 12, "")     6
since("Gelu", 19, "")     None      Gelu came with opset 20
"""

from __future__ import annotations

from functools import lru_cache

from onnx import defs


@lru_cache(1024)
def since(operator: str, opset: int, domain: str) -> int | None:
    """The version since which an operator is as in `opset`; None for one that ONNX lacks."""
    try:
        return defs.get_schema(operator, opset, domain).since_version
    except (defs.SchemaError, TypeError):  # the latter for a version beyond 32 bits
        return None
