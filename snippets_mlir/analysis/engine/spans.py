"""The number of pieces in which onnxruntime's CPU engine computes a broadcasting node.

    [172, 309] * [309]          172 pieces of 309 elements
    [172, 309] * [1]            one piece
    [172, 309, 1] * [1]         53148 pieces of one element: the last dim of both has size 1

The engine calls a loop for each piece, which takes `EngineCosts.span`. A piece consists of trailing
dims. From the right, it starts at the first pair of sizes that is not 1 and 1 (in dims that both
operands have), and extends as long as both sizes are equal, or as long as the same operand
has size 1. Measured with onnxruntime 1.32.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from math import prod


def _piece(first: Sequence[int], second: Sequence[int]) -> int:
    """The elements of a piece of two operands."""
    pairs = list(zip_longest(reversed(first), reversed(second), fillvalue=1))
    common = min(len(first), len(second))
    skipped = next((k for k in range(common) if pairs[k] != (1, 1)), common)
    # An operand with only dims of size 1 counts like a last dim of size 1 in both operands.
    kind = "equal" if 0 < skipped == common else None
    found = 1
    for a, b in pairs[skipped:]:
        this = "equal" if a == b else "first" if a == 1 else "second"
        if kind not in (None, this) and (a, b) != (1, 1):
            break
        found *= max(a, b)
        kind = kind or this
    return found


def spans(shapes: Sequence[Sequence[int]]) -> int:
    """The number of pieces for operands of these static shapes; 1 without a broadcast."""
    if not shapes or any(0 in shape for shape in shapes):
        return 1
    rank = max(map(len, shapes))
    full = [(1,) * (rank - len(shape)) + tuple(shape) for shape in shapes]
    whole = tuple(map(max, zip(*full, strict=True)))
    pieces = [_piece(whole, shape) for shape in shapes if tuple(shape) != whole]
    return prod(whole) // min(pieces) if pieces else 1
