"""The data of constants: `#snippets.resource`, in a file, and `#snippets.panels`, packed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from typing_extensions import override
from xdsl.dialects.builtin import (
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


@irdl_attr_definition
class ResourceAttr(ParametrizedAttribute):
    """A tensor's data named by reference: `#snippets.resource<"model.onnx", "w0", "sha256">`.

    `file` is an ONNX model, an `.npy` or an `.npz` file (relative to the working directory),
    `key` names the tensor in it (an ONNX initializer, an array of the archive), and `sha256` is the
    hash of the little-endian row-major bytes, which every reader checks. With an `element` type,
    `<"model.onnx", "w0", "sha256", f32>`, the data is that tensor converted to it, exactly.
    """

    name = "snippets.resource"
    file: StringAttr = param_def()
    key: StringAttr = param_def()
    sha256: StringAttr = param_def()
    element: Attribute = param_def()

    @classmethod
    def of(cls, file: str, key: str, sha256: str, element: Attribute | None = None) -> ResourceAttr:
        """The tensor `key` of `file`, converted to `element` if given."""
        converted = NoneAttr() if element is None else element
        return cls(StringAttr(file), StringAttr(key), StringAttr(sha256), converted)

    def to(self, element: Attribute) -> ResourceAttr:
        """The same tensor converted to `element`."""
        return ResourceAttr(self.file, self.key, self.sha256, element)

    @property
    def converted(self) -> Attribute | None:
        """The element type that the tensor is converted to; None as it is stored."""
        return None if isinstance(self.element, NoneAttr) else self.element

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        """Parse `<"file", "key", "sha256">` or `<"file", "key", "sha256", type>`."""
        with parser.in_angle_brackets():
            file = parser.parse_str_literal()
            parser.parse_punctuation(",")
            key = parser.parse_str_literal()
            parser.parse_punctuation(",")
            sha256 = parser.parse_str_literal()
            element: Attribute = NoneAttr()
            if parser.parse_optional_punctuation(","):
                element = parser.parse_type()
        return [StringAttr(file), StringAttr(key), StringAttr(sha256), element]

    @override
    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_list(
                [self.file.data, self.key.data, self.sha256.data], printer.print_string_literal
            )
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
