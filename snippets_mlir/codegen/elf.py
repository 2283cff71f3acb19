"""Facts about an object in the ELF format: its machine, and its undefined symbols.

LLVM loads an object for another machine without an error, and does not name missing symbols.
"""

from __future__ import annotations

import struct

MAGIC = b"\x7fELF\x02\x01"
"""An ELF file of 64 bits, least significant byte first."""

MACHINES = {"x86_64": 62, "aarch64": 183}
"""The architecture of a triple -> the machine in the file's header."""

_RELOCATABLE = 1
_SYMBOLS = 2
HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
SYMBOL = struct.Struct("<IBBHQQ")


def is_object_for(image: bytes, triple: str) -> bool:
    """Whether `image` has the header of a relocatable object for `triple`.

    For unknown object formats, any bytes are accepted.
    """
    machine = MACHINES.get(triple.partition("-")[0])
    if machine is None or "linux" not in triple:
        return True
    if len(image) < HEADER.size or not image.startswith(MAGIC):
        return False
    return HEADER.unpack_from(image)[1:3] == (_RELOCATABLE, machine)


def is_elf(image: bytes) -> bool:
    """Whether `image` has the header of an ELF file."""
    return image.startswith(MAGIC)


def undefined_symbols(image: bytes) -> list[str]:
    """The undefined symbols of an object, in its order; none if it is damaged."""
    try:
        return list(_undefined(image)) if image.startswith(MAGIC) else []
    except (struct.error, LookupError, ValueError):
        return []


def _undefined(image: bytes) -> list[str]:
    header: tuple[int, ...] = HEADER.unpack_from(image)
    start, size, count = header[6], header[11], header[12]
    sections: list[tuple[int, ...]] = [
        _SECTION.unpack_from(image, start + i * size) for i in range(count)
    ]
    found: list[str] = []
    for section in sections:
        if section[1] != _SYMBOLS:
            continue
        names = sections[section[6]][4]
        for at in range(section[4], section[4] + section[5], SYMBOL.size):
            symbol: tuple[int, ...] = SYMBOL.unpack_from(image, at)
            name, place = symbol[0], symbol[3]
            if name and place == 0:
                first = names + name
                found.append(image[first : image.index(b"\0", first)].decode())
    return found
