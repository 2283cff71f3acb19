"""The fields of a serialised protobuf message, found without reading their contents.

    for field, begin, first, end in fields(data): ...     data[first:end] is the contents

Protobuf itself copies the weights of a model to find where they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from mmap import mmap

Data = bytes | memoryview | mmap


def fields(data: Data, at: int = 0, end: int | None = None) -> Iterator[tuple[int, int, int, int]]:
    """The fields with a length: number, begin of the field, begin of its contents, and end.

    Args:
        data: has the message.
        at: where the message begins.
        end: where it ends; None: at the end of `data`.

    Raises:
        ValueError: a field is written in no way that protobuf 3 has.
    """
    end = len(data) if end is None else end
    while at < end:
        begin = at
        tag, at = _number(data, at)
        match tag & 7:
            case 2:  # the lowest bits of a tag say how its field is written
                size, first = _number(data, at)
                at = first + size
                yield tag >> 3, begin, first, at
            case 0:
                _, at = _number(data, at)
            case 1:
                at += 8
            case 5:
                at += 4
            case kind:
                raise ValueError(f"a field of the model is written as {kind}")


def _number(data: Data, at: int) -> tuple[int, int]:
    """A number of any size at an offset, and its end."""
    found = shift = 0
    while True:
        byte = data[at]
        found |= (byte & 127) << shift
        shift += 7
        at += 1
        if byte < 128:
            return found, at


def head(field: int, size: int) -> bytes:
    """What is before the contents of a field with a length."""
    return _varint(field << 3 | 2) + _varint(size)


def _varint(value: int) -> bytes:
    """A number as a message has it: seven bits a byte, the lowest first."""
    found = bytearray()
    while value >= 128:
        found.append(value & 127 | 128)
        value >>= 7
    return bytes([*found, value])
