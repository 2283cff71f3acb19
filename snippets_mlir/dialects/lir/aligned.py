"""`snippets.aligned` on a kernel's function: ranges may begin anywhere, best at a cache line.

    func.func @k(...) attributes {snippets.kernel, snippets.domain = 1000 : i64, snippets.grain =
    16 : i64, ..., snippets.aligned = array<i64: 1, 4>}

says that the kernel reads element `i` of input 1, with elements of 4 bytes, for element `i` of the
domain, in vectors that fill a cache line. `analysis/kernels/aligned_ranges.py` decides which
kernels have the attribute. All kernels take ranges that begin and end at multiples of the grain or
at the end of the domain. These kernels also take a range that begins at any element and ends a
whole number of grains later.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import DenseArrayBase, i64
from xdsl.ir import Attribute, Operation

ALIGNED = "snippets.aligned"
LINE = 64
"""Bytes of a cache line."""


def aligned_attr(array: int, size: int) -> DenseArrayBase:
    """The attribute: the number of an input, and the bytes of its elements."""
    return DenseArrayBase.from_list(i64, [array, size])


def aligned_of(function: Operation, sizes: Sequence[int], grain: int | None) -> list[int] | None:
    """`[array, bytes]` of a kernel's function; None without the attribute.

    `sizes` are the bytes of an element of each input. Raises ValueError for an array that is not an
    input, for other bytes, and if a grain does not fill whole cache lines.
    """
    attribute: Attribute | None = function.attributes.get(ALIGNED)
    if attribute is None:
        return None
    values = attribute.get_values() if isinstance(attribute, DenseArrayBase) else ()
    found = [int(value) for value in cast("Sequence[int]", values)]
    inputs = [[index, size] for index, size in enumerate(sizes)]
    if found in inputs and grain and grain * found[1] % LINE == 0:
        return found
    raise ValueError(
        f"expected {ALIGNED} to be array<i64: input, bytes of its elements> "
        f"(one of {inputs}), and grains that fill lines of {LINE} bytes, "
        f"found {attribute} and a grain of {grain}"
    )
