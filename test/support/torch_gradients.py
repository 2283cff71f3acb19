"""A number that depends on all results of a function, for gradients by torch."""

from __future__ import annotations

from typing import Any, cast


def total(t: Any, results: Any) -> Any:
    if not isinstance(results, tuple):
        return (results * t.cos(results.detach())).sum()
    return sum(total(t, result) for result in cast("tuple[Any, ...]", results))
