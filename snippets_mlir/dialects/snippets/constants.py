"""Constants of the `snippets` dialect.

%w = snippets.constant dense<[1.0, 2.0]> : tensor<2xf32>
%p = snippets.constant #snippets.panels<dense<1.0> : tensor<4x20xf32>, width 16>
     : tensor<2x4x16xf32>
%c = snippets.scalar 5.000000e-01 : f32
%n = snippets.scalar #snippets.size<?0*24 : f32>
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias, cast

from typing_extensions import override
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    TensorType,
)
from xdsl.interfaces import HasFolderInterface
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    ConstantLike,
    Pure,
)
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.builtin.op_class import Op
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of, tensor_type
from snippets_mlir.dialects.builtin.sizes import SizeAttr
from snippets_mlir.dialects.snippets.attributes import PanelsAttr, ResourceAttr
from snippets_mlir.dialects.snippets.base import kind_of
from snippets_mlir.dialects.snippets.panels import panels_type
from snippets_mlir.dialects.snippets.shapes import is_static

Dense: TypeAlias = DenseIntOrFPElementsAttr[IntegerType | AnyFloat]


def parse_constant(parser: Parser) -> tuple[Attribute, Attribute, dict[str, Attribute]]:
    """Parse `dense<...> : type {attrs}`, or `value : type {attrs}` for values of other kinds."""
    value: Attribute = parser.parse_attribute()
    if isinstance(value, DenseIntOrFPElementsAttr):
        dense = cast(Dense, value)
        return dense, dense.type, parser.parse_optional_attr_dict()
    parser.parse_punctuation(":")
    return value, parser.parse_type(), parser.parse_optional_attr_dict()


def print_constant(
    printer: Printer, value: Attribute, type: Attribute, attributes: dict[str, Attribute]
) -> None:
    """Print what `parse_constant` parses."""
    printer.print_string(" ")
    printer.print_attribute(value)
    if not isinstance(value, DenseIntOrFPElementsAttr):
        printer.print_string(" : ")
        printer.print_attribute(type)
    printer.print_op_attributes(attributes)


@irdl_op_definition
class ConstantOp(HasFolderInterface, Op):
    """A constant tensor, written in place, named by reference (`#snippets.resource`) or packed.

    `#snippets.panels` is one of the former two in panels of columns.
    """

    name = "snippets.constant"
    value = prop_def(DenseIntOrFPElementsAttr | ResourceAttr | PanelsAttr)
    result = result_def(TensorType)
    traits = traits_def(Pure(), ConstantLike())

    def __init__(
        self, value: Dense | ResourceAttr | PanelsAttr, type: Attribute | None = None
    ) -> None:
        if type is None:
            assert isinstance(value, DenseIntOrFPElementsAttr)
            type = value.type
        super().__init__(result_types=[type], properties={"value": value})

    def fold(self) -> Sequence[SSAValue | Attribute] | None:
        """The value, unless it is a reference or packed."""
        return (self.value,) if isinstance(self.value, DenseIntOrFPElementsAttr) else None

    @classmethod
    @override
    def parse(cls, parser: Parser) -> ConstantOp:
        value, type_, attributes = parse_constant(parser)
        return cls.create(result_types=[type_], properties={"value": value}, attributes=attributes)

    @override
    def print(self, printer: Printer) -> None:
        print_constant(printer, self.value, self.result.type, self.attributes)

    def verify_(self) -> None:
        """Check that the type is static and equals the value's type."""
        type_ = tensor_of(self.result)
        if not is_static(shape_of(type_)):
            raise VerifyException(f"C1: snippets.constant expects a static shape, found {type_}")
        if isinstance(self.value, DenseIntOrFPElementsAttr) and self.value.type != type_:
            raise VerifyException(
                f"C6: snippets.constant expects a result of its value's type {self.value.type}, "
                f"found {type_}"
            )
        named = self.value.source if isinstance(self.value, PanelsAttr) else self.value
        if isinstance(named, ResourceAttr) and named.converted not in (None, type_.element_type):
            raise VerifyException(
                f"C6: snippets.constant expects elements of its value's type {named.converted}, "
                f"found {type_}"
            )
        if isinstance(named, ResourceAttr) and named.columns is not None:
            matrix = self.value.type if isinstance(self.value, PanelsAttr) else type_
            start, stop = named.columns
            if shape_of(matrix)[-1:] != (stop - start,):
                raise VerifyException(
                    f"C6: snippets.constant expects the columns {start} to {stop} of its value, "
                    f"found {matrix}"
                )
        if isinstance(self.value, PanelsAttr):
            expected = panels_type(self.value)
            if expected is None:
                raise VerifyException(
                    f"C6: snippets.constant expects panels of a matrix, found {self.value.type} "
                    f"in panels of {self.value.width.data} columns"
                )
            if expected != type_:
                raise VerifyException(
                    f"C6: snippets.constant expects panels of {expected}, found {type_}"
                )


@irdl_op_definition
class ScalarOp(HasFolderInterface, Op):
    """A constant of one element, a tensor of rank 0; inside a kernel it is an immediate.

    It may also be the size of a dynamic dimension, which a kernel computes from its `rt`.
    """

    name = "snippets.scalar"
    value = prop_def(FloatAttr | IntegerAttr | SizeAttr)
    result = result_def(TensorType)
    traits = traits_def(Pure(), ConstantLike())

    def __init__(self, value: FloatAttr | IntegerAttr[IntegerType] | SizeAttr) -> None:
        super().__init__(result_types=[tensor_type(value.type, [])], properties={"value": value})

    def fold(self) -> Sequence[SSAValue | Attribute] | None:
        """The value as dense elements of the result's type, unless it is known only at run time."""
        if isinstance(self.value, SizeAttr):
            return None
        from snippets_mlir.dialects.snippets.folding import dense_of_scalar

        return (dense_of_scalar(self.value, tensor_of(self.result)),)

    @classmethod
    def parse(cls, parser: Parser) -> ScalarOp:
        """Parse `value : element-type {attrs}` or `#snippets.size<...> {attrs}`."""
        value = parser.parse_attribute()
        attributes = parser.parse_optional_attr_dict()
        if not isinstance(value, FloatAttr | IntegerAttr | SizeAttr):
            parser.raise_error(
                "expected a number, such as `1.0 : f32`, or a size, such as "
                "`#snippets.size<?0 : f32>`"
            )
        number = cast("FloatAttr | IntegerAttr[IntegerType] | SizeAttr", value)
        return cls.create(
            result_types=[tensor_type(number.type, [])],
            properties={"value": number},
            attributes=attributes,
        )

    @override
    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_attribute(self.value)
        printer.print_op_attributes(self.attributes)

    def verify_(self) -> None:
        """Check that the result is a rank-0 tensor of the value's type."""
        expected = tensor_type(self.value.type, [])
        if self.result.type != expected:
            raise VerifyException(
                f"C6: snippets.scalar expects a result of {expected}, found {self.result.type}"
            )
        if kind_of(self.value.type) is None:
            raise VerifyException(
                f"C3: snippets.scalar expects a float or integer, found {self.value.type}"
            )
