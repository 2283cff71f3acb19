"""The places along one dim that ONNX's Slice takes, with onnxruntime's reading of its bounds.

places(5, 1, 100, 2)           range(1, 5, 2)
places(5, -9, -9, -1)          range(0, -1, -1): a start is clamped to a place of the dim
places(5, 3, LARGEST, -1)      range(3, -1, -1): the largest integer is the far end, going down, too
"""

from __future__ import annotations

LARGEST = (1 << 31) - 1, (1 << 63) - 1
"""The numbers that mean the far end of a dim, in either direction of a Slice."""


def places(size: int, start: int, end: int, step: int) -> range:
    """The places of a dim of `size` elements; `step` is not 0."""
    if size == 0:
        return range(0)
    down = step < 0
    first = min(max(start + size if start < 0 else start, 0), size - 1 if down else size)
    if down and end in LARGEST:
        return range(first, -1, step)
    last = min(max(end + size if end < 0 else end, -1 if down else 0), size)
    return range(first, last, step)
