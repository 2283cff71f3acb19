"""Sizes as text and as JSON: `?0*64 + 16`."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from snippets_mlir.dialects.builtin.dims import Dim, Size, format_size, product, symbol


def format_sizes(sizes: Iterable[Dim]) -> str:
    """`[?0, 4]`: sizes as a list."""
    return f"[{', '.join(map(format_size, sizes))}]"


@lru_cache(maxsize=4096)
def size_from(text: str | int) -> Dim:
    """The size that `format_size` printed; a number is itself.

    Raises:
        ValueError: the text is not a size.
    """
    if isinstance(text, int):
        return text
    result: Dim = 0
    for term in text.split(" + "):
        factors = [symbol(int(f[1:])) if f.startswith("?") else int(f) for f in term.split("*")]
        result = result + product(factors)
    return result


def size_data(size: Dim) -> int | str:
    """`size` for JSON: a number, or the text of its formula."""
    return format_size(size) if isinstance(size, Size) else size
