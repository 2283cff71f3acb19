"""Attributes of the `onnx` dialect, for values that builtin attributes cannot express.

An ONNX attribute of an `onnx.node` is written as: a float `0.5 : f32`, an int `3 : i64`, a string
`"same"`, a tensor `dense<...>` (with its name, if it has one, `#onnx.tensor<"name", dense<...>>`),
floats `array<f32: ...>`, ints `array<i64: ...>`, other lists `[...]`. Anything else (graphs, sparse
tensors, types, strings that are not UTF-8, tensors of types without dense text, empty lists of such
tensors) is `#onnx.proto<"GRAPH", "CgV0aGVu...">`: its kind and the serialised message in base 64.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from typing_extensions import override
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, StringAttr
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.parser import AttrParser
from xdsl.printer import Printer


@irdl_attr_definition
class NamedTensorAttr(ParametrizedAttribute):
    """A tensor with the name it has in the ONNX model: `#onnx.tensor<"value", dense<1> : ...>`."""

    name = "onnx.tensor"
    tensor_name: StringAttr = param_def()
    value: DenseIntOrFPElementsAttr = param_def()

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        """Parse `<"name", dense<...> : type>`."""
        with parser.in_angle_brackets():
            name = parser.parse_str_literal()
            parser.parse_punctuation(",")
            value = parser.parse_attribute()
        if not isinstance(value, DenseIntOrFPElementsAttr):
            parser.raise_error("expected dense<...>")
        return [StringAttr(name), cast("Attribute", value)]

    @override
    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string_literal(self.tensor_name.data)
            printer.print_string(", ")
            printer.print_attribute(self.value)


@irdl_attr_definition
class ProtoAttr(ParametrizedAttribute):
    """A protobuf message of ONNX: `kind` is the attribute kind (`GRAPH`, `TYPE_PROTO`, ...).

    `data` is the serialised `onnx.AttributeProto` without its name, in base 64.
    """

    name = "onnx.proto"
    kind: StringAttr = param_def()
    data: StringAttr = param_def()

    def __init__(self, kind: str | StringAttr, data: str | StringAttr) -> None:
        super().__init__(
            StringAttr(kind) if isinstance(kind, str) else kind,
            StringAttr(data) if isinstance(data, str) else data,
        )

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        """Parse `<"kind", "data">`."""
        with parser.in_angle_brackets():
            kind = parser.parse_str_literal()
            parser.parse_punctuation(",")
            return [StringAttr(kind), StringAttr(parser.parse_str_literal())]

    @override
    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_list([self.kind.data, self.data.data], printer.print_string_literal)
