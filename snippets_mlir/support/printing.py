"""IR to text, which `parsing` reads back to the same IR."""

from __future__ import annotations

import re
from functools import lru_cache
from io import StringIO
from typing import ClassVar, cast

from xdsl.dialects.builtin import (
    AnyFloat,
    ArrayAttr,
    BytesAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    IndexType,
    IntegerType,
    ModuleOp,
    NoneAttr,
    TensorType,
)
from xdsl.ir import Attribute, TypeAttribute
from xdsl.printer import Printer


class ExactPrinter(Printer):
    """A printer that keeps the sign of zeros: upstream takes `dense<[0.0, -0.0]>` for a splat.

    The text of a type of tensors is made once for all modules, but not of one with an encoding, in
    which such zeros may be.

    Attributes:
        has_aliases: whether attributes may be printed by names.
    """

    has_aliases: ClassVar[bool] = False

    def print_attribute(self, attribute: Attribute) -> None:
        """Print an attribute, elements that are equal in value but not in bits as bytes."""
        if attribute.name == TensorType.name and not self.has_aliases:
            if cast("TensorType[Attribute]", attribute).encoding == _PLAIN:
                self.print_string(_text_of(attribute))
                return
        if isinstance(attribute, DenseIntOrFPElementsAttr):
            dense = cast("DenseIntOrFPElementsAttr", attribute)
            if (elements := _elements_at_once(dense)) is not None:
                self.print_string(f"dense<{elements}> : ")
                super().print_attribute(dense.get_type())
                return
            attribute = dense
        super().print_attribute(attribute)

    def print_bytes_literal(self, bytestring: bytes) -> None:
        """Print bytes in quotes, at once and not byte by byte."""
        self.print_string(f'"{_ESCAPED.sub(_escape, bytestring).decode("ascii")}"')


MOST_LISTED = 100
"""Upstream writes the bytes of more elements."""
_PLAIN = NoneAttr()
_ESCAPED = re.compile(rb'[^ -~]|["\\]')


def _escape(found: re.Match[bytes]) -> bytes:
    (byte,) = found.group()
    return rb"\\" if byte == ord("\\") else b"\\%02X" % byte


@lru_cache(maxsize=1024)
def _text_of(type_: Attribute) -> str:
    Printer(stream=(stream := StringIO())).print_attribute(type_)
    return stream.getvalue()


def text_of_type(type_: Attribute) -> str:
    """The text of a type, cached if it is the same in all modules."""
    if type_.name == TensorType.name:
        if cast("TensorType[Attribute]", type_).encoding == _PLAIN:
            return _text_of(type_)
    ExactPrinter(stream=(stream := StringIO())).print_attribute(type_)
    return stream.getvalue()


class AliasPrinter(ExactPrinter):
    """A printer that defines each list, port and type once, and refers to it as `#a0` or `!a1`.

    Attributes:
        definitions: the lines that belong before the printed text.
    """

    has_aliases = True

    def __init__(self, stream: StringIO) -> None:
        super().__init__(stream=stream)
        self._names: dict[Attribute, str] = {}
        self.definitions: list[str] = []

    def print_attribute(self, attribute: Attribute) -> None:
        """Print an attribute; lists, ports and types are printed as aliases."""
        if not _has_alias(attribute):
            super().print_attribute(attribute)
        else:
            self.print_string(self._names.get(attribute) or self._defined(attribute))

    def _defined(self, attribute: Attribute) -> str:
        """A new alias for `attribute`, whose parts may have aliases themselves."""
        apart = AliasPrinter(stream := StringIO())
        apart._names, apart.definitions = self._names, self.definitions
        super(AliasPrinter, apart).print_attribute(attribute)
        mark = "!" if isinstance(attribute, TypeAttribute) else "#"
        name = self._names[attribute] = f"{mark}a{len(self._names)}"
        self.definitions.append(f"{name} = {stream.getvalue()}\n")
        return name


def _has_alias(attribute: Attribute) -> bool:
    return attribute.name == "lir.port" or isinstance(
        attribute, ArrayAttr | DenseArrayBase | TensorType
    )


def with_aliases(module: ModuleOp) -> str:
    """The text of a module for another process, which reads it in 0.6 of the time."""
    printer = AliasPrinter(stream := StringIO())
    printer.print_op(module)
    return "".join([*printer.definitions, stream.getvalue(), "\n"])


def _elements_at_once(dense: DenseIntOrFPElementsAttr) -> str | None:
    """One element for all, or the bytes of all; None if upstream's text has each element.

    Upstream unpacks all elements twice to find out, which takes 0.1 us per element.
    """
    data, count, element = dense.data.data, len(dense), dense.get_element_type()
    if count < 2 or not isinstance(element, AnyFloat | IntegerType | IndexType):
        return None
    (value,) = element.unpack(first := data[: len(data) // count], 1)
    are_same = data == first * count
    if are_same and value == value:  # no NaN
        one = DenseIntOrFPElementsAttr(TensorType(element, [1]), BytesAttr(first))
        one.print_without_type(Printer(stream=(stream := StringIO())))
        return stream.getvalue().removeprefix("dense<").removesuffix(">")
    if count > MOST_LISTED or (not are_same and dense.is_splat()):
        return f'"0x{data.hex().upper()}"'
    return None


def print_module(module: ModuleOp, generic: bool = False, *, locations: bool = False) -> str:
    """The text of a module, with a newline at its end.

    Args:
        module: what to print.
        generic: whether to print the generic form of every op.
        locations: whether to print `loc(...)` after every op.
    """
    stream = StringIO()
    printer = ExactPrinter(stream=stream, print_generic_format=generic, print_debuginfo=locations)
    printer.print_op(module)
    stream.write("\n")
    return stream.getvalue()
