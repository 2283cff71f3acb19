"""The elements that `x[start:stop:step]` takes from a dim whose size may be a formula.

    size ?0, 1:END:1       from 1 on, ?0 + -1 elements
    size ?0, -3:END:1      from ?0 + -3 on, 3 elements
    size ?0, -1:-END:-1    from ?0 + -1 on backwards, ?0 elements
    size 5, 7:END:1        nothing

A negative bound counts from the end. Bounds of a dim of known size are clamped, as in Python. If
the size has symbols, bounds are used unchanged: they are in bounds if each element of `room` is 0
or more. A number of elements with symbols is then 2 or more, as the laws of `dims.py` require.
"""

from __future__ import annotations

from dataclasses import dataclass

from snippets_mlir.dialects.builtin.dims import Dim, Size, divided, format_size
from snippets_mlir.support.errors import CompileError, PlaceError

END = (1 << 63) - 1
"""A bound after the end of every dim; `-END` is one before its start."""

_FAR = 1 << 62


@dataclass(frozen=True)
class Part:
    """Some elements of a dim, at equal distances.

    Attributes:
        start: the place of the first element.
        count: the number of elements.
        room: sizes that have to be 0 or more; otherwise the result is not valid.
    """

    start: Dim
    count: Dim
    room: tuple[Dim, ...] = ()


def part_of(size: Dim, start: int, stop: int, step: int) -> Part:
    """The elements that a slice takes; `step` is not 0.

    Raises:
        CompileError: their number depends on a remainder of a symbol.
    """
    if not isinstance(size, Size):
        places = range(size)[start:stop:step]
        return Part(places.start if places else 0, len(places))
    least, most = (0, size) if step > 0 else (-1, size - 1)
    first, end = _bound(size, start, least, most), _bound(size, stop, least, most)
    reach = end - first if step > 0 else first - end
    pieces = divided(reach + (abs(step) - 1), abs(step))
    if pieces is None:
        what = f"{format_size(reach)} elements in steps of {abs(step)}"
        raise CompileError(f"how many there are of {what} depends on a remainder")
    count = pieces[0] if isinstance(pieces[0], Size) else max(0, pieces[0])
    room = [first - least, most - first, end - least, most - end]
    if isinstance(count, Size):
        room.append(count - 2)
    return Part(first, count, tuple(room))


def place_of(size: Dim, index: int) -> Part:
    """The one element that an index takes.

    Raises:
        PlaceError: there is no such element.
    """
    if not isinstance(size, Size):
        if not -size <= index < size:
            raise PlaceError(f"index {index} is out of bounds for a dim of size {size}")
        return Part(index % size, 1)
    place = index if index >= 0 else size + index
    return Part(place, 1, (place, size - 1 - place))


def _bound(size: Size, bound: int, least: Dim, most: Dim) -> Dim:
    """The place that a bound refers to; a place outside is clamped to the limit."""
    if abs(bound) >= _FAR:
        return most if bound > 0 else least
    return bound if bound >= 0 else size + bound
