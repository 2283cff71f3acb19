"""The data of constants: `#snippets.resource` (in a file) and `#snippets.panels` (packed)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from typing_extensions import override
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    IntAttr,
    IntegerType,
    NoneAttr,
    StringAttr,
    TensorType,
    UnitAttr,
)
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException


@irdl_attr_definition
class ResourceAttr(ParametrizedAttribute):
    """A tensor's data named by reference: `#snippets.resource<"model.onnx", "w0", "sha256">`.

    `file` is an ONNX model, an `.npy` or an `.npz` file (relative to the working directory), `key`
    names the tensor in it (an ONNX initializer, an array of the archive), and `sha256` is the hash
    of the little-endian row-major bytes, which every reader checks. With `columns 8 to 16` the data
    consists of these elements of the last dim, and with an `element` type it is converted to this
    type, exactly: `<"model.onnx", "w0", "sha256", columns 8 to 16, f32>`.
    """

    name = "snippets.resource"
    file: StringAttr = param_def()
    key: StringAttr = param_def()
    sha256: StringAttr = param_def()
    element: Attribute = param_def()
    range: ArrayAttr[IntAttr] | NoneAttr = param_def()

    @classmethod
    def of(
        cls,
        file: str,
        key: str,
        sha256: str,
        element: Attribute | None = None,
        columns: tuple[int, int] | None = None,
    ) -> ResourceAttr:
        """The tensor `key` of `file`, or `columns` of it, converted to `element` if given."""
        converted = NoneAttr() if element is None else element
        range_ = NoneAttr() if columns is None else ArrayAttr(map(IntAttr, columns))
        return cls(StringAttr(file), StringAttr(key), StringAttr(sha256), converted, range_)

    def to(self, element: Attribute) -> ResourceAttr:
        """The same elements converted to `element`."""
        return ResourceAttr(self.file, self.key, self.sha256, element, self.range)

    def part(self, start: int, stop: int) -> ResourceAttr:
        """The elements from `start` to before `stop` of the last dim."""
        first = 0 if self.columns is None else self.columns[0]
        columns = ArrayAttr([IntAttr(first + start), IntAttr(first + stop)])
        return ResourceAttr(self.file, self.key, self.sha256, self.element, columns)

    @property
    def converted(self) -> Attribute | None:
        """The element type that the tensor is converted to; None for the stored type."""
        return None if isinstance(self.element, NoneAttr) else self.element

    @property
    def columns(self) -> tuple[int, int] | None:
        """The first element of the last dim and the one after the last; None for all."""
        if isinstance(self.range, NoneAttr):
            return None
        start, stop = self.range
        return start.data, stop.data

    @override
    def verify(self) -> None:
        """Check that there are two columns, the first before the second."""
        if isinstance(self.range, NoneAttr):
            return
        places = [place.data for place in self.range]
        if len(places) != 2 or not 0 <= places[0] < places[1]:
            raise VerifyException(
                f"C6: snippets.resource expects columns from one to a later one, found {places}"
            )

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        """Parse `<"file", "key", "sha256">`, optionally followed by `columns N to M` and a type."""
        with parser.in_angle_brackets():
            file = parser.parse_str_literal()
            parser.parse_punctuation(",")
            key = parser.parse_str_literal()
            parser.parse_punctuation(",")
            sha256 = parser.parse_str_literal()
            element: Attribute = NoneAttr()
            columns: Attribute = NoneAttr()
            more = parser.parse_optional_punctuation(",")
            if more and parser.parse_optional_keyword("columns"):
                start = parser.parse_integer(allow_negative=False)
                parser.parse_keyword("to")
                columns = ArrayAttr([IntAttr(start), IntAttr(parser.parse_integer())])
                more = parser.parse_optional_punctuation(",")
            if more:
                element = parser.parse_type()
        return [StringAttr(file), StringAttr(key), StringAttr(sha256), element, columns]

    @override
    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_list(
                [self.file.data, self.key.data, self.sha256.data], printer.print_string_literal
            )
            if self.columns is not None:
                printer.print_string(", columns {} to {}".format(*self.columns))
            if self.converted is not None:
                printer.print_string(", ")
                printer.print_attribute(self.converted)


@irdl_attr_definition
class PanelsAttr(ParametrizedAttribute):
    """A matrix in panels of columns: `#snippets.panels<dense<...> : tensor<768x96xf32>, width 48>`.

    The panels are row-major and dense, one after the other; zeros pad the last one. So the tensor
    is [panels, rows, width]. `source` is the matrix, [rows, columns], or [columns, rows] with
    `transposed`, of `type`; further dims have size 1. One function makes the elements
    (`dialects/snippets/panels.py`).
    """

    name = "snippets.panels"
    source: DenseIntOrFPElementsAttr | ResourceAttr = param_def()
    type: TensorType[Attribute] = param_def()
    width: IntAttr = param_def()
    transposed: UnitAttr | NoneAttr = param_def()

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        """Parse `<source : type, width N>` or `<source : type, transposed, width N>`."""
        with parser.in_angle_brackets():
            source: Attribute = parser.parse_attribute()
            if isinstance(source, DenseIntOrFPElementsAttr):
                type_ = cast("DenseIntOrFPElementsAttr[IntegerType]", source).type
            else:
                parser.parse_punctuation(":")
                type_ = parser.parse_type()
            parser.parse_punctuation(",")
            transposed: Attribute = NoneAttr()
            if parser.parse_optional_keyword("transposed"):
                transposed = UnitAttr()
                parser.parse_punctuation(",")
            parser.parse_keyword("width")
            width = IntAttr(parser.parse_integer(allow_negative=False))
            return [cast("Attribute", source), type_, width, transposed]

    @override
    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_attribute(self.source)
            if isinstance(self.source, ResourceAttr):
                printer.print_string(" : ")
                printer.print_attribute(self.type)
            if isinstance(self.transposed, UnitAttr):
                printer.print_string(", transposed")
            printer.print_string(f", width {self.width.data}")
