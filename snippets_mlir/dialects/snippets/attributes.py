"""`#snippets.resource`: the data of a tensor, by reference to a file."""

from __future__ import annotations

from collections.abc import Sequence

from typing_extensions import override
from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.parser import AttrParser
from xdsl.printer import Printer


@irdl_attr_definition
class ResourceAttr(ParametrizedAttribute):
    """A tensor's data named by reference: `#snippets.resource<"model.onnx", "w0", "sha256">`.

    `file` is an ONNX model, an `.npy` or an `.npz` file (relative to the working directory),
    `key` names the tensor in it (an ONNX initializer, an array of the archive), and `sha256` is the
    hash of the little-endian row-major bytes, which every reader checks.
    """

    name = "snippets.resource"
    file: StringAttr = param_def()
    key: StringAttr = param_def()
    sha256: StringAttr = param_def()

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        """Parse `<"file", "key", "sha256">`."""
        with parser.in_angle_brackets():
            file = parser.parse_str_literal()
            parser.parse_punctuation(",")
            key = parser.parse_str_literal()
            parser.parse_punctuation(",")
            sha256 = parser.parse_str_literal()
        return [StringAttr(file), StringAttr(key), StringAttr(sha256)]

    @override
    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_list(
                [self.file.data, self.key.data, self.sha256.data], printer.print_string_literal
            )
