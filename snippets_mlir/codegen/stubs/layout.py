"""Structs in memory, declared once for machine code and for Python.

    POINT = Layout("Point", x="i64", next="pointer")

Machine code accesses a field by its name (`builder.py` makes an LLVM struct from the layout),
Python through `ctypes` (`structure`) or as a list of 64-bit words (`words`). Both place fields as C
does: each at the next multiple of its alignment.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from functools import cached_property
from typing import Any

C_TYPES: Mapping[str, Any] = {
    "i8": ctypes.c_uint8,
    "i32": ctypes.c_int32,
    "i64": ctypes.c_int64,
    "pointer": ctypes.c_void_p,
}
BYTES: Mapping[str, int] = {"i8": 1, "i32": 4, "i64": 8, "pointer": 8}


class Layout:
    """A C struct: its fields by name, in order.

    A field is a number or pointer (`"i8"`, `"i32"`, `"i64"`, `"pointer"`), an array of these
    (`("i64", 16)`), or another struct.
    """

    def __init__(self, title: str, **fields: str | tuple[str, int] | Layout) -> None:
        """`title` is the name of the struct in C."""
        self.title = title
        self.fields = fields

    def index(self, name: str) -> int:
        """The number of a field; KeyError if it does not exist."""
        if (found := self._numbers.get(name)) is None:
            raise KeyError(f"{self.title} has no field {name!r}")
        return found

    @cached_property
    def _numbers(self) -> dict[str, int]:
        """Maps the name of a field to its number."""
        return {name: number for number, name in enumerate(self.fields)}

    @cached_property
    def structure(self) -> type[ctypes.Structure]:
        """The struct as a `ctypes.Structure` with the same layout."""
        fields = [(name, _c_type(field)) for name, field in self.fields.items()]
        return type(self.title, (ctypes.Structure,), {"_fields_": fields})

    def offset(self, name: str) -> int:
        """Bytes from the start of the struct to a field."""
        self.index(name)
        return int(getattr(self.structure, name).offset)

    @property
    def bytes(self) -> int:
        """The size of the struct in bytes, padding included."""
        return ctypes.sizeof(self.structure)

    def words(self, **values: int) -> list[int]:
        """The struct as 64-bit words; all of its fields must be such words.

        Raises:
            TypeError: the values do not match the fields.
        """
        if values.keys() != self.fields.keys():
            wrong = sorted(values.keys() ^ self.fields.keys())
            raise TypeError(f"{self.title}: missing or unknown fields {', '.join(wrong)}")
        return [values[name] for name in self.fields]


def _c_type(field: str | tuple[str, int] | Layout) -> Any:
    if isinstance(field, Layout):
        return field.structure
    if isinstance(field, tuple):
        return C_TYPES[field[0]] * field[1]
    return C_TYPES[field]
